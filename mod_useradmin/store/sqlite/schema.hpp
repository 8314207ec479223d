// Reads the catalog of an SQLite database.
#pragma once

#include "store/dialect.hpp"
#include "store/sqlite/client.hpp"

namespace useradmin::store {

/// Implements Dialect::read_schema.
bool read_sqlite_schema(SqliteClient& client, apr_pool_t* pool, const TableNames& names,
                        Schema& schema);

} // namespace useradmin::store
