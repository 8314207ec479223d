#include "ctl/check/checks.hpp"

#include <string>

namespace useradmin::ctl {

void check_mail_commands(const CheckedConfiguration& configuration, Findings& findings) {
    if (!configuration.children)
        return;
    for (const ConfigLine& line : configuration.lines) {
        if (!is_same_name(line.words[0], "UserAdminMailCommand") || line.words.size() < 2 ||
            is_undefined(line, line.words[1]))
            continue;
        const std::string program = line.words[1].substr(0, line.words[1].find(' '));
        if (!may_execute(*configuration.children, program).value_or(true))
            findings.problems.push_back(
                "httpd's children (" + configuration.children->name +
                ") cannot run the command of UserAdminMailCommand: " + describe_access(program));
    }
}

} // namespace useradmin::ctl
