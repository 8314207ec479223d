#pragma once

#include "crypto/random.hpp"
#include "crypto/sha256.hpp"
#include "ipc/mutex.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <string_view>
#include <tuple>

namespace useradmin::ipc {

/// A hash table of fixed size in shared memory. Each stripe of buckets has a mutex. An entry is
/// marked free while it is being written, so a killed process leaves no partial entry.
template <class Value, std::size_t stripe_count, std::size_t buckets_per_stripe>
class SharedTable {
  public:
    using Clock = std::chrono::steady_clock;
    /// The result of key(): a digest of strings and a random secret, so clients cannot choose a
    /// bucket.
    using Key = std::array<unsigned char, 16>;

    struct Entry {
        Key key;
        /// The time passed to write(), in ticks of Clock, or 0 if the entry is free. Changes only
        /// while the stripe is locked, because find_replaceable() sorts by it.
        std::atomic<Clock::rep> written_at;
        Value value;

        Clock::duration age(Clock::time_point now) const noexcept {
            return now.time_since_epoch() - Clock::duration(written_at);
        }
    };
    static_assert(std::atomic<Clock::rep>::is_always_lock_free,
                  "a lock would not be shared by processes");

  private:
    using Entries = std::array<Entry, 8>;
    struct Stripe {
        Mutex mutex;
        bool has_entries;
        std::array<Entries, buckets_per_stripe> buckets;
    };

  public:
    /// The bucket of a key. The stripe is locked for the lifetime of the object.
    class Bucket {
      public:
        /// Returns the entry with the key, or nullptr if there is none.
        Entry* find() const noexcept {
            const auto found = std::ranges::find_if(entries_, [this](const Entry& entry) {
                return entry.written_at != 0 && entry.key == key_;
            });
            return found != entries_.end() ? &*found : nullptr;
        }
        /// Returns a free entry that meets the condition or, if there is none, the oldest entry
        /// that meets it. Returns nullptr if no entry meets it.
        template <class Condition>
        Entry* find_replaceable(const Condition& condition) const {
            return find_replaceable(
                condition, [](const Entry& entry) { return entry.written_at.load(); });
        }
        /// Of the entries that meet the condition, returns the one with the smallest `order`.
        /// Returns nullptr if no entry meets the condition.
        template <class Condition, class Order>
        Entry* find_replaceable(const Condition& condition, const Order& order) const {
            std::array<Entry*, std::tuple_size_v<Entries>> sorted;
            std::ranges::transform(
                entries_, sorted.begin(), [](Entry& entry) { return &entry; });
            std::ranges::sort(
                sorted, {}, [&](const Entry* entry) { return order(*entry); });
            const auto found =
                std::ranges::find_if(sorted, [&](Entry* entry) { return condition(*entry); });
            return found != sorted.end() ? *found : nullptr;
        }
        /// Sets the entry's key and time, and calls the function to update the value.
        template <class Change>
        void write(Entry& entry, Clock::time_point now, const Change& change) const {
            stripe_.has_entries = true;
            entry.written_at.exchange(0); // the writes below are not reordered before it
            entry.key = key_;
            change(entry.value);
            entry.written_at = now.time_since_epoch().count();
        }
        void erase(Entry& entry) const noexcept { entry.written_at = 0; }
        /// Writes the key's entry. If there is none, takes a free entry or replaces the oldest.
        template <class Change>
        void write(Clock::time_point now, const Change& change) const {
            Entry* const own = find();
            write(own != nullptr ? *own : *find_replaceable([](const Entry&) { return true; }), now,
                  change);
        }

      private:
        friend class SharedTable;
        Bucket(Stripe& stripe, std::size_t number, const Key& key) noexcept
            : lock_(stripe.mutex), stripe_(stripe), entries_(stripe.buckets[number]), key_(key) {}

        std::lock_guard<Mutex> lock_;
        Stripe& stripe_;
        Entries& entries_;
        const Key& key_;
    };

    /// Initializes the table in zeroed memory. Call once, before the processes fork. Returns false
    /// if a mutex cannot be initialized.
    [[nodiscard]] bool init() noexcept {
        crypto::random_bytes(secret_);
        return std::ranges::all_of(stripes_, [](Stripe& stripe) { return stripe.mutex.init(); });
    }
    /// Also initializes each value with the function, which must return false on failure.
    template <class InitValue>
    [[nodiscard]] bool init(const InitValue& init_value) noexcept {
        for (Stripe& stripe : stripes_)
            for (Entries& entries : stripe.buckets)
                for (Entry& entry : entries)
                    if (!init_value(entry.value))
                        return false;
        return init();
    }

    /// Hashes a list of strings to a key. Throws std::bad_alloc.
    template <class... Texts>
    Key key(const Texts&... texts) const {
        const crypto::Digest digest =
            crypto::digest({{reinterpret_cast<const char*>(secret_.data()), secret_.size()},
                            std::string_view(texts)...});
        Key key;
        std::copy_n(digest.begin(), key.size(), key.begin());
        return key;
    }

    /// Locks the bucket of a key. The key must outlive the returned object.
    Bucket lock(const Key& key) noexcept {
        std::size_t number = 0;
        std::memcpy(&number, key.data(), sizeof number);
        return {stripes_[number % stripe_count], number / stripe_count % buckets_per_stripe, key};
    }

    /// Frees the entries whose values meet the condition.
    template <class Condition>
    void erase_if(const Condition& condition) noexcept {
        for (Stripe& stripe : stripes_) {
            const std::lock_guard lock(stripe.mutex);
            if (!stripe.has_entries)
                continue;
            bool has_others = false;
            for (Entries& entries : stripe.buckets)
                for (Entry& entry : entries) {
                    if (entry.written_at != 0 && condition(entry.value))
                        entry.written_at = 0;
                    has_others = has_others || entry.written_at != 0;
                }
            stripe.has_entries = has_others;
        }
    }

  private:
    std::array<unsigned char, 32> secret_;
    std::array<Stripe, stripe_count> stripes_;
};

} // namespace useradmin::ipc
