// Speaks to PostgreSQL.
#pragma once

#include "store/client.hpp"

#include <memory>

namespace useradmin::store {

/// A client for a PGconn of libpq, which outlives it. The label is Dialect::create_client's.
std::unique_ptr<Client> postgresql_client(void* connection, const char* label);

} // namespace useradmin::store
