// useradminctl's commands.
#pragma once

#include "ctl/command_error.hpp"
#include "ctl/context.hpp"

#include <span>
#include <string_view>

namespace useradmin::ctl {

struct Command {
    /// "list", or a family and its member: "session list".
    std::string_view name;
    /// What follows the name: "USER ROLE".
    std::string_view words;
    /// The names of the options that it cannot do without, and of those that it takes beside them
    /// and beside those of all commands.
    std::span<const std::string_view> required_options;
    std::span<const std::string_view> options;
    /// What it does, for the help.
    std::string_view purpose;
    /// How many words it takes after its name, at least and at most.
    std::size_t min_words;
    std::size_t max_words;
    Exit (*run)(Context& context);
    /// What changes users is told to the audit log.
    DatabaseUse use = DatabaseUse::read;
};

/// All commands, in the order of the help.
std::span<const Command> commands();

// Each in a file of its name, or of its family's.
Exit create_schema(Context& context);
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
Exit check(Context& context);
Exit verify_audit_log(Context& context);
Exit export_users(Context& context);
Exit import_users(Context& context);

} // namespace useradmin::ctl
