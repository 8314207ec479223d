// A database connection of apr_dbd, and where connections come from.
#pragma once

#include "store/time_budget.hpp"

#include <apr_dbd.h>
#include <apr_pools.h>

namespace useradmin::store {

/// A connection of apr_dbd. All three live as long as the connection.
struct Connection {
    const apr_dbd_driver_t* driver = nullptr;
    apr_dbd_t* handle = nullptr;
    /// Lives as long as the connection: what is known of it is kept here, and nothing of a request.
    apr_pool_t* pool = nullptr;
};

/// Hands out connections and takes them back; at most one at a time.
class ConnectionSource {
  public:
    virtual ~ConnectionSource() = default;
    /// A connection, or nullptr where none could be had in time.
    virtual const Connection* acquire(Deadline deadline) = 0;
    virtual void release(const Connection& connection) noexcept = 0;
};

/// A connection that goes back to its source at the end of the scope.
class Lease {
  public:
    Lease(ConnectionSource& source, Deadline deadline)
        : source_(source), connection_(source.acquire(deadline)) {}
    ~Lease() {
        if (connection_ != nullptr)
            source_.release(*connection_);
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    explicit operator bool() const noexcept { return connection_ != nullptr; }
    const Connection& operator*() const noexcept { return *connection_; }

  private:
    ConnectionSource& source_;
    const Connection* connection_;
};

} // namespace useradmin::store
