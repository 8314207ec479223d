// useradminctl's command line.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::ctl {

/// The words and options of a command line: "--name value" or "--name=value".
struct Options {
    /// The command and its arguments.
    std::vector<std::string> words;
    std::map<std::string, std::string, std::less<>> values;

    std::optional<std::string_view> find(std::string_view name) const;
    /// The option's value; a CommandError of usage where it is absent or empty.
    std::string_view demand(std::string_view name) const;
};

/// Reads a command line; a CommandError of usage where it is not right.
Options parse(int count, const char* const* arguments);

} // namespace useradmin::ctl
