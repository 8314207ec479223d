// Long lists on PostgreSQL with the objects of sql/postgresql/scale: counts by role, and an index
// of searches.
#pragma once

#include "store/client.hpp"
#include "store/lists.hpp"
#include "store/schema.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace useradmin::store {

/// Reads into the schema how large the user table is, and whether it has these objects: complete,
/// with all triggers, and readable. The expression gives the table's oid.
std::optional<ErrorKind> read_scale(Client& client, apr_pool_t* pool, const std::string& user_oid,
                                    Schema& schema);

/// What stands for the words at signs in the files of sql/postgresql/scale. The user table must be
/// there.
std::vector<std::pair<std::string, std::string>> scale_placeholders(const Schema& schema,
                                                                    const Dialect& dialect);

/// Lists with these objects.
const ListQueries& scaled_lists() noexcept;

} // namespace useradmin::store
