// mod_dbd's connections, with a bound on the wait for one.
#pragma once

#include "httpd/httpd.hpp"
#include "httpd/log.hpp"
#include "store/connection.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>

namespace useradmin::httpd {

/// Lets as many threads of a child to one of mod_dbd's pools as it has connections. mod_dbd itself
/// waits without end, and after an outage its waiters can sleep on.
class Gate {
  public:
    explicit Gate(int permits) noexcept : permits_(permits) {}

    /// Whether a permit came free in time.
    bool enter(store::Deadline deadline);
    void leave() noexcept;

    /// The right to take a connection out of the pool or to put one back, which one thread has at a
    /// time, for the scope. mod_dbd opens a new one while it holds the pool, so that else one
    /// thread after the other would wait for a database that does not answer.
    class Turn {
      public:
        Turn(Gate& gate, store::Deadline deadline);
        ~Turn();
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;

        /// Whether it came in time.
        explicit operator bool() const noexcept { return lock_.owns_lock(); }
        /// Whether there is time to wait for the database, if this turn takes as long as the last
        /// one, give or take a second. Who has hardly waited since then always tries.
        bool is_long_enough(store::Clock::time_point since) const noexcept;

      private:
        Gate& gate_;
        store::Deadline deadline_;
        std::unique_lock<std::timed_mutex> lock_;
        store::Clock::time_point begun_;
    };

  private:
    std::mutex mutex_;
    std::condition_variable freed_;
    int permits_;
    std::timed_mutex turn_;
    /// How long the last turn took. Of who has the turn.
    store::Clock::duration last_turn_{0};
};

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
    ap_dbd_t* held_by(request_rec* request) const noexcept;
};

/// The sentence that says what is missing where a configuration needs the database; empty where
/// nothing is. Looked at when the configuration has been read.
std::string database_problem();

/// mod_dbd's connections for one request.
class DatabaseConnections final : public store::ConnectionSource {
  public:
    /// The timeout is how long a request waits, and the directive the one that sets it, for the
    /// log.
    DatabaseConnections(request_rec* request, RequestLog& log, const DatabaseModule& database,
                        Gate& gate, std::chrono::milliseconds timeout,
                        const char* directive) noexcept
        : request_(request), log_(log), database_(database), gate_(gate), timeout_(timeout),
          directive_(directive) {}

    const store::Connection* acquire(store::Deadline deadline) override;
    void release(const store::Connection& connection) noexcept override;

  private:
    class PutBack;

    const store::Connection* hand_out(const ap_dbd_t& connection) noexcept;

    request_rec* request_;
    RequestLog& log_;
    const DatabaseModule& database_;
    Gate& gate_;
    std::chrono::milliseconds timeout_;
    const char* directive_;
    /// The connection that this opened, and has to close; nullptr for one that the request holds.
    ap_dbd_t* open_ = nullptr;
    store::Connection connection_;
};

} // namespace useradmin::httpd
