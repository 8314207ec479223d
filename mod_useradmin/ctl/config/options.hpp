#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::ctl {

struct Option {
    std::string_view name;
    /// The placeholder for the value in the help. Empty for a flag.
    std::string_view value;
    std::string_view description;

    /// Returns the option as shown in the usage line, such as "--page N".
    std::string usage() const;
};

/// Returns the option with this name, or nullptr.
const Option* find_option(std::string_view name) noexcept;

/// The arguments and options of a command.
struct Options {
    /// The arguments after the command's name.
    std::vector<std::string> arguments;
    std::map<std::string, std::string, std::less<>> values;

    bool has(std::string_view name) const { return values.find(name) != values.end(); }
    std::optional<std::string_view> find(std::string_view name) const;
    /// Returns the option's value. Throws UsageError if it is missing or empty.
    std::string_view require(std::string_view name) const;
    /// Returns the option's value as a positive integer, or the default if it is missing. Throws
    /// UsageError if it is not a number from 1 to max.
    std::int64_t number(std::string_view name, std::int64_t max, std::int64_t default_value) const;
};

} // namespace useradmin::ctl
