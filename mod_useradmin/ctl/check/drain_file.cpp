#include "ctl/check/checks.hpp"

#include <string>

namespace useradmin::ctl {

void check_drain_files(const CheckedConfiguration& configuration, Findings& findings) {
    if (!configuration.children)
        return;
    for (const ConfigLine& line : configuration.lines) {
        if (!is_same_name(line.words[0], "UserAdminDrainFile") || line.words.size() < 2 ||
            is_undefined(line, line.words[1]))
            continue;
        const std::string& name = line.words[1];
        const std::string file =
            name.starts_with('/') ? name : configuration.server_root + "/" + name;
        if (!may_execute(*configuration.children, folder_of(file)).value_or(true))
            findings.problems.push_back("httpd's children (" + configuration.children->name +
                                        ") cannot see UserAdminDrainFile, so useradmin-health "
                                        "ignores it: " +
                                        describe_access(file));
    }
}

} // namespace useradmin::ctl
