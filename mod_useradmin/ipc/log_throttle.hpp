// Rate limit for log lines.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string_view>

namespace useradmin::ipc {

/// Counts occurrences in shared memory and has them logged at most once a minute. If a process is
/// killed meanwhile, the number may be off by one.
class LogThrottle {
  public:
    using Clock = std::chrono::steady_clock;

    /// Counts an occurrence. Returns the number since the last report if it is time to report (the
    /// first time, then after a minute), otherwise 0.
    std::uint64_t count(Clock::time_point now, std::uint32_t times_a_minute = 1) noexcept;
    /// Forgets occurrences that were not reported.
    void reset() noexcept;
    /// Returns whether the current minute is over.
    bool is_over(Clock::time_point now) const noexcept;

  private:
    std::atomic<std::uint64_t> suppressed_{0};
    /// The start of the current minute; 0: none.
    std::atomic<Clock::rep> since_{0};
    /// The number of reports within the minute.
    std::atomic<std::uint32_t> told_{0};
};

/// Throttles by log tag, in zeroed shared memory.
class LogThrottles {
  public:
    /// Returns the throttle of a tag of at most eight bytes, or nullptr if there are too many.
    LogThrottle* find(std::string_view tag) noexcept;

    /// How many lines of one tag and network are written a minute: an address is banned by then,
    /// where the recipe for fail2ban is in use.
    static constexpr std::uint32_t lines_of_client = 20;
    /// Counts a line about a client as LogThrottle::count does, for its tag and network. Where
    /// there are too many networks at once, those without room count as one, and have one line a
    /// minute.
    std::uint64_t count(std::string_view tag, std::string_view network,
                        LogThrottle::Clock::time_point now) noexcept;

  private:
    struct Entry {
        /// 0: unused.
        std::atomic<std::uint64_t> tag{0};
        LogThrottle throttle;
    };
    std::array<Entry, 16> entries_;
    std::array<Entry, 512> clients_;
};

} // namespace useradmin::ipc
