// Connections from mod_dbd, with a timeout.
#pragma once

#include "httpd/connection_limiter.hpp"
#include "httpd/httpd.hpp"
#include "httpd/metrics.hpp"
#include "store/cached_connection.hpp"
#include "text/logger.hpp"

#include <chrono>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace useradmin::httpd {

/// The module record and the optional functions of mod_dbd. All are nullptr if mod_dbd is not
/// loaded.
struct DatabaseModule {
    const module* record = nullptr;
    APR_OPTIONAL_FN_TYPE(ap_dbd_open) * open = nullptr;
    APR_OPTIONAL_FN_TYPE(ap_dbd_close) * close = nullptr;
    APR_OPTIONAL_FN_TYPE(ap_dbd_acquire) * acquire = nullptr;

    static DatabaseModule find() noexcept;

    /// Returns the connection that another module acquired for this request, or nullptr if there is
    /// none or request is nullptr. A request that waits for a second connection could cause a
    /// deadlock.
    ap_dbd_t* connection_of_request(request_rec* request) const noexcept;
};

/// Returns what is wrong with the configuration of mod_dbd, or an empty string. Call after httpd
/// has read the configuration.
std::string database_problem();

/// A child's data for a mod_dbd pool. Both modules share it.
struct PoolState {
    PoolState(int permits, std::vector<std::string> statements)
        : limiter(permits), init_statements(std::move(statements)) {}

    ConnectionLimiter limiter;
    store::SharedSchemas schemas;
    /// The statements of DBDInitSQL.
    std::vector<std::string> init_statements;
};

/// The connections of mod_dbd that a request or a background task uses.
class DatabaseConnections final : public store::ConnectionSource {
  public:
    /// timeout: how long the request may wait in total. directive: the name of the directive that
    /// sets the timeout, for the log.
    DatabaseConnections(request_rec* request, text::Logger& log, const DatabaseModule& database,
                        PoolState& pool, const Metrics& metrics, std::chrono::milliseconds timeout,
                        const char* directive) noexcept
        : DatabaseConnections(request->pool, request->server, log, database, pool, metrics, timeout,
                              directive) {
        request_ = request;
    }
    /// For a background task. The memory pool must outlive the object.
    DatabaseConnections(apr_pool_t* memory, server_rec* server, text::Logger& log,
                        const DatabaseModule& database, PoolState& pool, const Metrics& metrics,
                        std::chrono::milliseconds timeout, const char* directive) noexcept
        : memory_(memory), server_(server), log_(log), database_(database), limiter_(pool.limiter),
          schemas_(pool.schemas), init_statements_(pool.init_statements), metrics_(metrics),
          timeout_(timeout), directive_(directive) {}

    const store::Connection* acquire(store::Deadline deadline) override;
    void release(const store::Connection& connection) noexcept override;
    void on_outcome(store::WorkOutcome outcome) noexcept override { metrics_.count(outcome); }

  private:
    class ConnectionReturner;

    const store::Connection* make_connection(const ap_dbd_t& connection,
                                             store::Clock::time_point requested_at) noexcept;

    apr_pool_t* memory_;
    server_rec* server_;
    /// nullptr for a background task.
    request_rec* request_ = nullptr;
    text::Logger& log_;
    const DatabaseModule& database_;
    ConnectionLimiter& limiter_;
    store::SharedSchemas& schemas_;
    std::span<const std::string> init_statements_;
    const Metrics& metrics_;
    std::chrono::milliseconds timeout_;
    const char* directive_;
    /// The connection to close. nullptr if none is open or another module acquired it.
    ap_dbd_t* owned_connection_ = nullptr;
    /// The deadline passed to acquire().
    store::Deadline deadline_;
    store::Connection connection_;
    store::Clock::time_point acquired_at_;
};

} // namespace useradmin::httpd
