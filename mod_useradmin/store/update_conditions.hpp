// The conditions under which a user is changed at all (UserAdminGuard, If-Match).
#pragma once

#include "store/dialect.hpp"
#include "store/store.hpp"

#include <string_view>

namespace useradmin::store {

/// Appends a condition that the row is of a user of the role who is not banned at that time.
void append_active_with_role(Statement& statement, const Table& user, const Dialect& dialect,
                             std::string_view role, text::Timestamp now);

/// Appends a condition that the row is of a user who is not banned at that time.
void append_not_banned(Statement& statement, const Table& user, text::Timestamp now);

/// Appends a condition that the row is of a user who has one of the roles.
void append_one_of_roles(Statement& statement, const Table& user, const Dialect& dialect,
                         std::span<const std::string_view> roles);

/// Appends a condition that the caller may still make the change (Actor), or that is always true
/// without a caller.
void append_actor(Statement& statement, const Table& user, const Dialect& dialect,
                  const std::optional<Actor>& actor);

/// Appends a condition that the guard's rule lets the row of the user table be changed that goes by
/// the alias useradmin_row. Where the rule wants somebody left, it keeps them as they are until the
/// statement is done.
void append_guard_rule(Statement& statement, const Table& user, const Dialect& dialect,
                       const UpdateGuard& guard);

/// Appends a condition that the row is of one of the versions.
void append_versions(Statement& statement, const Table& user, const Dialect& dialect,
                     const Versions& versions);

/// Appends " AND " and the guard's conditions, where it has any.
void append_guard(Statement& statement, const Table& user, const Dialect& dialect,
                  const UpdateGuard& guard);

/// Why a guard stands in the way of a user who is as its rule wants, or is not.
Failure failure_of(const UpdateGuard& guard, bool keeps_rule) noexcept;

} // namespace useradmin::store
