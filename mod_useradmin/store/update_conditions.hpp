// SQL conditions under which a change is made (UserAdminGuard, If-Match).
#pragma once

#include "store/dialect.hpp"
#include "store/store.hpp"

#include <string_view>

namespace useradmin::store {

/// Appends a condition that the row is a user who is not banned at the time `now`.
void append_not_banned(Statement& statement, const Table& user, text::Timestamp now);

/// Appends a condition that the row is a user with one of the roles.
void append_one_of_roles(Statement& statement, const Table& user,
                         std::span<const std::string_view> roles);

/// Appends a condition that the caller may still make the change (Actor), or TRUE if there is no
/// caller. `lock` is empty or a clause that locks the caller's row.
void append_actor(Statement& statement, const Table& user, const std::optional<Actor>& actor,
                  std::string_view lock = {});

/// Appends the guard's rule for the row useradmin_row. For keeps_last_of_role, the statement locks
/// all unbanned users with the role until the transaction ends.
void append_guard_rule(Statement& statement, const Table& user, const UpdateGuard& guard);

/// Appends a condition that the row has one of the versions.
void append_versions(Statement& statement, const Table& user, const Versions& versions);

/// Appends " AND " and the guard's conditions, if any.
void append_guard(Statement& statement, const Table& user, const UpdateGuard& guard);

/// Returns the failure of a change that the guard rejected. `keeps_rule` is whether the user
/// satisfies the guard's rule.
Failure failure_of(const UpdateGuard& guard, bool keeps_rule) noexcept;

} // namespace useradmin::store
