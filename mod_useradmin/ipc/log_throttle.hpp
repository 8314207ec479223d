#pragma once

#include "ipc/shared_table.hpp"

#include <cstdint>
#include <string_view>

namespace useradmin::ipc {

/// Counts log lines in shared memory. Allows one line a minute per tag, and several lines a minute
/// per tag and subject. A subject is, for example, a client's network or a virtual host.
class LogThrottle {
    /// The lines in the minute that began when the entry was written.
    struct Lines {
        std::uint64_t suppressed;
        std::uint32_t written;
    };
    // Large enough that a client with a few hundred networks does not use up the entries.
    using Table = SharedTable<Lines, 4, 64>;

  public:
    using Clock = Table::Clock;

    /// The default limit per minute. Enough lines for the fail2ban recipe to ban an address.
    static constexpr std::uint32_t max_client_lines = 20;

    /// Initializes the object in zeroed shared memory. Call before the processes fork. Returns
    /// false on failure.
    [[nodiscard]] bool init() noexcept { return lines_.init(); }

    /// Counts a line for a tag and a subject, which may be empty. Returns 0 if the line must not be
    /// written, because the minute's limit is reached: max_lines, or one line if the subject is
    /// empty. Otherwise, returns 1 plus the number of lines suppressed since the last written one.
    /// If the table has no room for the subject, counts the line for the tag only.
    std::uint64_t count(std::string_view tag, std::string_view subject, Clock::time_point now,
                        std::uint32_t max_lines = max_client_lines) noexcept;

  private:
    Table lines_;
};

} // namespace useradmin::ipc
