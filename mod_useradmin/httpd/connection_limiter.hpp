#pragma once

#include "store/time_budget.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace useradmin::httpd {

/// Limits the number of a child's threads that use a mod_dbd pool to DBDMax. mod_dbd itself waits
/// without a timeout, and after an outage its waiters may never wake up.
class ConnectionLimiter {
  public:
    explicit ConnectionLimiter(int permits) noexcept : permits_(permits) {}

    /// Waits for a permit. Returns false on timeout.
    bool acquire(store::Deadline deadline);
    void release() noexcept;

    /// A lock on the pool for acquiring or returning a connection. mod_dbd holds its own pool lock
    /// while it opens a connection. Without this lock, one thread after another would wait for an
    /// unresponsive database.
    class PoolLock {
      public:
        PoolLock(ConnectionLimiter& limiter, store::Deadline deadline)
            : PoolLock(limiter, deadline, false) {}
        /// Locks the pool for a thread that returns a connection after its deadline. The thread
        /// takes precedence over those that want a connection, so it waits for at most one holder.
        static PoolLock for_release(ConnectionLimiter& limiter) {
            return {limiter, store::no_deadline, true};
        }
        ~PoolLock();
        PoolLock(const PoolLock&) = delete;
        PoolLock& operator=(const PoolLock&) = delete;

        /// Returns whether the lock was acquired in time.
        explicit operator bool() const noexcept { return lock_.owns_lock(); }
        /// Returns whether the remaining time is enough to connect, judging by the longest recent
        /// hold and a tolerance of a second. time: the thread's whole timeout. A thread that has
        /// used little of it may always try.
        bool has_time_to_connect(store::Clock::duration time) const noexcept;
        /// Records that a connection was opened. The destructor then stores the duration to predict
        /// the next ones.
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
    /// Returns whether longest_hold_ is recent enough to predict the next hold.
    bool is_slow(store::Clock::time_point now) const noexcept;

    std::mutex mutex_;
    std::condition_variable freed_;
    int permits_;
    std::timed_mutex pool_mutex_;
    /// The number of waiting threads with priority.
    std::atomic<int> priority_waiters_{0};
    /// The longest recent hold of the lock, or the last hold that opened a connection, and when it
    /// ended. A shorter hold may not have involved the database. Protected by pool_mutex_.
    store::Clock::duration longest_hold_{0};
    store::Clock::time_point longest_hold_ended_;
};

} // namespace useradmin::httpd
