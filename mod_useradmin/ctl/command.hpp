// useradminctl's commands.
#pragma once

#include "ctl/command_error.hpp"
#include "ctl/database.hpp"
#include "ctl/options.hpp"

#include <span>
#include <string_view>

namespace useradmin::ctl {

struct Command {
    std::string_view name;
    /// The command's own line of the help: its arguments and what it does.
    std::string_view arguments;
    std::string_view purpose;
    /// The options that it takes beside those of all commands.
    std::span<const std::string_view> options;
    /// How many words it takes after its name.
    std::size_t words;
    Exit (*run)(const Options& options, Database& database);
};

/// All commands, in the order of the help.
std::span<const Command> commands();

// Each in a file of its name.
Exit lay_schema(const Options& options, Database& database);
Exit create(const Options& options, Database& database);
Exit open_session(const Options& options, Database& database);

} // namespace useradmin::ctl
