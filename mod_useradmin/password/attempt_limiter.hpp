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

/// The maximum number of failed attempts within a time window.
struct AttemptLimit {
    unsigned attempts = 10;
    std::chrono::seconds window{60};
    /// Whether the database counts the failures across all servers.
    bool is_shared = false;
};

/// Counts failed sign-in attempts for all processes, in shared memory. Keeps up to 32,768 counts:
/// for accounts, for networks, and for pairs of both. If a bucket is full, drops an expired count
/// or, if there is none, the oldest of the lowest counts.
class AttemptLimiter {
    /// The failures in the window that begins at Entry::written_at.
    struct Failures {
        std::uint32_t count;
        /// AttemptLimit::window in seconds. Determines when the count expires.
        std::uint32_t window;
    };
    using Counts = ipc::SharedTable<Failures, 64, 64>;

  public:
    using Clock = Counts::Clock;

    /// Initializes the object in zeroed shared memory. Call before the processes fork. Returns
    /// false on failure.
    [[nodiscard]] bool init() noexcept { return counts_.init(); }

    /// The set of failures that count toward one limit.
    struct Scope {
        /// Whether to count the failures for a single account instead of all accounts.
        bool of_one_account;
        /// The prefix length of the network whose failures are counted, or 0 for all networks. An
        /// IPv4 address is treated as a /64.
        unsigned prefix_length;
        /// The limit is this factor times AttemptLimit::attempts.
        unsigned factor;
    };
    /// An attacker with one address, or even a whole /48, cannot exhaust an account's overall limit
    /// and thus lock out its owner. Networks have higher limits because many people may share a
    /// network.
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
    /// The network of an attempt, and the key of its count in each scope.
    struct Subject {
        text::Network network;
        std::array<Key, scopes.size()> keys;

        /// Returns a number that identifies the account.
        std::uint64_t account() const noexcept;
    };
    /// Returns the subject of an attempt. tables_id identifies the account's database and tables.
    /// Accounts with the same name in different tables have separate counts. So do limits with
    /// different windows. Otherwise, a short window would reset the count of a long one.
    Subject subject(text::Network network, const AttemptLimit& limit, std::string_view tables_id,
                    std::string_view account) const;

    /// Returns whether the scope applies to a network. An IPv4 address is treated as a /64. The /56
    /// and /48 scopes are for IPv6 only.
    static bool applies(const Scope& scope, text::Network network) noexcept {
        return scope.prefix_length == 0 || scope.prefix_length == 64 || !network.is_ipv4();
    }

    /// The scope whose limit was reached, and the time until the next attempt is allowed.
    struct Rejection {
        Scope scope;
        std::chrono::seconds retry_after;
    };

    /// Returns the narrowest scope whose limit was reached and the longest wait, or std::nullopt if
    /// the attempt is allowed.
    std::optional<Rejection> check(const Subject& subject, const AttemptLimit& limit,
                                   Clock::time_point now) noexcept;
    /// Counts a failed attempt in each scope that applies.
    void record_failure(const Subject& subject, const AttemptLimit& limit,
                        Clock::time_point now) noexcept;
    /// Records that the failures on all servers have reached the limit of scopes[scope].
    void record_rejection(const Subject& subject, const AttemptLimit& limit, std::size_t scope,
                          std::chrono::seconds retry_after, Clock::time_point now) noexcept;
    /// Clears only the failures for the account from the client's /64. A sign-in by the owner must
    /// not give others more guesses.
    void clear_failures(const Subject& subject) noexcept;

  private:
    /// Writes a count that expires at `now + retry_after`.
    static void write(const Counts::Bucket& bucket, const AttemptLimit& limit, unsigned count,
                      std::chrono::seconds retry_after, Clock::time_point now) noexcept;

    Counts counts_;
};

} // namespace useradmin::password
