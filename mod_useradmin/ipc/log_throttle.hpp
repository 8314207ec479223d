// What happens too often to be told each time.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string_view>

namespace useradmin::ipc {

/// Counts, in memory that processes share, how often something happened, and has it told so many
/// times a minute at most. Who is killed meanwhile leaves a number that is one off.
class LogThrottle {
  public:
    using Clock = std::chrono::steady_clock;

    /// Counts one more time. How often it was since it was last told, if now is the time to tell
    /// it: the first times of a minute, which begins with the first of them; 0 if not.
    std::uint64_t count(Clock::time_point now, std::uint32_t times_a_minute = 1) noexcept;
    /// Whether the minute has passed that began last.
    bool is_over(Clock::time_point now) const noexcept;

  private:
    std::atomic<std::uint64_t> suppressed_{0};
    /// When the minute began; 0: never.
    std::atomic<Clock::rep> since_{0};
    /// How often it was told within the minute.
    std::atomic<std::uint32_t> told_{0};
};

/// Tallies of several things, told apart by the tags of their lines, or by tag and client, in
/// zeroed memory that processes share.
class LogThrottles {
  public:
    /// The tally of a tag of eight bytes at most; nullptr where there are too many of them.
    LogThrottle* find(std::string_view tag) noexcept;

    /// How many lines of one tag and network are written a minute: an address is banned by then,
    /// where the recipe for fail2ban is in use.
    static constexpr std::uint32_t lines_of_client = 20;
    /// Counts a line about a client as Tally::count does, for its tag and network. Where there are
    /// too many networks at once, those without room count as one, and have one line a minute.
    std::uint64_t count(std::string_view tag, std::string_view network,
                        LogThrottle::Clock::time_point now) noexcept;

  private:
    struct Entry {
        /// 0: of none yet.
        std::atomic<std::uint64_t> tag{0};
        LogThrottle throttle;
    };
    std::array<Entry, 16> entries_;
    std::array<Entry, 512> clients_;
};

} // namespace useradmin::ipc
