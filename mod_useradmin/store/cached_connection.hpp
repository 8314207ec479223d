// A connection with its client and cached schema.
#pragma once

#include "store/dialect.hpp"

#include <apr_time.h>

#include <memory>
#include <optional>

namespace useradmin::store {

/// Lives in the connection's pool from the first use of the connection to its end.
class CachedConnection {
  public:
    explicit CachedConnection(std::unique_ptr<Client> client) noexcept
        : client_(std::move(client)) {}

    /// Returns the state kept with the connection under the label.
    static CachedConnection& get(const Connection& connection, const Dialect& dialect,
                                 const char* label);

    Client& client() noexcept { return *client_; }
    const Schema& schema() const noexcept { return schema_; }

    /// Reads the catalogue if the cached schema is older than ten seconds, so that new columns
    /// appear without a restart. Returns the error, or nothing.
    std::optional<ErrorKind> refresh_schema(const Dialect& dialect, const TableNames& names,
                                            apr_pool_t* pool);
    /// Invalidates the schema and discards prepared statements.
    void invalidate_schema();
    /// Returns whether the server responds. Within a second of the last response, assumes so unless
    /// the server closed the connection.
    bool is_alive();

  private:
    std::unique_ptr<Client> client_;
    Schema schema_;
    apr_time_t schema_read_at_ = 0;
    apr_time_t last_used_at_ = 0;
};

} // namespace useradmin::store
