#pragma once

#include "store/client.hpp"

#include <memory>

namespace useradmin::store {

/// Returns a client for a PGconn. The PGconn must outlive the client. For `label`, see
/// Dialect::create_client.
std::unique_ptr<Client> postgresql_client(void* connection, const char* label);

/// Rolls back the transaction of a client that postgresql_client() returned. If this fails, closes
/// the connection, so the server rolls back.
void roll_back(Client& client) noexcept;

} // namespace useradmin::store
