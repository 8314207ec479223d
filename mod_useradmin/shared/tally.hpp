// What happens too often to be told each time.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace useradmin::shared {

/// Counts, in memory that processes share, how often something happened, and has it told once a
/// minute at most. Who is killed meanwhile leaves a number that is one off.
class Tally {
  public:
    using Clock = std::chrono::steady_clock;

    /// Counts one more time. How often it was since it was last told, if now is the time to tell
    /// it: the first time, and when a minute has passed; 0 if not.
    std::uint64_t count(Clock::time_point now) noexcept;

  private:
    std::atomic<std::uint64_t> times_{0};
    /// 0: never.
    std::atomic<Clock::rep> told_at_{0};
};

} // namespace useradmin::shared
