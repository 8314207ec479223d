// Counts rejected anonymous requests. With a line for each of them, an attacker could fill the
// disk.
#pragma once

#include "audit/event.hpp"
#include "ipc/mutex.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::audit {

/// Counts refusals by network in a fixed-size table in shared memory. The first refusal of a
/// network is logged immediately. Refusals during the next minute share one line. Networks that do
/// not fit into the table share one count. If a process is killed, a count may be off by one.
class Refusals {
  public:
    using Clock = std::chrono::steady_clock;

    /// A line for several refusals describes the last one.
    struct Refusal {
        std::string_view network;
        std::string_view server;
        std::string_view operation;
        std::string_view reason;
        int status;
    };

    /// Initializes the table in zeroed memory, before processes fork. Returns false if the mutex
    /// cannot be initialized.
    [[nodiscard]] bool init() noexcept { return mutex_.init(); }

    /// The number of refusals to log in one line.
    struct Due {
        /// 0 if nothing is to be logged now.
        std::uint64_t count;
        /// Whether the refusals come from several networks.
        bool has_several_networks = false;
    };
    /// Counts a refusal. Returns the number of refusals to log now.
    Due count(const Refusal& refusal, Clock::time_point now) noexcept;

    /// Refusals that are counted but not logged yet.
    struct Pending {
        /// Empty for the shared count of several networks.
        std::string network;
        std::string server;
        std::string operation;
        std::string reason;
        int status;
        std::uint64_t count;
    };
    /// Removes and returns the counts whose minute is over. Returns an empty vector if the lock is
    /// not available within a second.
    std::vector<Pending> take_due(Clock::time_point now);
    /// Removes and returns all counts. From then on, each refusal is logged immediately. Does
    /// nothing if the lock is not available within a second.
    std::vector<Pending> close();

    /// Adds back a count that could not be logged. network: empty for the shared count of several
    /// networks.
    void restore(std::string_view network, std::uint64_t count) noexcept;

    /// The maximum number of networks with their own counts.
    static constexpr std::size_t max_networks = 256;

  private:
    template <std::size_t size>
    class Text {
      public:
        void set(std::string_view text) noexcept {
            text = text.substr(0, size);
            std::ranges::copy(text, text_.begin());
            size_ = static_cast<unsigned char>(text.size());
        }
        std::string_view view() const noexcept {
            return {text_.data(), std::min<std::size_t>(size_, size)};
        }

      private:
        std::array<char, size> text_;
        unsigned char size_;
    };

    struct Entry {
        Text<48> network;
        Text<64> server;
        Text<24> operation;
        Text<24> reason;
        int status;
        /// When the minute began, or 0 if the entry is unused.
        Clock::rep since;
        /// The number of refusals not logged yet.
        std::uint64_t count;

        bool is_over(Clock::time_point now) const noexcept;
    };

    Entry& entry_of(std::string_view network, Clock::time_point now) noexcept;
    std::vector<Pending> take(Clock::time_point now, bool is_all);

    ipc::Mutex mutex_;
    bool is_closed_;
    /// The last entry is shared by all other networks.
    std::array<Entry, max_networks + 1> entries_;
};

} // namespace useradmin::audit
