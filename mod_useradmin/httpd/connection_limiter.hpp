// Limits the concurrent use of mod_dbd's pools.
#pragma once

#include "store/time_budget.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace useradmin::httpd {

/// Admits as many threads of a child to a pool of mod_dbd as the pool has connections. mod_dbd
/// itself waits without a timeout, and after an outage its waiters may never wake.
class ConnectionLimiter {
  public:
    explicit ConnectionLimiter(int permits) noexcept : permits_(permits) {}

    /// Waits for a permit. Returns false on timeout.
    bool acquire(store::Deadline deadline);
    void release() noexcept;

    /// A lock on the pool for acquiring or returning a connection. mod_dbd opens connections while
    /// it locks its pool. Without this lock, one thread after another would wait for an
    /// unresponsive database.
    class PoolLock {
      public:
        PoolLock(ConnectionLimiter& limiter, store::Deadline deadline)
            : PoolLock(limiter, deadline, false) {}
        /// Locks for a thread that returns a connection after its deadline. It takes precedence
        /// over threads that want one, so it waits for at most one holder.
        static PoolLock for_release(ConnectionLimiter& limiter) {
            return {limiter, store::no_deadline, true};
        }
        ~PoolLock();
        PoolLock(const PoolLock&) = delete;
        PoolLock& operator=(const PoolLock&) = delete;

        /// Returns whether the lock was acquired in time.
        explicit operator bool() const noexcept { return lock_.owns_lock(); }
        /// Returns whether the remaining time suffices to connect if that takes as long as the
        /// recent maximum, with a tolerance of a second. time: the thread's whole timeout; a thread
        /// that has used little of it always tries.
        bool has_time_to_connect(store::Clock::duration time) const noexcept;
        /// Notes that a connection was opened. The destructor records how long that took, to
        /// predict the next ones.
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
    /// The longest recent hold of the lock, or that of the last new connection, and when it ended.
    /// A shorter hold may not have involved the database. Protected by pool_mutex_.
    store::Clock::duration longest_hold_{0};
    store::Clock::time_point longest_hold_ended_;
};

} // namespace useradmin::httpd
