// The conditions under which a user is changed at all (UserAdminGuard).
#pragma once

#include "store/dialect.hpp"
#include "store/store.hpp"

#include <string_view>

namespace useradmin::store {

/// Appends a condition that the row is of a user of the role who is not banned at that time.
void append_active_of(Statement& statement, const Table& user, const Dialect& dialect,
                      std::string_view role, Timestamp now);

/// Appends a condition that the guard lets the row of the user table be changed that goes by the
/// alias useradmin_row. Where the guard wants somebody left, it keeps them as they are until the
/// statement is done.
void append_guard(Statement& statement, const Table& user, const Dialect& dialect,
                  const Guard& guard);

/// Why a guard stands in the way.
Failure failure_of(const Guard& guard) noexcept;

} // namespace useradmin::store
