#pragma once

#include "store/client.hpp"
#include "store/connection.hpp"

#include <memory>
#include <string>

namespace useradmin::store {

/// See Dialect::create_client. The connection must outlive the client.
std::unique_ptr<Client> postgresql_client(const Connection& connection, const char* label);

/// Returns whether a connection string or URI of libpq contains a password. Returns false if it is
/// invalid.
bool has_postgresql_password(const std::string& parameters);

/// Rolls back the transaction of a client that postgresql_client() returned. If this fails, closes
/// the connection, so the server rolls back.
void roll_back(Client& client) noexcept;

} // namespace useradmin::store
