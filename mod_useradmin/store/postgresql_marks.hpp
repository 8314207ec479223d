// Pages in the middle of an order, by the marks that sql/postgresql/scale/marks.sql lays along it.
#pragma once

#include "store/dialect.hpp"
#include "store/store.hpp"
#include "store/work.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace useradmin::store {

/// From here on, marks are looked for: before, the users of the list are gone through.
std::int64_t least_marked_offset(const Text& role, std::int64_t total) noexcept;

/// The page of all users, or those of a role, in an order, of which there are so many. Nothing
/// where the marks do not tell.
Result<std::optional<std::vector<User>>> marked_page(Work& work, const Dialect& dialect,
                                                     const Text& role, std::int64_t total,
                                                     const Window& window);

/// The query of the orders that have marks, for marks.sql: name, key, direction.
std::string marked_orders(const Table& user, const Dialect& dialect);

} // namespace useradmin::store
