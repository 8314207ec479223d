// A counter for concurrent use.
#pragma once

#include <atomic>
#include <cstdint>

namespace useradmin::ipc {

/// A counter in shared memory. Zeroed memory is 0. Adding is lock-free, with relaxed ordering.
class Counter {
  public:
    void add(std::uint64_t amount = 1) noexcept {
        value_.fetch_add(amount, std::memory_order_relaxed);
    }
    std::uint64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

  private:
    std::atomic<std::uint64_t> value_{0};
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free,
              "a lock would not be shared by processes");

} // namespace useradmin::ipc
