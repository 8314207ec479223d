// Rate limit for log lines.
#pragma once

#include "ipc/shared_table.hpp"

#include <chrono>
#include <cstdint>
#include <string_view>

namespace useradmin::ipc {

/// Counts log lines in shared memory. Of a tag, one line is written a minute; of a tag about a
/// client, twenty for each network.
class LogThrottle {
    /// The lines of the minute that began when the entry was written.
    struct Lines {
        std::uint64_t suppressed;
        std::uint32_t written;
    };
    using Table = SharedTable<Lines, 1, 64>;

  public:
    using Clock = Table::Clock;

    /// By then, an address is banned if the recipe for fail2ban is in use.
    static constexpr std::uint32_t max_client_lines = 20;

    /// Initializes the object in zeroed shared memory, before the processes fork. Returns false if
    /// the system refuses.
    [[nodiscard]] bool init() noexcept { return lines_.init(); }

    /// Counts a line of a tag, about a client if there is a network. Returns how many lines since
    /// the last written one it stands for; 0: do not write it. The lines about networks without
    /// room count as those of the tag.
    std::uint64_t count(std::string_view tag, std::string_view network,
                        Clock::time_point now) noexcept;

  private:
    Table lines_;
};

} // namespace useradmin::ipc
