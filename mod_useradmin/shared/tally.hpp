// What happens too often to be told each time.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string_view>

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

/// Tallies of several things, told apart by the tags of their lines, in zeroed memory that
/// processes share.
class Tallies {
  public:
    /// The tally of a tag of eight bytes at most; nullptr where there are too many of them.
    Tally* of(std::string_view tag) noexcept;

  private:
    struct Entry {
        /// 0: of none yet.
        std::atomic<std::uint64_t> tag{0};
        Tally tally;
    };
    std::array<Entry, 16> entries_;
};

} // namespace useradmin::shared
