#include "audit/refusals.hpp"

#include <mutex>

namespace useradmin::audit {

bool Refusals::Entry::is_over(Clock::time_point now) const noexcept {
    return since == 0 || now.time_since_epoch() - Clock::duration(since) >= std::chrono::minutes(1);
}

Refusals::Entry& Refusals::entry_of(std::string_view network, Clock::time_point now) noexcept {
    Entry* unused = nullptr;
    for (std::size_t index = 0; index < max_networks; ++index) {
        Entry& entry = entries_[index];
        if (entry.since != 0 && entry.network.view() == network)
            return entry;
        if (unused == nullptr && entry.count == 0 && entry.is_over(now))
            unused = &entry;
    }
    if (unused == nullptr)
        return entries_.back();
    unused->network.set(network);
    unused->since = 0;
    return *unused;
}

Refusals::Due Refusals::count(const Refusal& refusal, Clock::time_point now) noexcept {
    const std::lock_guard lock(mutex_);
    if (is_closed_)
        return {1};
    Entry& entry = entry_of(refusal.network, now);
    entry.server.set(refusal.server);
    entry.operation.set(refusal.operation);
    entry.reason.set(refusal.reason);
    entry.status = refusal.status;
    if (entry.is_over(now)) {
        const std::uint64_t count = entry.count + 1;
        entry.since = now.time_since_epoch().count();
        entry.count = 0;
        return {count, count > 1 && &entry == &entries_.back()};
    }
    ++entry.count;
    return {0};
}

void Refusals::restore(std::string_view network, std::uint64_t count) noexcept {
    const std::lock_guard lock(mutex_);
    Entry& entry = network.empty() ? entries_.back() : entry_of(network, Clock::now());
    entry.count += count;
}

std::vector<Refusals::Pending> Refusals::take_due(Clock::time_point now) {
    return take(now, false);
}

std::vector<Refusals::Pending> Refusals::close() {
    return take(Clock::now(), true);
}

std::vector<Refusals::Pending> Refusals::take(Clock::time_point now, bool is_all) {
    // The parent process must not block indefinitely if a stopped child holds the lock.
    const std::unique_lock lock(mutex_, Clock::now() + std::chrono::seconds(1));
    if (!lock)
        return {};
    is_closed_ = is_closed_ || is_all;
    std::vector<Pending> pending;
    for (Entry& entry : entries_) {
        if (entry.count == 0 || !(is_all || entry.is_over(now)))
            continue;
        pending.push_back({std::string(entry.network.view()), std::string(entry.server.view()),
                           std::string(entry.operation.view()), std::string(entry.reason.view()),
                           entry.status, entry.count});
        entry.since = now.time_since_epoch().count();
        entry.count = 0;
    }
    return pending;
}

} // namespace useradmin::audit
