#pragma once

#include "store/time_budget.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace useradmin::httpd {

/// Allows at most DBDMax threads of a child to use a mod_dbd pool at a time. mod_dbd itself waits
/// without a timeout, and after an outage its waiters may never wake up.
class ConnectionLimiter {
  public:
    explicit ConnectionLimiter(int permits) noexcept : permits_(permits) {}

    /// Waits for a permit. Returns false on timeout.
    bool acquire(store::Deadline deadline);
    void release() noexcept;

    /// Locks the pool to acquire a connection. Stops waiting for the lock at the deadline. mod_dbd
    /// opens connections under its own lock and waits for that lock without a timeout. Without
    /// PoolLock, threads would wait one after another for an unresponsive database.
    class PoolLock {
      public:
        PoolLock(ConnectionLimiter& limiter, store::Deadline deadline);
        ~PoolLock();

        /// Returns whether the lock was acquired in time.
        explicit operator bool() const noexcept { return lock_.owns_lock(); }
        /// Returns whether an attempt to connect is likely to end in time. Always true if the
        /// thread has waited at most 100 ms or if there was no long hold recently. Otherwise,
        /// assumes that the attempt takes as long as the longest recent hold, and allows it to end
        /// at most one second after the deadline. time: the thread's total timeout.
        bool has_time_to_connect(store::Clock::duration time) const noexcept;
        /// Records that a connection was opened. The destructor then stores how long the lock was
        /// held, for has_time_to_connect().
        void mark_connected() noexcept { has_connected_ = true; }

      private:
        void wait();

        ConnectionLimiter& limiter_;
        store::Deadline deadline_;
        bool has_connected_ = false;
        std::unique_lock<std::timed_mutex> lock_;
        store::Clock::time_point acquired_at_;
    };

    /// While the pool is slow, lets this thread return a connection before other threads acquire
    /// one.
    class ReleasePriority {
      public:
        explicit ReleasePriority(ConnectionLimiter& limiter) noexcept
            : releases_(limiter.releases_) {
            ++releases_;
        }
        ~ReleasePriority() { --releases_; }
        ReleasePriority(const ReleasePriority&) = delete;
        ReleasePriority& operator=(const ReleasePriority&) = delete;

      private:
        std::atomic<int>& releases_;
    };

  private:
    /// Returns whether longest_hold_ is recent enough to predict the next hold.
    bool is_slow(store::Clock::time_point now) const noexcept;

    std::mutex mutex_;
    std::condition_variable freed_;
    int permits_;
    std::timed_mutex pool_mutex_;
    /// The number of threads that are returning a connection.
    std::atomic<int> releases_{0};
    /// The duration of the longest recent hold. Only a hold that opened a connection may replace it
    /// with a shorter one, because other short holds may not have involved the database. Protected
    /// by pool_mutex_, like the time when the hold ended.
    store::Clock::duration longest_hold_{0};
    store::Clock::time_point longest_hold_ended_;
};

} // namespace useradmin::httpd
