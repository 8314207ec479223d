// Metrics of a virtual host.
#pragma once

#include "ipc/counter.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::httpd {

/// Reasons for rejecting a request because of load.
enum class Rejection {
    connection_wait,   ///< no database connection in time
    connection_failed, ///< mod_dbd returned none
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
    unavailable, ///< the database did not answer: 503
    failed,      ///< the database reported an error: 500
};
inline constexpr std::array<std::string_view, 9> lookup_names = {
    "recognised", "kept",   "signature",   "malformed", "unknown",
    "expired",    "banned", "unavailable", "failed"};

/// Returns a status as a label; "other" for those without an entry.
std::string name_of_status(int status);

/// The operations that are counted: those of the service and of sign-in, and "other".
std::vector<std::string_view> operation_names();
/// Returns the index of an operation's name, or that of "other".
std::size_t operation_index(std::string_view name) noexcept;

/// The upper bounds of the histogram buckets in microseconds. The last bucket has none.
inline constexpr std::array<std::int64_t, 14> histogram_bounds = {
    500,     1'000,   2'500,   5'000,     10'000,    25'000,    50'000,
    100'000, 250'000, 500'000, 1'000'000, 2'500'000, 5'000'000, 10'000'000};

/// A snapshot of a histogram.
struct DurationHistogram {
    std::array<std::uint64_t, histogram_bounds.size() + 1> counts = {};
    std::uint64_t microseconds = 0;

    std::uint64_t count() const noexcept;
    double seconds() const noexcept { return static_cast<double>(microseconds) / 1e6; }
    void add(const DurationHistogram& other) noexcept;
};

/// A snapshot of a virtual host's metrics.
struct MetricsSnapshot {
    struct Operation {
        /// Status 0 counts those without an entry.
        std::map<int, std::uint64_t> statuses;
        DurationHistogram durations;
    };
    /// In the order of operation_names().
    std::vector<Operation> operations;
    std::array<std::uint64_t, rejection_names.size()> rejections = {};
    std::array<std::uint64_t, lookup_names.size()> lookups = {};
    /// Time until a database connection was available.
    DurationHistogram connection_waits;
    /// Time during which connections were held.
    DurationHistogram connection_holds;
    std::int64_t connections_in_use = 0;

    void add(const MetricsSnapshot& other);
};

/// A snapshot of a virtual host's metrics with its name.
struct VirtualHostMetrics {
    std::string name;
    MetricsSnapshot sums;
};

/// The metrics of a virtual host, of all children, in shared memory of a fixed size. Counting takes
/// a few nanoseconds and no lock.
class Metrics {
  public:
    /// Children spread over this many parts to avoid contention.
    static constexpr std::size_t part_count = 4;
    struct Part;
    /// For each virtual host: whether anything was counted, then the connections in use of each
    /// child.
    using Gauge = std::atomic<std::int32_t>;

    /// Returns the size of all parts in bytes.
    static std::size_t parts_size() noexcept;

    /// Does not count.
    Metrics() = default;
    /// parts: zeroed memory of parts_size() bytes, aligned for any type. glances: one more than the
    /// number of children. child: its number, or negative if it has none.
    Metrics(void* parts, Gauge* gauges, int child) noexcept;

    /// Returns the metrics as the child counts in them.
    Metrics in_child(int child) const noexcept { return {parts_, gauges_, child}; }

    /// Must be called before counting by other members than those below.
    void activate() const noexcept;
    /// Counts a reply. The operation is an index into operation_names().
    void count_request(std::size_t operation, int status,
                       std::chrono::microseconds duration) const noexcept;
    void count(Lookup lookup) const noexcept;
    void count(Rejection refusal) const noexcept;
    /// Returns nullptr if nothing is counted.
    ipc::Counter* counter(Rejection refusal) const noexcept;
    /// Counts a connection that was available after the wait.
    void connection_acquired(std::chrono::microseconds wait) const noexcept;
    /// Counts a returned connection by the time it was held.
    void connection_released(std::chrono::microseconds held) const noexcept;

    /// Returns whether anything was ever counted.
    bool is_active() const noexcept;
    /// Returns a snapshot. Connections in use are those of running children. A concurrent count may
    /// appear in one sum and not yet in another.
    MetricsSnapshot snapshot(const std::vector<bool>& running) const;

  private:
    Part* parts_ = nullptr;
    /// The part of this child.
    Part* part_ = nullptr;
    Gauge* gauges_ = nullptr;
    /// The connections in use of this child.
    Gauge* in_use_ = nullptr;
};

} // namespace useradmin::httpd
