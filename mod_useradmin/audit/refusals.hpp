// Counts the refusals of anonymous callers, so that they cannot fill a disk with lines.
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

/// Counts refusals for each network, in a table of fixed size in memory that processes share. The
/// first refusal of a network has a line at once; those of the following minute have one line
/// together. Networks for which the table has no room share one count. A process that is killed
/// leaves counts that are one off.
class Refusals {
  public:
    using Clock = std::chrono::steady_clock;

    /// What is known of a refusal. A line about several has the last one's.
    struct Refusal {
        std::string_view network;
        std::string_view server;
        std::string_view operation;
        std::string_view reason;
        int status;
    };

    /// Initializes the table, in zeroed memory, before processes fork; false where the system
    /// refuses.
    [[nodiscard]] bool init() noexcept { return mutex_.init(); }

    /// For how many refusals a line is to be written.
    struct Due {
        /// 0: no line now.
        std::uint64_t count;
        /// Whether they are of several networks.
        bool is_of_many = false;
    };
    /// Counts a refusal. Returns for how many its line stands.
    Due count(const Refusal& refusal, Clock::time_point now) noexcept;

    /// Refusals that have been counted without a line.
    struct Pending {
        /// Empty for several networks.
        std::string network;
        std::string server;
        std::string operation;
        std::string reason;
        int status;
        std::uint64_t count;
    };
    /// Takes the counts of the networks whose minute has passed. Takes none where another process
    /// holds the table for long.
    std::vector<Pending> take_due(Clock::time_point now);
    /// Takes all counts. From now on, each refusal has a line of its own.
    std::vector<Pending> close();

    /// Counts refusals again whose line could not be written. network: empty for several networks.
    void restore(std::string_view network, std::uint64_t count) noexcept;

    /// How many networks have a count of their own.
    static constexpr std::size_t most_networks = 256;

  private:
    template <std::size_t size>
    class Text {
      public:
        void set(std::string_view text) noexcept {
            text = text.substr(0, size);
            std::copy(text.begin(), text.end(), text_.begin());
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
        /// When the minute began; 0: unused.
        Clock::rep since;
        /// Refusals without a line.
        std::uint64_t count;

        bool is_over(Clock::time_point now) const noexcept;
    };

    Entry& entry_of(std::string_view network, Clock::time_point now) noexcept;
    std::vector<Pending> take(Clock::time_point now, bool is_all);

    ipc::Mutex mutex_;
    bool is_closed_;
    /// The last one is for all networks that have no other.
    std::array<Entry, most_networks + 1> entries_;
};

} // namespace useradmin::audit
