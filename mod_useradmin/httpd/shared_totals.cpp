#include "httpd/shared_totals.hpp"

#include "crypto/random.hpp"
#include "crypto/sha256.hpp"
#include "ipc/event.hpp"
#include "ipc/mutex.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace useradmin::httpd {

namespace {

using Clock = std::chrono::steady_clock;
using Key = std::array<unsigned char, 16>;
using LockResult = ipc::Mutex::LockResult;
/// A logical time: the order in which counts began; 0 is before all.
using CountNumber = std::uint64_t;

// 1,024 totals in 128 KiB.
constexpr std::size_t bucket_count = 128;
constexpr std::size_t bucket_size = 8;

/// The total of a filter. The counting thread holds `counting`; the table's mutex protects the
/// rest.
struct Entry {
    ipc::Mutex counting;
    Key key;
    /// When the count of this total began; 0: no total.
    CountNumber begun;
    /// The total includes all invalidations up to this time.
    std::uint64_t generation;
    Clock::rep begun_at;
    /// The last total, even if it is outdated. Negative before the first count.
    std::int64_t total;
    /// The duration of the last count, and whether others have waited since it was announced.
    Clock::rep took;
    bool is_wanted;
    /// Signals the end of a count. All waiters wake at once; waking one after the other would take
    /// as long as the count.
    ipc::Event ended;
};

using Bucket = std::array<Entry, bucket_size>;

/// The contents of the shared memory.
struct Table {
    ipc::Mutex mutex;
    std::array<unsigned char, 32> secret;
    /// The time of the last count that began.
    CountNumber latest;
    std::atomic<std::uint64_t> generation;
    std::array<Bucket, bucket_count> buckets;
};
static_assert(sizeof(Table) <= std::size_t{128} * 1024);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free,
              "a lock would not be shared by processes");

Table& table_of(void* memory) noexcept {
    return *static_cast<Table*>(memory);
}

/// Locks the table. If the owner died, invalidates all entries.
class TableLock {
  public:
    explicit TableLock(Table& table) noexcept : lock_(table.mutex) {
        if (lock_.owner_died())
            for (Bucket& bucket : table.buckets)
                for (Entry& entry : bucket)
                    entry.begun = 0;
    }

  private:
    ipc::LockGuard lock_;
};

Key key_of(const Table& table, std::string_view place, const store::Filter& filter) {
    // An absent text and an empty one are different filters.
    const auto presence = [](const auto& value) { return value ? "1" : "0"; };
    std::string further(presence(filter.matches_all));
    for (const std::optional<bool>& truth : {filter.banned, filter.email_verified})
        further += truth ? presence(*truth) : "-";
    for (const model::NullableTime& time : {filter.created_from, filter.created_before})
        further += time ? std::to_string(time->time_since_epoch().count()) + ' ' : "- ";
    const crypto::Digest digest =
        crypto::digest({{reinterpret_cast<const char*>(table.secret.data()), table.secret.size()},
                        place,
                        presence(filter.role),
                        filter.role.value_or(""),
                        presence(filter.search),
                        filter.search.value_or(""),
                        further});
    Key key;
    std::copy_n(digest.begin(), key.size(), key.begin());
    return key;
}

Bucket& bucket_of(Table& table, const Key& key) noexcept {
    return table.buckets[key[0] % bucket_count];
}

Entry* find(Table& table, const Key& key) noexcept {
    Bucket& bucket = bucket_of(table, key);
    const auto found = std::find_if(bucket.begin(), bucket.end(),
                                    [&key](const Entry& entry) { return entry.key == key; });
    return found != bucket.end() ? &*found : nullptr;
}

/// Returns the delay before the next count, during which other requests join. Requests that waited
/// for a count return at the same moment. Without the delay, the first would count alone and the
/// others would wait for one more count.
Clock::duration coalescing_delay(const Entry& entry) noexcept {
    constexpr Clock::duration longest = std::chrono::milliseconds(10);
    constexpr int part = 32; // negligible for a single request
    return entry.is_wanted ? std::min(Clock::duration(entry.took) / part, longest)
                           : Clock::duration(0);
}

/// Ends the count of an entry at the end of the scope.
class CountGuard {
  public:
    explicit CountGuard(Entry& entry) noexcept : entry_(entry) {}
    ~CountGuard() {
        entry_.counting.unlock();
        entry_.ended.notify_all();
    }
    CountGuard(const CountGuard&) = delete;
    CountGuard& operator=(const CountGuard&) = delete;

  private:
    Entry& entry_;
};

/// Assigns the oldest of a few entries to the key and begins its count. Returns nothing if all of
/// them are being counted.
Entry* claim(Table& table, const Key& key) noexcept {
    Bucket& bucket = bucket_of(table, key);
    std::array<Entry*, bucket_size> oldest_first;
    std::transform(
        bucket.begin(), bucket.end(), oldest_first.begin(), [](Entry& entry) { return &entry; });
    std::sort(oldest_first.begin(), oldest_first.end(),
              [](const Entry* left, const Entry* right) { return left->begun < right->begun; });
    for (Entry* const entry : oldest_first)
        if (entry->counting.try_lock() != LockResult::failed) {
            entry->key = key;
            entry->begun = 0;
            entry->total = -1;
            entry->took = 0;
            entry->is_wanted = false;
            return entry;
        }
    return nullptr;
}

/// Counts a total and stores it. The caller holds `counting`.
store::Result<std::int64_t> counted(Table& table, Entry& entry, const Key& key,
                                    const store::Totals::Count& count) {
    CountNumber begun = 0;
    std::uint64_t generation = 0;
    store::LastTotal last;
    {
        const TableLock lock(table);
        begun = ++table.latest;
        generation = table.generation;
        if (entry.total >= 0)
            last = entry.total;
    }
    const auto begun_at = Clock::now();
    const store::Result<std::int64_t> total = count(last);
    if (total) {
        const TableLock lock(table);
        entry.key = key;
        entry.begun = begun;
        entry.generation = generation;
        entry.begun_at = begun_at.time_since_epoch().count();
        entry.total = *total;
        entry.took = (Clock::now() - begun_at).count();
    }
    return total;
}

} // namespace

std::size_t SharedTotals::size_of() noexcept {
    return sizeof(Table);
}

bool SharedTotals::init(void* memory) noexcept {
    Table& table = *new (memory) Table{};
    crypto::random_bytes(table.secret);
    bool is_ready = table.mutex.init();
    for (Bucket& bucket : table.buckets)
        for (Entry& entry : bucket)
            is_ready = is_ready && entry.counting.init();
    return is_ready;
}

store::Result<std::int64_t> SharedTotals::total(const store::Filter& filter,
                                                store::Deadline deadline, const Count& count) {
    // The counting process may be killed meanwhile.
    constexpr std::chrono::milliseconds longest_wait_at_once{50};
    Table& table = table_of(memory_);
    const Key key = key_of(table, options_.place, filter);
    const auto asked_at = Clock::now();
    std::optional<CountNumber> asked;
    while (true) {
        Entry* entry = nullptr;
        Entry* own = nullptr; // the entry that this call counts
        Clock::duration gathering(0);
        ipc::Event::Generation ended = 0;
        {
            const TableLock lock(table);
            if (!asked)
                asked = table.latest;
            entry = find(table, key);
            if (entry != nullptr && entry->begun != 0) {
                const auto age = asked_at.time_since_epoch() - Clock::duration(entry->begun_at);
                if (entry->begun > *asked ||
                    (is_caching() && entry->generation == table.generation && age < options_.age))
                    return entry->total;
            }
            if (entry == nullptr) {
                own = claim(table, key);
            } else {
                ended = entry->ended.generation(); // before checking for a running count
                if (entry->counting.try_lock() != LockResult::failed)
                    own = entry;
                else
                    entry->is_wanted = true;
            }
            if (own != nullptr) {
                gathering = coalescing_delay(*own);
                own->is_wanted = false;
            }
        }
        if (own != nullptr) {
            const CountGuard counting(*own);
            std::this_thread::sleep_for(gathering);
            return counted(table, *own, key, count);
        }
        if (entry == nullptr)
            return count({});
        const auto now = Clock::now();
        if (now >= deadline) {
            log_.write_throttled(
                text::Level::error,
                "UA0214: another request's count of the same users did not end within " +
                    std::to_string(options_.timeout.count() / 1000) + " s; raise " +
                    options_.timeout_directive);
            return store::Failure::unavailable;
        }
        entry->ended.wait_until(ended, std::min(deadline, now + longest_wait_at_once));
    }
}

void SharedTotals::forget(void* memory) noexcept {
    ++table_of(memory).generation;
}

} // namespace useradmin::httpd
