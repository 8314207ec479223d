// apr_dbd connections and their source.
#pragma once

#include "store/time_budget.hpp"

#include <apr_dbd.h>
#include <apr_pools.h>

#include <span>
#include <string>

namespace useradmin::store {

class SharedSchemas;

/// An apr_dbd connection. All members live as long as the connection.
struct Connection {
    const apr_dbd_driver_t* driver = nullptr;
    apr_dbd_t* handle = nullptr;
    /// The connection's pool, for state cached with the connection. Do not allocate request data
    /// from it, because nothing is freed until the connection is closed.
    apr_pool_t* pool = nullptr;
    /// The schemas that the connection shares with others, or nullptr.
    SharedSchemas* schemas = nullptr;
    /// The statements that initialized the session, such as those of DBDInitSQL. They run again
    /// after a reconnect.
    std::span<const std::string> init_statements = {};
};

/// The outcome of an operation on a database.
enum class WorkOutcome {
    written,         ///< a write succeeded
    timed_out,       ///< a query timed out
    lock_timed_out,  ///< a database lock was not available in time
    connection_lost, ///< the connection was lost, or could not be opened
    read_only,       ///< the database is read-only, such as a standby
    failed,          ///< the database reported an error
};

/// Provides connections. Release a connection before acquiring the next.
class ConnectionSource {
  public:
    virtual ~ConnectionSource() = default;
    /// Returns a connection, or nullptr if none was available in time.
    virtual const Connection* acquire(Deadline deadline) = 0;
    virtual void release(const Connection& connection) noexcept = 0;
    /// Called on each database error and after each successful write.
    virtual void on_outcome(WorkOutcome) noexcept {}
};

} // namespace useradmin::store
