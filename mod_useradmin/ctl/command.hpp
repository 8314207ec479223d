#pragma once

#include "ctl/command_error.hpp"
#include "ctl/context.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::ctl {

struct Command {
    /// The full name, such as "list" or "session list".
    std::string_view name;
    /// The arguments and the required options as shown in the usage, such as "USER --name NAME".
    std::string_view synopsis;
    /// The names of the options other than common_options(), separated by spaces.
    std::string_view options;
    /// The description in the help.
    std::string_view description;
    /// An example for the help, without the program's name.
    std::string_view example;
    /// The minimum and maximum number of arguments.
    std::size_t min_arguments;
    std::size_t max_arguments;
    /// nullptr if parse() handles the command, such as help.
    Exit (*run)(Context& context);
    /// Commands with DatabaseUse::write are recorded in the audit log.
    DatabaseUse use = DatabaseUse::read;
};

/// Returns all commands, in the order of the help.
std::span<const Command> commands();
/// Returns the names of the options that every command takes.
std::span<const std::string_view> common_options();
/// Returns the names of a command's options other than common_options().
std::vector<std::string_view> options_of(const Command& command);
/// Returns a command's usage: its name, its arguments and its options.
std::string usage_of(const Command& command);

Exit create_schema(Context& context);
/// Implements schema --scale: adds the counts and indexes of sql/postgresql/scale, which speed up
/// long lists, while the table is in use. Can be run again, for example after an interruption, or
/// to correct the counts.
Exit create_scale(Context& context);
/// Implements schema --no-scale: removes the counts and the indexes, except those that schema.sql
/// also creates.
Exit remove_scale(Context& context);
Exit create(Context& context);
Exit list(Context& context);
Exit show(Context& context);
Exit set_password(Context& context);
Exit set_role(Context& context);
Exit ban(Context& context);
Exit unban(Context& context);
Exit remove(Context& context);
Exit open_session(Context& context);
Exit list_sessions(Context& context);
Exit revoke_sessions(Context& context);
Exit create_key(Context& context);
Exit list_keys(Context& context);
Exit revoke_key(Context& context);
Exit reset_second_factor(Context& context);
Exit check(Context& context);
Exit drain(Context& context);
Exit verify_audit_log(Context& context);
Exit export_users(Context& context);
Exit import_users(Context& context);

} // namespace useradmin::ctl
