#include "httpd/metrics.hpp"

#include "api/service.hpp"
#include "sign_in/service.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace useradmin::httpd {

namespace {

using ipc::Counter;

/// There is room for so many operations, "other" included.
constexpr std::size_t most_operations = 16;

/// Counts by status: each new one takes the next free place.
class Statuses {
  public:
    void add(int status) noexcept {
        for (Place& place : places_) {
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
        for (const Place& place : places_)
            if (const std::uint64_t count = place.count.value())
                sums[place.status] += count;
        if (const std::uint64_t count = others_.value())
            sums[0] += count;
    }

  private:
    struct Place {
        std::atomic<std::int32_t> status;
        Counter count;
    };
    std::array<Place, 16> places_;
    Counter others_;
};

/// Counts of how long things took.
class Durations {
  public:
    void add(std::chrono::microseconds duration) noexcept {
        // A clock that was set back gives no negative time.
        const std::int64_t time = std::max<std::int64_t>(duration.count(), 0);
        const auto* const bound = std::lower_bound(time_bounds.begin(), time_bounds.end(), time);
        counts_[static_cast<std::size_t>(bound - time_bounds.begin())].add();
        microseconds_.add(static_cast<std::uint64_t>(time));
    }
    Times sums() const {
        Times times;
        std::transform(counts_.begin(), counts_.end(), times.counts.begin(),
                       [](const Counter& counter) { return counter.value(); });
        times.microseconds = microseconds_.value();
        return times;
    }

  private:
    std::array<Counter, time_bounds.size() + 1> counts_;
    Counter microseconds_;
};

} // namespace

struct Figures::Part {
    struct Operation {
        Statuses statuses;
        Durations durations;
    };
    std::array<Operation, most_operations> operations;
    std::array<Counter, refusal_names.size()> refusals;
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

std::uint64_t Times::count() const noexcept {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

void Times::add(const Times& other) noexcept {
    std::transform(counts.begin(), counts.end(), other.counts.begin(), counts.begin(),
                   std::plus<>());
    microseconds += other.microseconds;
}

void FigureSums::add(const FigureSums& other) {
    operations.resize(std::max(operations.size(), other.operations.size()));
    for (std::size_t index = 0; index < other.operations.size(); ++index) {
        for (const auto& [status, count] : other.operations[index].statuses)
            operations[index].statuses[status] += count;
        operations[index].durations.add(other.operations[index].durations);
    }
    std::transform(refusals.begin(), refusals.end(), other.refusals.begin(), refusals.begin(),
                   std::plus<>());
    std::transform(lookups.begin(), lookups.end(), other.lookups.begin(), lookups.begin(),
                   std::plus<>());
    waits.add(other.waits);
    database.add(other.database);
    connections_in_use += other.connections_in_use;
}

std::size_t Figures::parts_size() noexcept {
    return part_count * sizeof(Part);
}

Figures::Figures(void* parts, Glance* glances, int child) noexcept
    : parts_(static_cast<Part*>(parts)),
      part_(parts_ + (child < 0 ? 0 : static_cast<std::size_t>(child) % part_count)),
      glances_(glances), in_use_(child < 0 ? nullptr : glances + 1 + child) {}

void Figures::begin() const noexcept {
    // Written once: the processors share what nobody writes.
    if (glances_ != nullptr && glances_->load(std::memory_order_relaxed) == 0)
        glances_->store(1, std::memory_order_relaxed);
}

void Figures::count_request(std::size_t operation, int status,
                            std::chrono::microseconds duration) const noexcept {
    if (part_ == nullptr)
        return;
    begin();
    Part::Operation& own = part_->operations[std::min(operation, most_operations - 1)];
    own.statuses.add(status);
    own.durations.add(duration);
}

void Figures::count(Lookup lookup) const noexcept {
    if (part_ == nullptr)
        return;
    begin();
    part_->lookups[static_cast<std::size_t>(lookup)].add();
}

void Figures::count(Refusal refusal) const noexcept {
    if (part_ == nullptr)
        return;
    begin();
    part_->refusals[static_cast<std::size_t>(refusal)].add();
}

Counter* Figures::counter(Refusal refusal) const noexcept {
    return part_ != nullptr ? &part_->refusals[static_cast<std::size_t>(refusal)] : nullptr;
}

void Figures::take_connection(std::chrono::microseconds wait) const noexcept {
    if (part_ == nullptr)
        return;
    begin();
    part_->waits.add(wait);
    if (in_use_ != nullptr)
        in_use_->fetch_add(1, std::memory_order_relaxed);
}

void Figures::put_back_connection(std::chrono::microseconds held) const noexcept {
    if (part_ == nullptr)
        return;
    part_->database.add(held);
    if (in_use_ != nullptr)
        in_use_->fetch_sub(1, std::memory_order_relaxed);
}

bool Figures::are_begun() const noexcept {
    return glances_ != nullptr && glances_->load(std::memory_order_relaxed) != 0;
}

FigureSums Figures::sums(const std::vector<bool>& running) const {
    FigureSums sums;
    sums.operations.resize(operation_names().size());
    if (!are_begun())
        return sums;
    for (std::size_t number = 0; number < part_count; ++number) {
        const Part& part = parts_[number];
        for (std::size_t index = 0; index < sums.operations.size(); ++index) {
            const Part::Operation& own = part.operations[std::min(index, most_operations - 1)];
            own.statuses.add_to(sums.operations[index].statuses);
            sums.operations[index].durations.add(own.durations.sums());
        }
        for (std::size_t index = 0; index < sums.refusals.size(); ++index)
            sums.refusals[index] += part.refusals[index].value();
        for (std::size_t index = 0; index < sums.lookups.size(); ++index)
            sums.lookups[index] += part.lookups[index].value();
        sums.waits.add(part.waits.sums());
        sums.database.add(part.database.sums());
    }
    for (std::size_t child = 0; child < running.size(); ++child)
        if (running[child])
            sums.connections_in_use += glances_[1 + child].load(std::memory_order_relaxed);
    return sums;
}

} // namespace useradmin::httpd
