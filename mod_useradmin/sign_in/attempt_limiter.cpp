#include "sign_in/attempt_limiter.hpp"

#include "crypto/random.hpp"
#include "ipc/mutex.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>

namespace useradmin::sign_in {

namespace {

using Key = AttemptLimiter::Key;
using Clock = AttemptLimiter::Clock;

// 32,768 counts in a MiB.
constexpr std::size_t bucket_count = 4096;
constexpr std::size_t bucket_size = 8;

/// The failures of one scope since the first of them.
struct Count {
    Key key;
    Clock::rep since;
    std::uint32_t failures;
};

using Bucket = std::array<Count, bucket_size>;

/// What the shared memory holds.
struct Table {
    /// Who is killed with it leaves counts that are at most one off.
    ipc::Mutex mutex;
    std::array<unsigned char, 32> secret;
    std::array<Bucket, bucket_count> buckets;
};

Table& table_of(void* memory) noexcept {
    return *static_cast<Table*>(memory);
}

/// An account's place and name, which may be of any length, each as a digest.
using AccountDigest = std::array<unsigned char, 64>;

AccountDigest digest_of(std::string_view place, std::string_view name) noexcept {
    AccountDigest digest{};
    unsigned length = 0;
    unsigned char* piece = digest.data();
    for (const std::string_view whole : {place, name}) {
        EVP_Digest(whole.data(), whole.size(), piece, &length, EVP_sha256(), nullptr);
        piece += digest.size() / 2;
    }
    return digest;
}

bool applies(const AttemptLimiter::Scope& scope, text::Network network) noexcept {
    return scope.prefix_length == 0 || scope.prefix_length == 64 || !network.is_ipv4();
}

Key key_of(const Table& table, const AttemptLimiter::Scope& scope, text::Network network,
           const AccountDigest& account) noexcept {
    std::array<unsigned char, 2 + sizeof(std::uint64_t) + sizeof account> text{
        scope.of_one_account, static_cast<unsigned char>(scope.prefix_length)};
    if (scope.prefix_length != 0) {
        const std::uint64_t bits = network.widened(scope.prefix_length).bits();
        std::memcpy(text.data() + 2, &bits, sizeof bits);
    }
    if (scope.of_one_account)
        std::copy(account.begin(), account.end(), text.end() - account.size());
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned length = 0;
    HMAC(EVP_sha256(), table.secret.data(), static_cast<int>(table.secret.size()), text.data(),
         text.size(), digest.data(), &length);
    Key key;
    std::copy_n(digest.begin(), key.size(), key.begin());
    return key;
}

Bucket& bucket_of(Table& table, const Key& key) noexcept {
    std::uint32_t number = 0;
    std::memcpy(&number, key.data(), sizeof number);
    return table.buckets[number % bucket_count];
}

Count* find(Table& table, const Key& key) noexcept {
    Bucket& bucket = bucket_of(table, key);
    const auto found = std::find_if(bucket.begin(), bucket.end(), [&](const Count& count) {
        return count.failures != 0 && count.key == key;
    });
    return found != bucket.end() ? &*found : nullptr;
}

Clock::duration age_of(const Count& count, Clock::time_point now) noexcept {
    return now.time_since_epoch() - Clock::duration(count.since);
}

/// A count without failures is free: nothing is older.
Clock::rep rank(const Count& count) noexcept {
    return count.failures != 0 ? count.since : std::numeric_limits<Clock::rep>::min();
}

/// How long the subject has to wait; nothing where it may try.
std::optional<std::chrono::seconds> wait_of(Table& table, const Key& key, unsigned most,
                                            std::chrono::seconds window,
                                            Clock::time_point now) noexcept {
    const Count* count = find(table, key);
    if (count == nullptr || count->failures < most || age_of(*count, now) >= window)
        return std::nullopt;
    return std::chrono::ceil<std::chrono::seconds>(window - age_of(*count, now));
}

void add(Table& table, const Key& key, std::chrono::seconds window,
         Clock::time_point now) noexcept {
    Count* count = find(table, key);
    if (count == nullptr) {
        Bucket& bucket = bucket_of(table, key);
        count = &*std::min_element(
            bucket.begin(), bucket.end(),
            [](const Count& left, const Count& right) { return rank(left) < rank(right); });
        count->failures = 0;
    } else if (age_of(*count, now) >= window) {
        count->failures = 0;
    }
    if (count->failures == 0) {
        count->key = key;
        count->since = now.time_since_epoch().count();
    }
    ++count->failures;
}

} // namespace

std::size_t AttemptLimiter::size_of() noexcept {
    return sizeof(Table);
}

bool AttemptLimiter::init(void* memory) noexcept {
    Table& table = *new (memory) Table{};
    crypto::random_bytes(table.secret);
    return table.mutex.init();
}

std::uint64_t AttemptLimiter::Subject::account() const noexcept {
    std::uint64_t value = 0;
    std::memcpy(&value, keys.back().data(), sizeof value);
    return value;
}

AttemptLimiter::Subject AttemptLimiter::subject(text::Network network, std::string_view place,
                                                std::string_view account) const noexcept {
    const AccountDigest digest = digest_of(place, account);
    Subject subject{network, {}};
    for (std::size_t index = 0; index < scopes.size(); ++index)
        subject.keys[index] = key_of(table_of(memory_), scopes[index], network, digest);
    return subject;
}

std::optional<AttemptLimiter::Denial> AttemptLimiter::check(const Subject& subject,
                                                            const AttemptLimit& limit,
                                                            Clock::time_point now) const noexcept {
    Table& table = table_of(memory_);
    const ipc::LockGuard lock(table.mutex);
    // The narrowest scope, which comes first, is reported with the longest wait.
    std::optional<Denial> denial;
    for (std::size_t index = 0; index < scopes.size(); ++index) {
        const Scope& scope = scopes[index];
        if (!applies(scope, subject.network))
            continue;
        const auto wait =
            wait_of(table, subject.keys[index], scope.factor * limit.attempts, limit.window, now);
        if (!wait)
            continue;
        if (!denial)
            denial = Denial{scope, *wait};
        denial->retry_after = std::max(denial->retry_after, *wait);
    }
    return denial;
}

void AttemptLimiter::record_failure(const Subject& subject, const AttemptLimit& limit,
                                    Clock::time_point now) noexcept {
    Table& table = table_of(memory_);
    const ipc::LockGuard lock(table.mutex);
    for (std::size_t index = 0; index < scopes.size(); ++index)
        if (applies(scopes[index], subject.network))
            add(table, subject.keys[index], limit.window, now);
}

void AttemptLimiter::clear_failures(const Subject& subject) noexcept {
    Table& table = table_of(memory_);
    const ipc::LockGuard lock(table.mutex);
    if (Count* count = find(table, subject.keys.front()))
        count->failures = 0;
}

} // namespace useradmin::sign_in
