// mod_dbd's connections, with a bound on the wait for one.
#pragma once

#include "httpd/httpd.hpp"
#include "httpd/log.hpp"
#include "store/connection.hpp"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

namespace useradmin::httpd {

/// Lets as many threads of a child to mod_dbd as it has connections. mod_dbd itself waits without
/// end, and after an outage its waiters can sleep on.
class Gate {
  public:
    explicit Gate(int permits) noexcept : permits_(permits) {}

    /// Whether a permit came free within the time.
    bool enter(std::chrono::milliseconds timeout);
    void leave() noexcept;

  private:
    std::mutex mutex_;
    std::condition_variable freed_;
    int permits_;
};

/// The gate of this child, the same for both modules; made at the first call, in the child's pool.
Gate& gate_of_child(apr_pool_t* child_pool, int permits);

/// Visits every directive of the configuration with that name, a section's ("<Location") too.
void each_directive(const char* name,
                    const std::function<void(const char* arguments, bool is_top)>& visit);

/// The smallest DBDMax of the configuration: how many connections a child may hold.
int smallest_connection_limit();

/// What mod_dbd offers.
struct DatabaseModule {
    APR_OPTIONAL_FN_TYPE(ap_dbd_open) * open;
    APR_OPTIONAL_FN_TYPE(ap_dbd_close) * close;

    /// Its functions; NULL members where it is not loaded.
    static DatabaseModule find();
};

/// The sentence that says what is missing where a configuration needs the database; nullptr where
/// nothing is. Looked at when the configuration has been read.
const char* database_problem();

/// mod_dbd's connections for one request.
class DatabaseConnections final : public store::ConnectionSource {
  public:
    DatabaseConnections(request_rec* request, RequestLog& log, const DatabaseModule& database,
                        Gate& gate, std::chrono::milliseconds timeout) noexcept
        : request_(request), log_(log), database_(database), gate_(gate), timeout_(timeout) {}

    const store::Connection* acquire() override;
    void release(const store::Connection& connection) noexcept override;

  private:
    request_rec* request_;
    RequestLog& log_;
    const DatabaseModule& database_;
    Gate& gate_;
    std::chrono::milliseconds timeout_;
    ap_dbd_t* open_ = nullptr;
    store::Connection connection_;
};

} // namespace useradmin::httpd
