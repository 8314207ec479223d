#include "ctl/options.hpp"

#include "ctl/command_error.hpp"

namespace useradmin::ctl {

std::optional<std::string_view> Options::find(std::string_view name) const {
    const auto found = values.find(name);
    return found != values.end() ? std::optional<std::string_view>(found->second) : std::nullopt;
}

std::string_view Options::demand(std::string_view name) const {
    const std::optional<std::string_view> value = find(name);
    if (!value || value->empty())
        throw CommandError(Exit::usage, "say --" + std::string(name) + " with a value");
    return *value;
}

Options parse(int count, const char* const* arguments) {
    Options options;
    for (int index = 1; index < count; ++index) {
        const std::string_view argument = arguments[index];
        if (!argument.starts_with("--")) {
            options.words.emplace_back(argument);
            continue;
        }
        const std::string_view name = argument.substr(2, argument.find('=') - 2);
        if (argument.size() > name.size() + 2)
            options.values.emplace(name, argument.substr(name.size() + 3));
        else if (name == "help" || name == "version")
            options.values.emplace(name, "");
        else if (index + 1 < count)
            options.values.emplace(name, arguments[++index]);
        else
            throw CommandError(Exit::usage, "--" + std::string(name) + " wants a value");
    }
    return options;
}

} // namespace useradmin::ctl
