// Metrics of a virtual host.
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

/// Reasons for rejecting a request because of load.
enum class Rejection {
    connection_wait,   ///< no database connection in time
    connection_failed, ///< mod_dbd returned no connection
    hash_queue,        ///< the queue for hashing slots was full
    hash_wait,         ///< no hashing slot in time
    sign_in_limit,     ///< too many failed sign-ins
};
inline constexpr std::array<std::string_view, 5> rejection_names = {
    "connection-wait", "connection-failed", "hash-queue", "hash-wait", "sign-in-limit"};

/// Results of looking up a session token.
enum class Lookup {
    valid,       ///< looked up: the session of a user
    cached,      ///< found in the cache
    signature,   ///< not signed or a wrong signature; not looked up
    malformed,   ///< not a possible token; not looked up
    unknown,     ///< no such session
    expired,     ///< the session has expired
    banned,      ///< the user is banned
    limited,     ///< an API key's limit is reached: 429
    unavailable, ///< the database did not answer: 503
    failed,      ///< the database reported an error: 500
};
inline constexpr std::array<std::string_view, 10> lookup_names = {
    "recognised", "kept",   "signature", "malformed",   "unknown",
    "expired",    "banned", "limited",   "unavailable", "failed"};

/// The names of database errors, in the order of store::WorkOutcome after `written`.
inline constexpr std::array<std::string_view, 5> database_error_names = {
    "timeout", "lock", "connection", "read-only", "failed"};

/// The statuses that are counted separately. The others count as "other".
inline constexpr std::array<int, 31> counted_statuses = {
    200, 204, 206, 301, 302, 303, 304, 307, 400, 401, 403, 404, 405, 406, 408, 409,
    411, 412, 413, 414, 415, 417, 421, 422, 428, 429, 431, 500, 501, 502, 503};

/// The upper bounds of the histogram buckets in microseconds. The last bucket has none.
inline constexpr std::array<std::int64_t, 14> histogram_bounds = {
    500,     1'000,   2'500,   5'000,     10'000,    25'000,    50'000,
    100'000, 250'000, 500'000, 1'000'000, 2'500'000, 5'000'000, 10'000'000};

/// Adds the counts of an array to those of another.
template <class Counts, class Others>
void add_counts(Counts& counts, const Others& others) noexcept {
    for (std::size_t index = 0; index < counts.size(); ++index)
        counts[index] += others[index];
}

/// The maximum number of operations, "other" included.
inline constexpr std::size_t max_operations = 24;

/// A histogram of durations. The counts are numbers, or atomic in shared memory.
template <class Count>
struct Histogram {
    std::array<Count, histogram_bounds.size() + 1> counts = {};
    Count microseconds = {};

    double seconds() const noexcept { return static_cast<double>(microseconds) / 1e6; }
    std::uint64_t count() const noexcept {
        return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    }
    template <class Other>
    void add(const Histogram<Other>& other) noexcept {
        add_counts(counts, other.counts);
        microseconds += other.microseconds;
    }
};

/// The counts of a virtual host.
template <class Count>
struct MetricCounts {
    struct Operation {
        /// In the order of counted_statuses; the last is for others.
        std::array<Count, counted_statuses.size() + 1> statuses = {};
        Histogram<Count> durations;
    };
    /// By operation number; see MetricsRegistry.
    std::array<Operation, max_operations> operations = {};
    std::array<Count, rejection_names.size()> rejections = {};
    std::array<Count, lookup_names.size()> lookups = {};
    std::array<Count, database_error_names.size()> database_errors = {};
    /// The number of events whose line is not in the audit log.
    Count lost_audit_lines = {};
    /// The wait for a database connection.
    Histogram<Count> connection_waits;
    /// The time during which connections were held.
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
};

/// A counter in shared memory.
using SharedCounter = std::atomic<std::uint64_t>;
static_assert(SharedCounter::is_always_lock_free, "a lock would not be shared by processes");

/// The maximum number of children whose connections in use are counted.
inline constexpr std::size_t max_counted_children = 1024;

/// The operations and children of all virtual hosts, in zeroed shared memory.
class MetricsRegistry {
  public:
    /// Adds the names of new operations, before children are forked. There is room for those of
    /// both modules.
    void add_operations(std::span<const std::string_view> names) noexcept;
    /// Returns the number of an operation, or that of "other".
    std::size_t operation_index(std::string_view name) const noexcept;
    /// Returns the name of an operation; empty if the number is not used.
    std::string_view operation_name(std::size_t index) const noexcept;

    /// Assigns a number to this process and returns it, or a negative one if none is free. Call it
    /// when a child starts.
    int register_child() noexcept;
    bool is_running(std::size_t child) const noexcept;

  private:
    std::array<std::array<char, 24>, max_operations - 1> operations_;
    /// The process id of each number; 0 if it was never assigned.
    std::array<std::atomic<pid_t>, max_counted_children> children_;
};

/// A snapshot of a virtual host's metrics.
struct MetricsSnapshot : MetricCounts<std::uint64_t> {
    std::int64_t connections_in_use = 0;
    bool is_read_only = false;
};

/// The metrics of a virtual host in all children, in zeroed shared memory.
struct SharedMetrics {
    std::atomic<bool> has_counts;
    /// Children are spread over these to avoid contention.
    std::array<MetricCounts<SharedCounter>, 4> parts;
    /// The number of connections that each child uses.
    std::array<std::atomic<std::int32_t>, max_counted_children> connections_in_use;
    /// Whether the database has refused a write as read-only and accepted none since.
    std::atomic<bool> is_read_only;

    /// Returns a snapshot. Connections in use are those of running children. A concurrent count may
    /// appear in one sum and not yet in another.
    MetricsSnapshot snapshot(const MetricsRegistry& registry) const noexcept;
};

/// A child's counters for a virtual host. Counting takes a few nanoseconds and no lock.
class Metrics {
  public:
    /// Constructs an object that does not count, for use before the child starts.
    Metrics() = default;
    /// child: its number, or negative if it has none. Resets the connections in use that a killed
    /// child with this number left behind.
    Metrics(SharedMetrics& shared, int child) noexcept;

    /// Marks that the virtual host has counts. Call it before any other member, except
    /// count_request() and connection_acquired(), which call it themselves.
    void activate() const noexcept;
    void count_request(std::size_t operation, int status,
                       std::chrono::microseconds duration) const noexcept;
    void count(Lookup lookup) const noexcept { ++part_->lookups[static_cast<std::size_t>(lookup)]; }
    void count(Rejection rejection) const noexcept { ++counter(rejection); }
    SharedCounter& counter(Rejection rejection) const noexcept {
        return part_->rejections[static_cast<std::size_t>(rejection)];
    }
    /// Counts an error. A write, and its rejection as read-only, also set is_read_only.
    void count(store::WorkOutcome outcome) const noexcept;
    void count_lost_audit_line() const noexcept { ++part_->lost_audit_lines; }
    /// Counts an acquired connection and its wait.
    void connection_acquired(std::chrono::microseconds wait) const noexcept;
    /// Counts a returned connection and the time that it was held.
    void connection_released(std::chrono::microseconds held) const noexcept;

  private:
    SharedMetrics* shared_ = nullptr;
    MetricCounts<SharedCounter>* part_ = nullptr;
    /// nullptr if the child has no number.
    std::atomic<std::int32_t>* in_use_ = nullptr;
};

} // namespace useradmin::httpd
