// useradminctl's options.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::ctl {

/// An option, whichever commands take it.
struct Option {
    std::string_view name;
    /// What stands for its value in the help; empty for an option that stands alone.
    std::string_view value;
    std::string_view meaning;

    /// "--page N".
    std::string form() const;
};

/// The option of that name; nullptr where there is none.
const Option* find_option(std::string_view name) noexcept;

/// The arguments and options of a command.
struct Options {
    /// The arguments after the command's name.
    std::vector<std::string> words;
    std::map<std::string, std::string, std::less<>> values;

    bool has(std::string_view name) const { return values.find(name) != values.end(); }
    std::optional<std::string_view> find(std::string_view name) const;
    /// The option's value; a CommandError of usage where it is absent or empty.
    std::string_view require(std::string_view name) const;
    /// The option's value as a whole number from 1 on, or the default where it is absent.
    std::int64_t number(std::string_view name, std::int64_t most, std::int64_t default_value) const;
};

} // namespace useradmin::ctl
