// Who gets to mod_dbd's connections, and when.
#pragma once

#include "store/time_budget.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>

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
        Turn(Gate& gate, store::Deadline deadline) : Turn(gate, deadline, false) {}
        /// The turn of who has waited for too long already to put a connection back. None who
        /// wants one out goes before, so that the wait is for one turn at most.
        static Turn to_put_back(Gate& gate) { return {gate, store::no_deadline, true}; }
        ~Turn();
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;

        /// Whether it came in time.
        explicit operator bool() const noexcept { return lock_.owns_lock(); }
        /// Whether there is time to wait for the database, if this turn takes as long as the
        /// longest one of late, give or take a second. Who has hardly used any of the time that
        /// there was always tries.
        bool is_long_enough(store::Clock::duration time) const noexcept;
        /// Says that a new connection was made: how long that took tells what the next turns may
        /// take, and those before it tell nothing any more.
        void has_connected() noexcept { has_connected_ = true; }

      private:
        Turn(Gate& gate, store::Deadline deadline, bool goes_first);
        void wait();

        Gate& gate_;
        store::Deadline deadline_;
        bool goes_first_;
        bool has_connected_ = false;
        std::unique_lock<std::timed_mutex> lock_;
        store::Clock::time_point begun_;
    };

  private:
    /// Whether the longest turn of late still tells what the next one may take.
    bool is_troubled(store::Clock::time_point now) const noexcept;

    std::mutex mutex_;
    std::condition_variable freed_;
    int permits_;
    std::timed_mutex turn_;
    /// How many go first.
    std::atomic<int> first_{0};
    /// The longest turn of late that took any time to speak of, or the last one that made a
    /// connection, and when it ended: a short one after it may have had no need of the database.
    /// Of who has the turn.
    store::Clock::duration longest_turn_{0};
    store::Clock::time_point longest_turn_ended_;
};

} // namespace useradmin::httpd
