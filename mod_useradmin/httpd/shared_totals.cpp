#include "httpd/shared_totals.hpp"

#include <algorithm>
#include <string>
#include <thread>

namespace useradmin::httpd {

namespace {

using Clock = std::chrono::steady_clock;

} // namespace

/// Claims a free entry or the oldest entry of the bucket for the key, and locks it for counting.
/// Returns nullptr if all entries are being counted.
SharedTotals::Totals::Entry* SharedTotals::claim(const Totals::Bucket& bucket) {
    Totals::Entry* const entry = bucket.find_replaceable(
        [](Totals::Entry& entry) { return entry.value.counting.try_lock(); });
    if (entry != nullptr)
        bucket.write(*entry, Clock::now(), [](Total& total) {
            total.number = -1;
            total.duration = {};
            total.has_waiters = false;
        });
    return entry;
}

/// At the end of the scope, frees the entry if it has no total, unlocks it, and wakes the waiters.
class SharedTotals::CountGuard {
  public:
    CountGuard(Totals& totals, const Totals::Key& key, Totals::Entry& entry) noexcept
        : totals_(totals), key_(key), entry_(entry) {}
    ~CountGuard() {
        if (entry_.value.number < 0)
            totals_.lock(key_).erase(entry_);
        entry_.value.counting.unlock();
        entry_.value.ended.notify_all();
    }
    CountGuard(const CountGuard&) = delete;
    CountGuard& operator=(const CountGuard&) = delete;

  private:
    Totals& totals_;
    const Totals::Key& key_;
    Totals::Entry& entry_;
};

/// Counts the users and stores the total. The caller holds the entry's lock `counting`.
store::Result<std::int64_t>
SharedTotals::count_and_store(Totals::Entry& entry, const Totals::Key& key, const Count& count) {
    const std::uint64_t generation = table_.generation_;
    const std::int64_t last = entry.value.number;
    const auto begun_at = Clock::now();
    const store::Result<std::int64_t> counted =
        count(last >= 0 ? store::LastTotal(last) : store::LastTotal());
    if (counted)
        table_.totals_.lock(key).write(entry, begun_at, [&](Total& total) {
            total.generation = generation;
            total.number = *counted;
            total.duration = Clock::now() - begun_at;
        });
    return counted;
}

store::Result<std::int64_t> SharedTotals::total(const store::Filter& filter,
                                                store::Deadline deadline, const Count& count) {
    // A process that is killed while it counts does not wake the waiters, so they also check at
    // this interval.
    constexpr std::chrono::milliseconds check_interval{50};
    const Totals::Key key = table_.totals_.key(options_.tables_id, store::identity_of(filter));
    const auto requested_at = Clock::now();
    while (true) {
        Totals::Entry* entry = nullptr;
        bool is_own = false; // whether this thread counts
        Clock::duration delay(0);
        ipc::Event::Generation ended = 0;
        {
            const Totals::Bucket bucket = table_.totals_.lock(key);
            entry = bucket.find();
            if (entry == nullptr) {
                entry = claim(bucket);
                is_own = entry != nullptr;
            } else {
                Total& total = entry->value;
                const auto age =
                    entry->age(requested_at); // negative if the count began after requested_at
                if (total.number >= 0 && (age < Clock::duration(0) ||
                                          (is_caching() && total.generation == table_.generation_ &&
                                           age < options_.age)))
                    return total.number;
                ended = total.ended.generation(); // read before checking for a running count
                is_own = total.counting.try_lock();
                // After a count, the clients that waited for it often send their next requests at
                // the same time. Without a delay, the first of these requests would start a count
                // before the others arrive, and the others would have to wait for a second count.
                constexpr Clock::duration longest = std::chrono::milliseconds(10);
                constexpr int part = 32; // negligible for a single request
                if (is_own && total.has_waiters)
                    delay = std::min(total.duration / part, longest);
                total.has_waiters = !is_own;
            }
        }
        if (entry == nullptr)
            return count({});
        if (is_own) {
            const CountGuard guard(table_.totals_, key, *entry);
            std::this_thread::sleep_for(delay);
            return count_and_store(*entry, key, count);
        }
        const auto now = Clock::now();
        if (now >= deadline) {
            log_.write_throttled(
                text::Level::error,
                "UA0214: timed out after " + std::to_string(options_.timeout.count() / 1000) +
                    " s waiting for another request to count the same users; raise " +
                    options_.timeout_directive);
            return store::Failure::unavailable;
        }
        entry->value.ended.wait_until(ended, std::min(deadline, now + check_interval));
    }
}

} // namespace useradmin::httpd
