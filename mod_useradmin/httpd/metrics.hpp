// What a virtual host did, counted for its operator.
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

/// Why a request was turned away that had done nothing wrong, or too much.
enum class Rejection {
    connection_wait,   ///< no database connection came free in time
    connection_failed, ///< mod_dbd had none to give
    hash_queue,        ///< the queue for hashing slots was full
    hash_wait,         ///< no hashing slot came free in time
    sign_in_limit,     ///< too many attempts to sign in had failed
};
inline constexpr std::array<std::string_view, 5> rejection_names = {
    "connection-wait", "connection-failed", "hash-queue", "hash-wait", "sign-in-limit"};

/// What came of a session token.
enum class Lookup {
    valid,       ///< its session was looked up, and stands for a user
    cached,      ///< the same, and the look was one of a short while ago
    signature,   ///< it was not signed, or not rightly; nothing was looked up
    malformed,   ///< no session can have it; nothing was looked up
    unknown,     ///< no session has it
    expired,     ///< its session has ended
    banned,      ///< its user is banned
    unavailable, ///< the database gave no answer: 503
    failed,      ///< the database refused: 500
};
inline constexpr std::array<std::string_view, 9> lookup_names = {
    "recognised", "kept",   "signature",   "malformed", "unknown",
    "expired",    "banned", "unavailable", "failed"};

/// What a status is called in sums: that of those that found no room is "other".
std::string name_of_status(int status);

/// The names that requests are counted by: those of the two services' operations, and "other".
std::vector<std::string_view> operation_names();
/// The place among them of an operation's name; that of "other" for any text that is none.
std::size_t operation_index(std::string_view name) noexcept;

/// The upper bounds of the times that are told apart, in microseconds; what takes longer than all
/// of them is counted behind them.
inline constexpr std::array<std::int64_t, 14> histogram_bounds = {
    500,     1'000,   2'500,   5'000,     10'000,    25'000,    50'000,
    100'000, 250'000, 500'000, 1'000'000, 2'500'000, 5'000'000, 10'000'000};

/// How long things took, as it was at one time.
struct DurationHistogram {
    std::array<std::uint64_t, histogram_bounds.size() + 1> counts = {};
    std::uint64_t microseconds = 0;

    std::uint64_t count() const noexcept;
    double seconds() const noexcept { return static_cast<double>(microseconds) / 1e6; }
    void add(const DurationHistogram& other) noexcept;
};

/// What was counted, as it was at one time.
struct MetricsSnapshot {
    struct Operation {
        /// The status 0 stands for those that found no room.
        std::map<int, std::uint64_t> statuses;
        DurationHistogram durations;
    };
    /// In the order of operation_names().
    std::vector<Operation> operations;
    std::array<std::uint64_t, rejection_names.size()> rejections = {};
    std::array<std::uint64_t, lookup_names.size()> lookups = {};
    /// Of requests for a connection to the database.
    DurationHistogram connection_waits;
    /// That connections were held.
    DurationHistogram connection_holds;
    std::int64_t connections_in_use = 0;

    void add(const MetricsSnapshot& other);
};

/// A virtual host's figures at one time, for those who print them.
struct VirtualHostMetrics {
    std::string name;
    MetricsSnapshot sums;
};

/// Where a virtual host's figures are counted, all children together: shared memory of a fixed
/// size. Counting takes a few nanoseconds and no lock.
class Metrics {
  public:
    /// Each child counts in one of so many parts, so that processors do not wait for each other.
    static constexpr std::size_t part_count = 4;
    struct Part;
    /// What is told of each virtual host at a glance: whether anything was counted, and then, for
    /// each child, how many connections it has in use.
    using Gauge = std::atomic<std::int32_t>;

    /// How many bytes the parts need, all of them together.
    static std::size_t parts_size() noexcept;

    /// Counts nothing.
    Metrics() = default;
    /// The parts are zeroed memory of parts_size(), aligned for any type; of the glances there is
    /// one more than there are children. The child is its number, or negative for one that has
    /// none.
    Metrics(void* parts, Gauge* gauges, int child) noexcept;

    /// The same as a child counts in them.
    Metrics in_child(int child) const noexcept { return {parts_, gauges_, child}; }

    /// Whoever counts by other ways than the following says so first.
    void activate() const noexcept;
    /// A request that was answered; the operation is its place in operation_names().
    void count_request(std::size_t operation, int status,
                       std::chrono::microseconds duration) const noexcept;
    void count(Lookup lookup) const noexcept;
    void count(Rejection refusal) const noexcept;
    /// nullptr where nothing is counted.
    ipc::Counter* counter(Rejection refusal) const noexcept;
    /// A connection was had after that time.
    void connection_acquired(std::chrono::microseconds wait) const noexcept;
    /// It was given back, and held for that time.
    void connection_released(std::chrono::microseconds held) const noexcept;

    /// Whether anything was ever counted.
    bool is_active() const noexcept;
    /// All of it, the connections of those children alone that are running. Who counts meanwhile
    /// may be seen in the one sum and not yet in the other.
    MetricsSnapshot snapshot(const std::vector<bool>& running) const;

  private:
    Part* parts_ = nullptr;
    /// In which this child counts.
    Part* part_ = nullptr;
    Gauge* gauges_ = nullptr;
    /// Of this child.
    Gauge* in_use_ = nullptr;
};

} // namespace useradmin::httpd
