// Finds, prints and changes the user that a command names.
#pragma once

#include "ctl/context.hpp"

#include <initializer_list>
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

/// Returns the value of a change to a user. Throws CommandError if there is none, or if the user
/// was deleted in the meantime.
template <class T>
T value_unless_deleted(store::Result<T> result) {
    if (result.is_not_found())
        throw CommandError(Exit::not_found, "the user was deleted in the meantime");
    return value_of(std::move(result));
}

/// Throws CommandError if the user table exists but lacks one of the columns.
void require_columns(Context& context, std::initializer_list<std::string_view> columns);

/// Reads a password and returns its hash in the configured format. With --force, accepts lengths
/// that better-auth rejects (LengthPolicy::any).
crypto::Secret read_and_hash_password(const Context& context);

/// Throws CommandError if the role is unknown and --force was not given.
void require_known_role(const Context& context, std::string_view role);

/// Returns whether the user is an unbanned superAdmin.
bool is_active_super_admin(const model::User& user, text::Timestamp now);
/// Returns whether the user is the only unbanned superAdmin.
bool is_last_super_admin(Context& context, const model::User& user);
/// Asks whether to proceed although the user is the last superAdmin. Throws CommandError if the
/// answer is no or there is no terminal. action: the action in the question, such as "Ban".
void confirm_last_super_admin(const model::User& user, std::string_view action);

/// Returns the guard of a change after which the user is not an unbanned superAdmin. The guard is
/// empty with --yes.
store::UpdateGuard last_super_admin_guard(const Context& context);

/// Makes a change with the guard. If the guard rejects it because the user is the last superAdmin,
/// asks for confirmation, and then makes the change without a guard. The database decides, because
/// another process may change other superAdmins at any time. action: see
/// confirm_last_super_admin().
template <class Change>
auto change_guarded(const model::User& user, std::string_view action,
                    const store::UpdateGuard& guard, const Change& change) {
    auto changed = change(guard);
    if (!changed && changed.failure() == store::Failure::last_of_role) {
        confirm_last_super_admin(user, action);
        changed = change(store::UpdateGuard());
    }
    return value_unless_deleted(std::move(changed));
}

} // namespace useradmin::ctl
