// Fast lists for large user tables on PostgreSQL, with the counts and the indexes that
// sql/postgresql/scale creates.
#pragma once

#include "store/client.hpp"
#include "store/lists.hpp"
#include "store/schema.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace useradmin::store {

/// Reads the estimated size of the user table, and whether the objects that sql/postgresql/scale
/// creates are complete and readable. Returns false on failure. `user_oid` is an expression for
/// the OID of the user table.
bool read_scale(Client& client, apr_pool_t* pool, const std::string& user_oid, Schema& schema);

/// Returns the replacements for the placeholders (@word@) in sql/postgresql/scale. The user table
/// must exist.
std::vector<std::pair<std::string, std::string>> scale_placeholders(const Schema& schema);

/// Returns the list queries that use the counts and the indexes.
const ListQueries& scaled_lists() noexcept;

} // namespace useradmin::store
