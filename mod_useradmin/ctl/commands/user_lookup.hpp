// Finds, prints and changes the user that a command names.
#pragma once

#include "ctl/context.hpp"

#include <string_view>
#include <utility>

namespace useradmin::ctl {

/// Finds a user by address if the word contains an at sign, otherwise by id. If no user has the
/// address as given, tries it in lower case. Throws CommandError if there is no such user. Sets the
/// target of the audit line.
model::User find_user(Context& context, std::string_view word);

/// Prints the user's fields or, with --json, the API's response.
void print(const Context& context, const model::User& user);
/// Prints the line or, with --json, the user.
void print(const Context& context, const model::User& user, std::string_view line);

/// Changes the user and, if required, ends the user's sessions. Throws CommandError if the user was
/// deleted in the meantime.
model::User change(Context& context, const model::User& user, const store::Changes& changes,
                   store::SessionPolicy sessions = store::SessionPolicy::keep);

/// Returns the value of a change to a user. Throws CommandError if there is none, or if the user
/// was deleted in the meantime.
template <class T>
T value_unless_deleted(store::Result<T> result) {
    if (result.is_not_found())
        throw CommandError(Exit::not_found, "the user was deleted in the meantime");
    return value_of(std::move(result));
}

/// Throws CommandError if the user table exists but lacks the column.
void require_column(Context& context, std::string_view column);

/// Reads a password and returns its hash in the configured format. With --force, accepts lengths
/// that better-auth rejects (LengthPolicy::any).
crypto::Secret read_and_hash_password(const Context& context);

/// Throws CommandError if the role is unknown and --force was not given.
void require_known_role(const Context& context, std::string_view role);

/// Returns whether the user is an unbanned superAdmin.
bool is_active_super_admin(const model::User& user, text::Timestamp now);
/// Returns whether the user is the only unbanned superAdmin.
bool is_last_super_admin(Context& context, const model::User& user);
/// Asks for confirmation if the user is the last superAdmin and --yes was not given. Throws
/// CommandError if the answer is no or there is no terminal. action: the action in the question,
/// such as "Ban".
void confirm_last_super_admin(Context& context, const model::User& user, std::string_view action);

} // namespace useradmin::ctl
