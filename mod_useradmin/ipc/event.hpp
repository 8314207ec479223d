// A futex-based event in shared memory.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace useradmin::ipc {

/// Wakes all waiting threads of all processes simultaneously. Zeroed memory is a valid object.
class Event {
  public:
    using Generation = std::uint32_t;

    /// Returns the number of notifications so far. Read it before you check the condition, so no
    /// notification is missed.
    Generation generation() const noexcept { return generation_; }
    /// Wakes all waiters without blocking.
    void notify_all() noexcept;
    /// Blocks while generation() equals `observed`, at most until the deadline. Spurious wakeups
    /// are possible.
    void wait_until(Generation observed, std::chrono::steady_clock::time_point deadline) noexcept;

  private:
    std::atomic<Generation> generation_;
    static_assert(std::atomic<Generation>::is_always_lock_free &&
                      sizeof(generation_) == sizeof(Generation),
                  "a futex is a lock-free 32-bit integer");
};

} // namespace useradmin::ipc
