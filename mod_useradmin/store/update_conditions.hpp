// Conditions of a change (UserAdminGuard, If-Match).
#pragma once

#include "store/dialect.hpp"
#include "store/store.hpp"

#include <string_view>

namespace useradmin::store {

/// Appends a condition that the row is a user with the role who is not banned at the time.
void append_active_with_role(Statement& statement, const Table& user, const Dialect& dialect,
                             std::string_view role, text::Timestamp now);

/// Appends a condition that the row is a user who is not banned at the time.
void append_not_banned(Statement& statement, const Table& user, text::Timestamp now);

/// Appends a condition that the row is a user with one of the roles.
void append_one_of_roles(Statement& statement, const Table& user, const Dialect& dialect,
                         std::span<const std::string_view> roles);

/// Appends a condition that the caller may still make the change (Actor). Without a caller, it is
/// always true.
void append_actor(Statement& statement, const Table& user, const Dialect& dialect,
                  const std::optional<Actor>& actor);

/// Appends the guard's rule for the row with the alias useradmin_row. If the rule requires another
/// user with the role to remain, locks these users until the transaction ends.
void append_guard_rule(Statement& statement, const Table& user, const Dialect& dialect,
                       const UpdateGuard& guard);

/// Appends a condition that the row has one of the versions.
void append_versions(Statement& statement, const Table& user, const Dialect& dialect,
                     const Versions& versions);

/// Appends " AND " and the guard's conditions, if any.
void append_guard(Statement& statement, const Table& user, const Dialect& dialect,
                  const UpdateGuard& guard);

/// Returns the guard's failure for a user, given whether the user satisfies its rule.
Failure failure_of(const UpdateGuard& guard, bool keeps_rule) noexcept;

} // namespace useradmin::store
