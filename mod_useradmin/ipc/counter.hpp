// A count that many add to at once.
#pragma once

#include <atomic>
#include <cstdint>

namespace useradmin::ipc {

/// Counts, in memory that processes share; zeroed memory is a count of 0. Adding takes no lock and
/// orders nothing else.
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
