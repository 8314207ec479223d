// What many wait for, in memory that processes share.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace useradmin::ipc {

/// Wakes all who wait for it, in whichever processes, at once. Zeroed memory is one that was never
/// given.
class Broadcast {
  public:
    using Number = std::uint32_t;

    /// How often it was given: to be looked at before what it is to tell of.
    Number number() const noexcept { return number_; }
    /// Does not wait.
    void give() noexcept;
    /// Waits until it has been given since that number was looked at, or until that time, and may
    /// return for nothing.
    void wait_until(Number seen, std::chrono::steady_clock::time_point deadline) noexcept;

  private:
    std::atomic<Number> number_;
    static_assert(std::atomic<Number>::is_always_lock_free && sizeof(number_) == sizeof(Number),
                  "the system would not wait for it");
};

} // namespace useradmin::ipc
