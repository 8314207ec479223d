// Who gets to mod_dbd's connections, and when.
#pragma once

#include "store/time_budget.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace useradmin::httpd {

/// Lets as many threads of a child to one of mod_dbd's pools as it has connections. mod_dbd itself
/// waits without end, and after an outage its waiters can sleep on.
class ConnectionLimiter {
  public:
    explicit ConnectionLimiter(int permits) noexcept : permits_(permits) {}

    /// Whether a permit came free in time.
    bool acquire(store::Deadline deadline);
    void release() noexcept;

    /// The right to take a connection out of the pool or to put one back, which one thread has at a
    /// time, for the scope. mod_dbd opens a new one while it holds the pool, so that else one
    /// thread after the other would wait for a database that does not answer.
    class PoolLock {
      public:
        PoolLock(ConnectionLimiter& limiter, store::Deadline deadline)
            : PoolLock(limiter, deadline, false) {}
        /// The turn of who has waited for too long already to put a connection back. None who
        /// wants one out goes before, so that the wait is for one turn at most.
        static PoolLock for_release(ConnectionLimiter& limiter) {
            return {limiter, store::no_deadline, true};
        }
        ~PoolLock();
        PoolLock(const PoolLock&) = delete;
        PoolLock& operator=(const PoolLock&) = delete;

        /// Whether it came in time.
        explicit operator bool() const noexcept { return lock_.owns_lock(); }
        /// Whether there is time to wait for the database, if this turn takes as long as the
        /// longest one of late, give or take a second. Who has hardly used any of the time that
        /// there was always tries.
        bool has_time_to_connect(store::Clock::duration time) const noexcept;
        /// Says that a new connection was made: how long that took tells what the next turns may
        /// take, and those before it tell nothing any more.
        void has_connected() noexcept { has_connected_ = true; }

      private:
        PoolLock(ConnectionLimiter& limiter, store::Deadline deadline, bool has_priority);
        void wait();

        ConnectionLimiter& limiter_;
        store::Deadline deadline_;
        bool has_priority_;
        bool has_connected_ = false;
        std::unique_lock<std::timed_mutex> lock_;
        store::Clock::time_point acquired_at_;
    };

  private:
    /// Whether the longest turn of late still tells what the next one may take.
    bool is_slow(store::Clock::time_point now) const noexcept;

    std::mutex mutex_;
    std::condition_variable freed_;
    int permits_;
    std::timed_mutex pool_mutex_;
    /// How many go first.
    std::atomic<int> priority_waiters_{0};
    /// The longest turn of late that took any time to speak of, or the last one that made a
    /// connection, and when it ended: a short one after it may have had no need of the database.
    /// Of who has the turn.
    store::Clock::duration longest_hold_{0};
    store::Clock::time_point longest_hold_ended_;
};

} // namespace useradmin::httpd
