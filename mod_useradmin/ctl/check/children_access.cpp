#include "ctl/check/checks.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace useradmin::ctl {

namespace {

/// Returns the values of a directive, without those that contain an undefined variable.
std::vector<std::string> values_of(const CheckedConfiguration& configuration,
                                   std::string_view directive) {
    std::vector<std::string> values;
    for (const ConfigLine& line : configuration.lines)
        if (const std::string_view value = argument_of(line, directive);
            !value.empty() && !is_undefined(line, value))
            values.emplace_back(value);
    return values;
}

} // namespace

void check_access_of_children(const CheckedConfiguration& configuration, Findings& findings) {
    if (!configuration.children)
        return;
    const std::string children = "httpd's children (" + configuration.children->name + ") ";
    for (const std::string& command : values_of(configuration, "UserAdminMailCommand")) {
        const std::vector<std::string> words = words_of(command);
        const std::string program = words.empty() ? std::string() : words[0];
        if (!may_execute(*configuration.children, program).value_or(true))
            findings.problems.push_back(
                children +
                "cannot run the command of UserAdminMailCommand: " + describe_access(program));
    }
    for (const std::string& name : values_of(configuration, "UserAdminDrainFile")) {
        const std::string file =
            name.starts_with('/') ? name : configuration.server_root + "/" + name;
        if (!may_execute(*configuration.children, folder_of(file)).value_or(true))
            findings.problems.push_back(children +
                                        "cannot search the directory of UserAdminDrainFile, so "
                                        "useradmin-health ignores the file: " +
                                        describe_access(file));
    }
}

} // namespace useradmin::ctl
