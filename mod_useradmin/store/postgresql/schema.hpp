// Reads the catalog of a PostgreSQL database.
#pragma once

#include "store/dialect.hpp"

#include <span>
#include <string>

namespace useradmin::store {

/// Implements Dialect::read_schema.
bool read_postgresql_schema(Client& client, apr_pool_t* pool, const TableNames& names,
                            Schema& schema);

/// Implements Dialect::indexes_query.
std::string postgresql_indexes_query(const Schema& schema);

/// Implements Dialect::missing_privileges_query.
std::string postgresql_missing_privileges_query(const Schema& schema,
                                                std::span<const Privilege> privileges);

/// Implements Dialect::untrusted_roles_query.
std::string postgresql_untrusted_roles_query(const Schema& schema);

} // namespace useradmin::store
