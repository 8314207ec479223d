// An event with many waiters, in shared memory.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace useradmin::ipc {

/// Wakes all waiting threads of all processes at once. Zeroed memory is a valid object.
class Event {
  public:
    using Generation = std::uint32_t;

    /// Returns the number of notifications so far. Read it before checking the condition.
    Generation generation() const noexcept { return generation_; }
    /// Wakes all waiters. Never blocks.
    void notify_all() noexcept;
    /// Blocks while generation() is `observed`, until the deadline at the latest. Spurious wakeups
    /// are possible.
    void wait_until(Generation observed, std::chrono::steady_clock::time_point deadline) noexcept;

  private:
    std::atomic<Generation> generation_;
    static_assert(std::atomic<Generation>::is_always_lock_free &&
                      sizeof(generation_) == sizeof(Generation),
                  "the system would not wait for it");
};

} // namespace useradmin::ipc
