// The client for PostgreSQL.
#pragma once

#include "store/client.hpp"

#include <memory>

namespace useradmin::store {

/// Returns a client for a PGconn, which must outlive it. For label, see Dialect::create_client.
std::unique_ptr<Client> postgresql_client(void* connection, const char* label);

/// Rolls back a transaction of such a client. Without the memory for that, closes the connection,
/// so that the server does it.
void roll_back(Client& client) noexcept;

} // namespace useradmin::store
