// Counts failed attempts to sign in, all processes together.
#pragma once

#include "ipc/shared_table.hpp"
#include "text/network.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace useradmin::password {

/// How many failed attempts are allowed within how much time.
struct AttemptLimit {
    unsigned attempts = 10;
    std::chrono::seconds window{60};
};

/// Counts 32,768 subjects in shared memory, for each account and network together and each of them
/// alone. When there is no room, the oldest count of a few goes.
class AttemptLimiter {
    /// How often a subject failed since the count was written.
    using Failures = std::uint32_t;
    using Counts = ipc::SharedTable<Failures, 64, 64>;

  public:
    using Clock = Counts::Clock;

    /// Initializes the object in zeroed shared memory, before the processes fork. Returns false if
    /// the system refuses.
    [[nodiscard]] bool init() noexcept { return counts_.init(); }

    /// Which failures a limit counts.
    struct Scope {
        /// Those of one account, or of all.
        bool of_one_account;
        /// Those of one network of that prefix length, or of all where it is 0. An IPv4 address
        /// counts as 64.
        unsigned prefix_length;
        /// How many times Limit::attempts may fail.
        unsigned factor;
    };
    /// A stranger at one address, or with a whole /48 network, uses up less than an account has
    /// overall, and locks nobody else out of it. Many people may share a network.
    static constexpr std::array<Scope, 7> scopes{{
        {true, 64, 1},
        {true, 56, 2},
        {true, 48, 4},
        {false, 64, 3},
        {false, 56, 12},
        {false, 48, 48},
        {true, 0, 10},
    }};

    using Key = Counts::Key;
    /// What one attempt counts for: a key for each scope. An IPv4 address has one network.
    struct Subject {
        text::Network network;
        std::array<Key, scopes.size()> keys;

        /// Identifies the account.
        std::uint64_t account() const noexcept;
    };
    /// place: identifies the account's database and tables. An account with the same name elsewhere
    /// has its own counts.
    Subject subject(text::Network network, std::string_view place, std::string_view account) const;

    /// Which attempts are used up, and when there will be others.
    struct Denial {
        Scope scope;
        std::chrono::seconds retry_after;
    };

    /// What keeps the subject from another attempt for the longest; nothing where it may try.
    std::optional<Denial> check(const Subject& subject, const AttemptLimit& limit,
                                Clock::time_point now) noexcept;
    /// Counts an attempt that failed.
    void record_failure(const Subject& subject, const AttemptLimit& limit,
                        Clock::time_point now) noexcept;
    /// Forgets the failures of the account from the client's address alone: its owner's success
    /// must not give others more guesses.
    void clear_failures(const Subject& subject) noexcept;

  private:
    Counts counts_;
};

} // namespace useradmin::password
