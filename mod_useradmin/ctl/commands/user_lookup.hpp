// The user that a command is about.
#pragma once

#include "ctl/context.hpp"

#include <string_view>

namespace useradmin::ctl {

/// The user with that address, where the word has an at sign, or else with that id; a CommandError
/// where there is none. An address that is not there to the letter is looked for in lower case too.
model::User find_user(Context& context, std::string_view word);

/// Writes the user as the interface shows it.
void print(const Context& context, const model::User& user);
/// Writes the user as JSON, or the line in its stead.
void print(const Context& context, const model::User& user, std::string_view line);

/// Changes the user, and ends its sessions where the store says that they are to; a CommandError
/// where it was deleted meanwhile.
model::User change(Context& context, const model::User& user, const store::Changes& changes,
                   store::SessionPolicy sessions = store::SessionPolicy::keep);

/// A CommandError where the user table lacks the column.
void require_column(Context& context, std::string_view column);

/// A hash, in the configured format, of the password that is asked for.
crypto::Secret read_and_hash_password(const Context& context);

/// Refuses a role that is none of the three, unless --force was said.
void require_known_role(const Context& context, std::string_view role);

/// Whether the user is a superAdmin who is not banned, and there is no other.
bool is_last_super_admin(Context& context, const model::User& user);
/// Asks before a deed ("ban") that leaves no superAdmin, unless --yes was said; a CommandError
/// where the answer is no.
void confirm_last_super_admin(Context& context, const model::User& user, std::string_view deed);

} // namespace useradmin::ctl
