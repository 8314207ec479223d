#include "password/attempt_limiter.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace useradmin::password {

namespace {

template <class T>
std::string_view bytes_of(const T& value) noexcept {
    return {reinterpret_cast<const char*>(&value), sizeof value};
}

} // namespace

std::uint64_t AttemptLimiter::Subject::account() const noexcept {
    std::uint64_t value = 0;
    std::memcpy(&value, keys.back().data(), sizeof value);
    return value;
}

AttemptLimiter::Subject AttemptLimiter::subject(text::Network network, const AttemptLimit& limit,
                                                std::string_view tables_id,
                                                std::string_view account) const {
    const Key whole_account = counts_.key(tables_id, account);
    Subject subject{network, {}};
    for (std::size_t index = 0; index < scopes.size(); ++index) {
        const Scope& scope = scopes[index];
        const std::uint64_t bits =
            scope.prefix_length != 0 ? network.widened(scope.prefix_length).bits() : 0;
        subject.keys[index] =
            counts_.key(bytes_of(limit.window), bytes_of(scope.prefix_length), bytes_of(bits),
                        scope.of_one_account ? bytes_of(whole_account) : std::string_view());
    }
    return subject;
}

std::optional<AttemptLimiter::Rejection> AttemptLimiter::check(const Subject& subject,
                                                               const AttemptLimit& limit,
                                                               Clock::time_point now) noexcept {
    // The narrowest scope comes first. Report it, but with the longest wait of all scopes.
    std::optional<Rejection> rejection;
    for (std::size_t index = 0; index < scopes.size(); ++index) {
        const Scope& scope = scopes[index];
        if (!applies(scope, subject.network))
            continue;
        const auto bucket = counts_.lock(subject.keys[index]);
        const Counts::Entry* const count = bucket.find();
        if (count == nullptr || count->value.count < scope.factor * limit.attempts ||
            count->age(now) >= limit.window)
            continue;
        const auto wait = std::chrono::ceil<std::chrono::seconds>(limit.window - count->age(now));
        rejection = {rejection ? rejection->scope : scope,
                     rejection ? std::max(rejection->retry_after, wait) : wait};
    }
    return rejection;
}

void AttemptLimiter::record_failure(const Subject& subject, const AttemptLimit& limit,
                                    Clock::time_point now) noexcept {
    for (std::size_t index = 0; index < scopes.size(); ++index) {
        if (!applies(scopes[index], subject.network))
            continue;
        const auto bucket = counts_.lock(subject.keys[index]);
        Counts::Entry* const count = bucket.find();
        if (count != nullptr && count->age(now) < limit.window)
            ++count->value.count;
        else
            write(bucket, limit, 1, limit.window, now);
    }
}

void AttemptLimiter::record_rejection(const Subject& subject, const AttemptLimit& limit,
                                      std::size_t scope, std::chrono::seconds retry_after,
                                      Clock::time_point now) noexcept {
    const auto bucket = counts_.lock(subject.keys[scope]);
    write(bucket, limit, scopes[scope].factor * limit.attempts, retry_after, now);
}

void AttemptLimiter::clear_failures(const Subject& subject) noexcept {
    const auto bucket = counts_.lock(subject.keys.front());
    if (Counts::Entry* const count = bucket.find())
        bucket.erase(*count);
}

void AttemptLimiter::write(const Counts::Bucket& bucket, const AttemptLimit& limit, unsigned count,
                           std::chrono::seconds retry_after, Clock::time_point now) noexcept {
    Counts::Entry* entry = bucket.find();
    if (entry == nullptr)
        entry = bucket.find_replaceable(
            [](const Counts::Entry&) { return true; },
            [now](const Counts::Entry& other) {
                const bool has_expired = other.written_at == 0 ||
                                         other.age(now) >= std::chrono::seconds(other.value.window);
                return std::pair(has_expired ? 0 : other.value.count, other.written_at.load());
            });
    bucket.write(*entry, now + retry_after - limit.window, [&](Failures& failures) {
        failures = {count, static_cast<std::uint32_t>(limit.window.count())};
    });
}

} // namespace useradmin::password
