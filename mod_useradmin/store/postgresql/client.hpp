// The client for PostgreSQL.
#pragma once

#include "store/client.hpp"

#include <memory>

namespace useradmin::store {

/// Returns a client for a PGconn, which must outlive it. For label, see Dialect::create_client.
std::unique_ptr<Client> postgresql_client(void* connection, const char* label);

} // namespace useradmin::store
