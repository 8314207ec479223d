// A connection, with its client and what is known of its database.
#pragma once

#include "store/dialect.hpp"

#include <apr_time.h>

#include <memory>
#include <optional>

namespace useradmin::store {

/// Lives in the connection's pool, from the first use of the connection to its end.
class CachedConnection {
  public:
    explicit CachedConnection(std::unique_ptr<Client> client) noexcept
        : client_(std::move(client)) {}

    /// What is known of the connection, kept with it under the label.
    static CachedConnection& get(const Connection& connection, const Dialect& dialect,
                                 const char* label);

    Client& client() noexcept { return *client_; }
    const Schema& schema() const noexcept { return schema_; }

    /// Reads the catalogue, unless what is known of it is younger than ten seconds: a column that
    /// was added is seen without a restart. What kept it from being read, or nothing.
    std::optional<ErrorKind> refresh_schema(const Dialect& dialect, const TableNames& names,
                                            apr_pool_t* pool);
    /// Lets the catalogue be read again, and forgets what was prepared.
    void invalidate_schema();
    /// Whether the server answers. One that did within the last second counts as answering, unless
    /// it has ended the connection.
    bool is_alive();

  private:
    std::unique_ptr<Client> client_;
    Schema schema_;
    apr_time_t schema_read_at_ = 0;
    apr_time_t last_used_at_ = 0;
};

} // namespace useradmin::store
