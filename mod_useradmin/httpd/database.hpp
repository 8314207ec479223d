// mod_dbd's connections, with a bound on the wait for one.
#pragma once

#include "httpd/connection_limiter.hpp"
#include "httpd/httpd.hpp"
#include "httpd/metrics.hpp"
#include "store/connection.hpp"
#include "text/logger.hpp"

#include <chrono>
#include <string>

namespace useradmin::httpd {

/// What mod_dbd offers.
struct DatabaseModule {
    const module* record = nullptr;
    APR_OPTIONAL_FN_TYPE(ap_dbd_open) * open = nullptr;
    APR_OPTIONAL_FN_TYPE(ap_dbd_close) * close = nullptr;
    APR_OPTIONAL_FN_TYPE(ap_dbd_acquire) * acquire = nullptr;

    /// Its functions; NULL members where it is not loaded.
    static DatabaseModule find() noexcept;

    /// The connection that another module took for this request and holds until its end; nullptr
    /// where there is none. To wait for a second one then could be to wait for oneself.
    ap_dbd_t* connection_of_request(request_rec* request) const noexcept;
};

/// The sentence that says what is missing where a configuration needs the database; empty where
/// nothing is. Looked at when the configuration has been read.
std::string database_problem();

/// mod_dbd's connections for one request.
class DatabaseConnections final : public store::ConnectionSource {
  public:
    /// The timeout is how long a request waits, and the directive the one that sets it, for the
    /// log.
    DatabaseConnections(request_rec* request, text::Logger& log, const DatabaseModule& database,
                        ConnectionLimiter& limiter, const Metrics& metrics,
                        std::chrono::milliseconds timeout, const char* directive) noexcept
        : request_(request), log_(log), database_(database), limiter_(limiter), metrics_(metrics),
          timeout_(timeout), directive_(directive) {}

    const store::Connection* acquire(store::Deadline deadline) override;
    void release(const store::Connection& connection) noexcept override;

  private:
    class ConnectionReturner;

    const store::Connection* make_connection(const ap_dbd_t& connection,
                                             store::Clock::time_point asked_at) noexcept;

    request_rec* request_;
    text::Logger& log_;
    const DatabaseModule& database_;
    ConnectionLimiter& limiter_;
    const Metrics& metrics_;
    std::chrono::milliseconds timeout_;
    const char* directive_;
    /// The connection that this opened, and has to close; nullptr for one that the request holds.
    ap_dbd_t* open_ = nullptr;
    store::Connection connection_;
    store::Clock::time_point acquired_at_;
};

} // namespace useradmin::httpd
