// mod_dbd's connections, with a bounded wait.
#pragma once

#include "httpd/connection_limiter.hpp"
#include "httpd/httpd.hpp"
#include "httpd/metrics.hpp"
#include "store/cached_connection.hpp"
#include "text/logger.hpp"

#include <chrono>
#include <string>

namespace useradmin::httpd {

/// mod_dbd's functions.
struct DatabaseModule {
    const module* record = nullptr;
    APR_OPTIONAL_FN_TYPE(ap_dbd_open) * open = nullptr;
    APR_OPTIONAL_FN_TYPE(ap_dbd_close) * close = nullptr;
    APR_OPTIONAL_FN_TYPE(ap_dbd_acquire) * acquire = nullptr;

    /// Returns the functions; nullptr if mod_dbd is not loaded.
    static DatabaseModule find() noexcept;

    /// Returns the connection that another module acquired for this request, or nullptr, also
    /// without a request. Waiting for a second one could deadlock.
    ap_dbd_t* connection_of_request(request_rec* request) const noexcept;
};

/// Returns what is missing in the configuration of the database, as a sentence; otherwise an empty
/// string. Call it after the configuration was read.
std::string database_problem();

/// A child's data for a pool of mod_dbd, which both modules share.
struct PoolState {
    explicit PoolState(int permits) noexcept : limiter(permits) {}

    ConnectionLimiter limiter;
    store::SharedSchemas schemas;
};

/// mod_dbd's connections for a request or a background task.
class DatabaseConnections final : public store::ConnectionSource {
  public:
    /// timeout: how long a request waits. directive: the name of its directive, for the log.
    DatabaseConnections(request_rec* request, text::Logger& log, const DatabaseModule& database,
                        PoolState& pool, const Metrics& metrics, std::chrono::milliseconds timeout,
                        const char* directive) noexcept
        : DatabaseConnections(request->pool, request->server, log, database, pool, metrics, timeout,
                              directive) {
        request_ = request;
    }
    /// For a background task. The object must not outlive the memory pool.
    DatabaseConnections(apr_pool_t* memory, server_rec* server, text::Logger& log,
                        const DatabaseModule& database, PoolState& pool, const Metrics& metrics,
                        std::chrono::milliseconds timeout, const char* directive) noexcept
        : memory_(memory), server_(server), log_(log), database_(database), limiter_(pool.limiter),
          schemas_(pool.schemas), metrics_(metrics), timeout_(timeout), directive_(directive) {}

    const store::Connection* acquire(store::Deadline deadline) override;
    void release(const store::Connection& connection) noexcept override;
    void on_outcome(store::WorkOutcome outcome) noexcept override { metrics_.count(outcome); }

  private:
    class ConnectionReturner;

    const store::Connection* make_connection(const ap_dbd_t& connection,
                                             store::Clock::time_point asked_at) noexcept;

    apr_pool_t* memory_;
    server_rec* server_;
    /// nullptr if there is none.
    request_rec* request_ = nullptr;
    text::Logger& log_;
    const DatabaseModule& database_;
    ConnectionLimiter& limiter_;
    store::SharedSchemas& schemas_;
    const Metrics& metrics_;
    std::chrono::milliseconds timeout_;
    const char* directive_;
    /// The connection to close; nullptr if another module acquired it.
    ap_dbd_t* open_ = nullptr;
    store::Connection connection_;
    store::Clock::time_point acquired_at_;
};

} // namespace useradmin::httpd
