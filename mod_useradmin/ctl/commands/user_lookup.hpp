// Finds and prints the user that a command names.
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

} // namespace useradmin::ctl
