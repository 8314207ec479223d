// What many wait for, in memory that processes share.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace useradmin::ipc {

/// Wakes all who wait for it, in whichever processes, at once. Zeroed memory is one that was never
/// given.
class Event {
  public:
    using Generation = std::uint32_t;

    /// How often it was given: to be looked at before what it is to tell of.
    Generation generation() const noexcept { return generation_; }
    /// Does not wait.
    void notify_all() noexcept;
    /// Waits until it has been given since that number was looked at, or until that time, and may
    /// return for nothing.
    void wait_until(Generation observed, std::chrono::steady_clock::time_point deadline) noexcept;

  private:
    std::atomic<Generation> generation_;
    static_assert(std::atomic<Generation>::is_always_lock_free &&
                      sizeof(generation_) == sizeof(Generation),
                  "the system would not wait for it");
};

} // namespace useradmin::ipc
