#include "httpd/metrics.hpp"

#include "ipc/process.hpp"

#include <algorithm>
#include <unistd.h>

namespace useradmin::httpd {

namespace {

void count(Histogram<SharedCounter>& histogram, std::chrono::microseconds duration) noexcept {
    // The clock may have been set back.
    const std::int64_t time = std::max<std::int64_t>(duration.count(), 0);
    const auto* const bound = std::ranges::lower_bound(histogram_bounds, time);
    ++histogram.counts[static_cast<std::size_t>(bound - histogram_bounds.begin())];
    histogram.sum_microseconds += static_cast<std::uint64_t>(time);
}

} // namespace

void MetricsRegistry::add_operations(std::span<const std::string_view> names) noexcept {
    for (const std::string_view name : names)
        for (auto& operation : operations_) {
            if (operation[0] == '\0')
                name.copy(operation.data(), operation.size() - 1);
            if (operation.data() == name)
                break;
        }
}

std::size_t MetricsRegistry::operation_index(std::string_view name) const noexcept {
    const auto found = std::ranges::find_if(operations_, [name](const auto& operation) {
        return !name.empty() && operation.data() == name;
    });
    return static_cast<std::size_t>(found - operations_.begin());
}

std::string_view MetricsRegistry::operation_name(std::size_t index) const noexcept {
    return index < operations_.size() ? std::string_view(operations_[index].data()) : "other";
}

int MetricsRegistry::register_child() noexcept {
    for (std::size_t child = 0; child < children_.size(); ++child) {
        pid_t before = children_[child];
        if ((before == getpid() || !ipc::is_running(before)) &&
            children_[child].compare_exchange_strong(before, getpid()))
            return static_cast<int>(child);
    }
    return -1;
}

bool MetricsRegistry::is_running(std::size_t child) const noexcept {
    return ipc::is_running(children_[child]);
}

MetricsSnapshot SharedMetrics::snapshot(const MetricsRegistry& registry) const noexcept {
    MetricsSnapshot sums;
    sums.is_read_only = is_read_only;
    for (const MetricCounts<SharedCounter>& shard : shards)
        sums.add(shard);
    for (std::size_t child = 0; child < connections_in_use.size(); ++child)
        if (connections_in_use[child] != 0 && registry.is_running(child))
            sums.connections_in_use += connections_in_use[child];
    return sums;
}

Metrics::Metrics(SharedMetrics& shared, int child) noexcept
    : shared_(&shared),
      shard_(&shared.shards[static_cast<std::size_t>(std::max(child, 0)) % shared.shards.size()]),
      in_use_(child < 0 ? nullptr : &shared.connections_in_use[static_cast<std::size_t>(child)]) {
    if (in_use_ != nullptr)
        *in_use_ = 0;
}

void Metrics::count_request(std::size_t operation, int status,
                            std::chrono::microseconds duration) const noexcept {
    const auto* const found = std::ranges::find(counted_statuses, status);
    auto& [statuses, durations] = shard_->operations[operation];
    ++statuses[static_cast<std::size_t>(found - counted_statuses.begin())];
    httpd::count(durations, duration);
}

void Metrics::count(store::WorkOutcome outcome) const noexcept {
    const bool is_read_only = outcome == store::WorkOutcome::read_only;
    // Write only changes, to avoid contention for the cache line.
    if ((is_read_only || outcome == store::WorkOutcome::written) &&
        shared_->is_read_only != is_read_only)
        shared_->is_read_only = is_read_only;
    if (outcome != store::WorkOutcome::written)
        ++shard_->database_errors[static_cast<std::size_t>(outcome) - 1];
}

void Metrics::connection_acquired(std::chrono::microseconds wait) const noexcept {
    httpd::count(shard_->connection_waits, wait);
    if (in_use_ != nullptr)
        ++*in_use_;
}

void Metrics::connection_released(std::chrono::microseconds held) const noexcept {
    httpd::count(shard_->connection_holds, held);
    if (in_use_ != nullptr)
        --*in_use_;
}

} // namespace useradmin::httpd
