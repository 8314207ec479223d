#pragma once

#include "store/connection.hpp"

#include <sys/types.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>

namespace useradmin::httpd {

/// Why a request was rejected.
enum class Rejection {
    connection_wait,   ///< no database connection in time
    connection_failed, ///< mod_dbd returned no connection
    hash_queue,        ///< the queue for hashing slots was full
    hash_wait,         ///< no hashing slot in time
    sign_in_limit,     ///< too many failed sign-ins
};
inline constexpr std::array<std::string_view, 5> rejection_names = {
    "connection-wait", "connection-failed", "hash-queue", "hash-wait", "sign-in-limit"};

/// Results of checking the session token or API key of a request.
enum class Lookup {
    valid,       ///< found in the database
    cached,      ///< found in the cache
    signature,   ///< unsigned, or the signature is wrong (no lookup)
    malformed,   ///< cannot be a token (no lookup)
    unknown,     ///< no such session or API key
    expired,     ///< the session or API key has expired, or the key is disabled
    banned,      ///< the user is banned
    limited,     ///< the limit of an API key is exceeded (429)
    unavailable, ///< the database did not respond (503)
    failed,      ///< the database reported an error (500)
};
inline constexpr std::array<std::string_view, 10> lookup_names = {
    "recognised", "kept",   "signature", "malformed",   "unknown",
    "expired",    "banned", "limited",   "unavailable", "failed"};

/// The names of database errors, in the order of store::WorkOutcome after `written`.
inline constexpr std::array<std::string_view, 5> database_error_names = {
    "timeout", "lock", "connection", "read-only", "failed"};

/// The statuses that are counted separately. All others are counted as "other".
inline constexpr std::array<int, 31> counted_statuses = {
    200, 204, 206, 301, 302, 303, 304, 307, 400, 401, 403, 404, 405, 406, 408, 409,
    411, 412, 413, 414, 415, 417, 421, 422, 428, 429, 431, 500, 501, 502, 503};

/// The upper bounds of the histogram buckets, in microseconds. The last bucket is unbounded.
inline constexpr std::array<std::int64_t, 14> histogram_bounds = {
    500,     1'000,   2'500,   5'000,     10'000,    25'000,    50'000,
    100'000, 250'000, 500'000, 1'000'000, 2'500'000, 5'000'000, 10'000'000};

/// Adds each element of others to the same element of counts.
template <class Counts, class Others>
void add_counts(Counts& counts, const Others& others) noexcept {
    for (std::size_t index = 0; index < counts.size(); ++index)
        counts[index] += others[index];
}

/// The maximum number of operations, including "other".
inline constexpr std::size_t max_operations = 32;

/// A histogram of durations. Count is an integer or, in shared memory, an atomic one.
template <class Count>
struct Histogram {
    std::array<Count, histogram_bounds.size() + 1> counts = {};
    Count sum_microseconds = {};

    std::uint64_t count() const noexcept {
        return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    }
    template <class Other>
    void add(const Histogram<Other>& other) noexcept {
        add_counts(counts, other.counts);
        sum_microseconds += other.sum_microseconds;
    }
    bool operator==(const Histogram&) const = default;
};

/// The counts of a virtual host.
template <class Count>
struct MetricCounts {
    struct Operation {
        /// In the order of counted_statuses. The last element counts all other statuses.
        std::array<Count, counted_statuses.size() + 1> statuses = {};
        Histogram<Count> durations;

        bool operator==(const Operation&) const = default;
    };
    /// By operation index. See MetricsRegistry.
    std::array<Operation, max_operations> operations = {};
    std::array<Count, rejection_names.size()> rejections = {};
    std::array<Count, lookup_names.size()> lookups = {};
    std::array<Count, database_error_names.size()> database_errors = {};
    /// The number of events whose line could not be written to the audit log.
    Count lost_audit_lines = {};
    /// How long requests waited for a database connection.
    Histogram<Count> connection_waits;
    /// How long connections were held.
    Histogram<Count> connection_holds;

    template <class Other>
    void add(const MetricCounts<Other>& other) noexcept {
        for (std::size_t index = 0; index < operations.size(); ++index) {
            add_counts(operations[index].statuses, other.operations[index].statuses);
            operations[index].durations.add(other.operations[index].durations);
        }
        add_counts(rejections, other.rejections);
        add_counts(lookups, other.lookups);
        add_counts(database_errors, other.database_errors);
        lost_audit_lines += other.lost_audit_lines;
        connection_waits.add(other.connection_waits);
        connection_holds.add(other.connection_holds);
    }
    bool operator==(const MetricCounts&) const = default;
};

/// A counter that all children share.
using SharedCounter = std::atomic<std::uint64_t>;
static_assert(SharedCounter::is_always_lock_free, "a lock would not be shared by processes");

/// The maximum number of children whose connections in use are counted.
inline constexpr std::size_t max_counted_children = 1024;

/// Registers the operations and child processes of the whole server. Lives in zeroed shared memory.
class MetricsRegistry {
  public:
    /// Adds the names of new operations. Call before children are forked. The registry has room for
    /// the operations of both modules.
    void add_operations(std::span<const std::string_view> names) noexcept;
    /// Returns the index of an operation, or the index of "other" if the name is unknown.
    std::size_t operation_index(std::string_view name) const noexcept;
    /// Returns the name of an operation, "other" for the last index, or an empty view if the index
    /// is unused.
    std::string_view operation_name(std::size_t index) const noexcept;

    /// Assigns a number to this process and returns it, or a negative value if no number is free.
    /// Call when a child starts.
    int register_child() noexcept;
    bool is_running(std::size_t child) const noexcept;

  private:
    std::array<std::array<char, 24>, max_operations - 1> operations_;
    /// The process ID for each child number, or 0 if the number was never assigned.
    std::array<std::atomic<pid_t>, max_counted_children> children_;
};

/// A snapshot of a virtual host's metrics.
struct MetricsSnapshot : MetricCounts<std::uint64_t> {
    std::int64_t connections_in_use = 0;
    bool is_read_only = false;

    bool operator==(const MetricsSnapshot&) const = default;
};

/// The metrics of a virtual host in all children. Lives in zeroed shared memory.
struct SharedMetrics {
    /// Each child updates one shard, to reduce contention.
    std::array<MetricCounts<SharedCounter>, 4> shards;
    /// The number of connections in use, by child number.
    std::array<std::atomic<std::int32_t>, max_counted_children> connections_in_use;
    /// Whether the database has rejected a write as read-only and has accepted none since.
    std::atomic<bool> is_read_only;

    /// Returns a snapshot. Counts the connections of running children only. A request that is
    /// counted concurrently may be included in only some of the sums.
    MetricsSnapshot snapshot(const MetricsRegistry& registry) const noexcept;
};

/// A child's counters for a virtual host. Counting takes a few nanoseconds and acquires no lock.
class Metrics {
  public:
    /// Constructs a placeholder, to be replaced in start_child(). Do not call its member functions.
    Metrics() = default;
    /// child: the child's number, or negative if it has none. Resets the number of connections in
    /// use, because a killed child with the same number may have left a nonzero value.
    Metrics(SharedMetrics& shared, int child) noexcept;

    void count_request(std::size_t operation, int status,
                       std::chrono::microseconds duration) const noexcept;
    void count(Lookup lookup) const noexcept {
        ++shard_->lookups[static_cast<std::size_t>(lookup)];
    }
    void count(Rejection rejection) const noexcept { ++counter(rejection); }
    SharedCounter& counter(Rejection rejection) const noexcept {
        return shard_->rejections[static_cast<std::size_t>(rejection)];
    }
    /// Counts the outcome if it is an error. A write rejected as read-only sets is_read_only, and a
    /// successful write clears it.
    void count(store::WorkOutcome outcome) const noexcept;
    void count_lost_audit_line() const noexcept { ++shard_->lost_audit_lines; }
    /// Counts an acquired connection. wait: how long the request waited for it.
    void connection_acquired(std::chrono::microseconds wait) const noexcept;
    /// Counts a returned connection. held: how long it was in use.
    void connection_released(std::chrono::microseconds held) const noexcept;

  private:
    SharedMetrics* shared_ = nullptr;
    MetricCounts<SharedCounter>* shard_ = nullptr;
    /// nullptr if the child has no number.
    std::atomic<std::int32_t>* in_use_ = nullptr;
};

} // namespace useradmin::httpd
