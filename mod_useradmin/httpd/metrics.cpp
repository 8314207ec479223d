#include "httpd/metrics.hpp"

#include "api/service.hpp"
#include "sign_in/service.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace useradmin::httpd {

using ipc::Counter;

/// The maximum number of operations, "other" included.
constexpr std::size_t max_operations = 16;

/// Counts by status. Each new status takes the next free entry.
class Statuses {
  public:
    void add(int status) noexcept {
        for (Slot& place : places_) {
            std::int32_t own = place.status.load(std::memory_order_relaxed);
            if (own == 0 && place.status.compare_exchange_strong(own, status))
                own = status;
            if (own == status) {
                place.count.add();
                return;
            }
        }
        others_.add();
    }
    void add_to(std::map<int, std::uint64_t>& sums) const {
        for (const Slot& place : places_)
            if (const std::uint64_t count = place.count.value())
                sums[place.status] += count;
        if (const std::uint64_t count = others_.value())
            sums[0] += count;
    }

  private:
    struct Slot {
        std::atomic<std::int32_t> status;
        Counter count;
    };
    std::array<Slot, 16> places_;
    Counter others_;
};

/// A histogram of durations.
class Durations {
  public:
    void add(std::chrono::microseconds duration) noexcept {
        // The clock may have been set back.
        const std::int64_t time = std::max<std::int64_t>(duration.count(), 0);
        const auto* const bound =
            std::lower_bound(histogram_bounds.begin(), histogram_bounds.end(), time);
        counts_[static_cast<std::size_t>(bound - histogram_bounds.begin())].add();
        microseconds_.add(static_cast<std::uint64_t>(time));
    }
    DurationHistogram sums() const {
        DurationHistogram times;
        std::transform(counts_.begin(), counts_.end(), times.counts.begin(),
                       [](const Counter& counter) { return counter.value(); });
        times.microseconds = microseconds_.value();
        return times;
    }

  private:
    std::array<Counter, histogram_bounds.size() + 1> counts_;
    Counter microseconds_;
};

struct Metrics::Part {
    struct Operation {
        Statuses statuses;
        Durations durations;
    };
    std::array<Operation, max_operations> operations;
    std::array<Counter, rejection_names.size()> refusals;
    std::array<Counter, lookup_names.size()> lookups;
    Durations waits;
    Durations database;
};

std::string name_of_status(int status) {
    return status != 0 ? std::to_string(status) : "other";
}

std::vector<std::string_view> operation_names() {
    std::vector<std::string_view> names;
    for (const auto& service : {api::operation_names(), sign_in::operation_names()})
        names.insert(names.end(), service.begin(), service.end());
    names.emplace_back("other");
    return names;
}

std::size_t operation_index(std::string_view name) noexcept {
    std::size_t before = 0;
    for (const auto& service : {api::operation_names(), sign_in::operation_names()}) {
        const auto found = std::find(service.begin(), service.end(), name);
        if (found != service.end())
            return before + static_cast<std::size_t>(found - service.begin());
        before += service.size();
    }
    return before;
}

std::uint64_t DurationHistogram::count() const noexcept {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

void DurationHistogram::add(const DurationHistogram& other) noexcept {
    std::transform(counts.begin(), counts.end(), other.counts.begin(), counts.begin(),
                   std::plus<>());
    microseconds += other.microseconds;
}

void MetricsSnapshot::add(const MetricsSnapshot& other) {
    operations.resize(std::max(operations.size(), other.operations.size()));
    for (std::size_t index = 0; index < other.operations.size(); ++index) {
        for (const auto& [status, count] : other.operations[index].statuses)
            operations[index].statuses[status] += count;
        operations[index].durations.add(other.operations[index].durations);
    }
    std::transform(rejections.begin(), rejections.end(), other.rejections.begin(),
                   rejections.begin(), std::plus<>());
    std::transform(lookups.begin(), lookups.end(), other.lookups.begin(), lookups.begin(),
                   std::plus<>());
    connection_waits.add(other.connection_waits);
    connection_holds.add(other.connection_holds);
    connections_in_use += other.connections_in_use;
}

std::size_t Metrics::parts_size() noexcept {
    return part_count * sizeof(Part);
}

Metrics::Metrics(void* parts, Gauge* gauges, int child) noexcept
    : parts_(static_cast<Part*>(parts)),
      part_(parts_ + (child < 0 ? 0 : static_cast<std::size_t>(child) % part_count)),
      gauges_(gauges), in_use_(child < 0 ? nullptr : gauges + 1 + child) {}

void Metrics::activate() const noexcept {
    // Written once, so the cache line stays shared.
    if (gauges_ != nullptr && gauges_->load(std::memory_order_relaxed) == 0)
        gauges_->store(1, std::memory_order_relaxed);
}

void Metrics::count_request(std::size_t operation, int status,
                            std::chrono::microseconds duration) const noexcept {
    if (part_ == nullptr)
        return;
    activate();
    Part::Operation& own = part_->operations[std::min(operation, max_operations - 1)];
    own.statuses.add(status);
    own.durations.add(duration);
}

void Metrics::count(Lookup lookup) const noexcept {
    if (part_ == nullptr)
        return;
    activate();
    part_->lookups[static_cast<std::size_t>(lookup)].add();
}

void Metrics::count(Rejection refusal) const noexcept {
    if (part_ == nullptr)
        return;
    activate();
    part_->refusals[static_cast<std::size_t>(refusal)].add();
}

Counter* Metrics::counter(Rejection refusal) const noexcept {
    return part_ != nullptr ? &part_->refusals[static_cast<std::size_t>(refusal)] : nullptr;
}

void Metrics::connection_acquired(std::chrono::microseconds wait) const noexcept {
    if (part_ == nullptr)
        return;
    activate();
    part_->waits.add(wait);
    if (in_use_ != nullptr)
        in_use_->fetch_add(1, std::memory_order_relaxed);
}

void Metrics::connection_released(std::chrono::microseconds held) const noexcept {
    if (part_ == nullptr)
        return;
    part_->database.add(held);
    if (in_use_ != nullptr)
        in_use_->fetch_sub(1, std::memory_order_relaxed);
}

bool Metrics::is_active() const noexcept {
    return gauges_ != nullptr && gauges_->load(std::memory_order_relaxed) != 0;
}

MetricsSnapshot Metrics::snapshot(const std::vector<bool>& running) const {
    MetricsSnapshot sums;
    sums.operations.resize(operation_names().size());
    if (!is_active())
        return sums;
    for (std::size_t number = 0; number < part_count; ++number) {
        const Part& part = parts_[number];
        for (std::size_t index = 0; index < sums.operations.size(); ++index) {
            const Part::Operation& own = part.operations[std::min(index, max_operations - 1)];
            own.statuses.add_to(sums.operations[index].statuses);
            sums.operations[index].durations.add(own.durations.sums());
        }
        for (std::size_t index = 0; index < sums.rejections.size(); ++index)
            sums.rejections[index] += part.refusals[index].value();
        for (std::size_t index = 0; index < sums.lookups.size(); ++index)
            sums.lookups[index] += part.lookups[index].value();
        sums.connection_waits.add(part.waits.sums());
        sums.connection_holds.add(part.database.sums());
    }
    for (std::size_t child = 0; child < running.size(); ++child)
        if (running[child])
            sums.connections_in_use += gauges_[1 + child].load(std::memory_order_relaxed);
    return sums;
}

} // namespace useradmin::httpd
