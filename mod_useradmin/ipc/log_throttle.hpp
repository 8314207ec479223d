// Rate limit for log lines.
#pragma once

#include "ipc/shared_table.hpp"

#include <chrono>
#include <cstdint>
#include <string_view>

namespace useradmin::ipc {

/// Counts log lines in shared memory. Allows one line a minute per tag, and a number of lines a
/// minute per tag and subject, such as a client's network or a virtual host.
class LogThrottle {
    /// The lines of the minute that began when the entry was written.
    struct Lines {
        std::uint64_t suppressed;
        std::uint32_t written;
    };
    using Table = SharedTable<Lines, 1, 64>;

  public:
    using Clock = Table::Clock;

    /// Enough lines for the fail2ban recipe to ban an address.
    static constexpr std::uint32_t max_client_lines = 20;

    /// Initializes the object in zeroed shared memory, before the processes fork. Returns false on
    /// failure.
    [[nodiscard]] bool init() noexcept { return lines_.init(); }

    /// Counts a line of a tag, about a subject if that is not empty, with at most max_lines a
    /// minute. Returns how many lines this one represents, including those suppressed since the
    /// last written one; 0: do not write it. If there is no room for the subject, the line counts
    /// as one of the tag alone.
    std::uint64_t count(std::string_view tag, std::string_view subject, Clock::time_point now,
                        std::uint32_t max_lines = max_client_lines) noexcept;

  private:
    Table lines_;
};

} // namespace useradmin::ipc
