#include "sign_in/api_key.hpp"

#include "crypto/sha256.hpp"
#include "text/unicode.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace useradmin::sign_in {

namespace {

using store::ApiKeyUse;

// If a key has no limits, its last use is written at most this often.
constexpr std::chrono::minutes last_use_update_interval(1);
// The maximum number of attempts if other requests use the key at the same time.
constexpr int max_key_attempts = 10;

std::optional<std::int64_t> number(model::NullableText text) noexcept {
    std::int64_t number = 0;
    if (!text ||
        std::from_chars(text->data(), text->data() + text->size(), number).ec != std::errc())
        return std::nullopt;
    // A thousand years in milliseconds. Prevents overflow in sums.
    constexpr std::int64_t max = 31'556'952'000'000;
    return std::clamp(number, -max, max);
}

/// Returns whether the key belongs to the default configuration, as all keys of earlier versions of
/// the plugin do.
bool has_default_configuration(const model::ApiKey& key) noexcept {
    const std::string_view configuration = key.config_id.value_or("");
    return configuration.empty() || configuration == "default";
}

/// Decides how the request counts against the remaining requests. Returns false if none remain.
bool use_remaining(const model::ApiKey& key, ApiKeyUse& use) {
    const auto remaining = number(key.remaining);
    if (!remaining)
        return true;
    const auto amount = number(key.refill_amount);
    const std::chrono::milliseconds interval(number(key.refill_interval).value_or(0));
    const model::NullableTime last = key.last_refill_at ? key.last_refill_at : key.created_at;
    if (interval.count() != 0 && amount.value_or(0) > 0 && last && use.now - *last > interval) {
        use.remaining = ApiKeyUse::Remaining::refill;
        use.refilled = *amount - 1;
        use.refill_before = use.now - interval;
        return true;
    }
    use.remaining = ApiKeyUse::Remaining::take;
    return *remaining > 0;
}

/// Sets in `use` how the request counts against the key's rate limit. Returns how long the client
/// must wait, or 0 if the limit is not reached.
std::chrono::milliseconds use_rate(const model::ApiKey& key, ApiKeyUse& use) {
    const auto window = number(key.rate_limit_time_window);
    const auto max_requests = number(key.rate_limit_max);
    if (model::is_false(key.rate_limit_enabled) || !window || !max_requests)
        return {};
    const std::chrono::milliseconds length(*window);
    use.max_requests = *max_requests;
    use.window_before = use.now - length;
    if (!key.last_request || use.now - *key.last_request > length) {
        use.rate = ApiKeyUse::Rate::start;
        return {};
    }
    use.rate = ApiKeyUse::Rate::count;
    if (number(key.request_count).value_or(0) < *max_requests)
        return {};
    return std::max(std::chrono::milliseconds(1), length - (use.now - *key.last_request));
}

/// Performs the checks in the plugin's order.
CredentialStatus key_status(const store::ApiKeyWithUser& found, text::Timestamp now) {
    if (!has_default_configuration(found.key) || !found.user)
        return CredentialStatus::unknown;
    if (!found.key.is_enabled())
        return CredentialStatus::disabled;
    if (found.key.expires_at && *found.key.expires_at < now)
        return CredentialStatus::expired;
    return is_banned(*found.user, now) ? CredentialStatus::banned : CredentialStatus::valid;
}

} // namespace

Identity identify_api_key(store::Store& store, std::string_view key, text::Timestamp now) {
    if (key.empty() || !text::is_clean_utf8(key))
        return {CredentialStatus::malformed};
    const std::string digest = crypto::sha256_base64url(key);
    for (int attempts_left = max_key_attempts; attempts_left > 0; --attempts_left) {
        const auto found = store.find_api_key(digest);
        if (!found)
            return {status_of(found.failure())};
        Identity owner{key_status(*found, now)};
        if (!found->user)
            return owner;
        owner.user_id = found->user->id;
        owner.role = found->user->role.value_or("");
        owner.key_id = found->key.id;
        owner.permissions = found->key.permissions.value_or("");
        if (owner.status != CredentialStatus::valid)
            return owner;
        ApiKeyUse use{found->key.id, now};
        if (!use_remaining(found->key, use)) {
            owner.status = CredentialStatus::exhausted;
            return owner;
        }
        if (const auto wait = use_rate(found->key, use); wait.count() > 0) {
            owner.status = CredentialStatus::limited;
            owner.retry_after = std::chrono::ceil<std::chrono::seconds>(wait);
            return owner;
        }
        const bool is_unlimited = use.remaining == ApiKeyUse::Remaining::unlimited &&
                                  use.rate == ApiKeyUse::Rate::unlimited;
        if (is_unlimited && found->key.last_request &&
            now - *found->key.last_request < last_use_update_interval)
            return owner;
        const auto used = store.use_api_key(use);
        // Accept a key without limits even if its last use cannot be written.
        if (used || is_unlimited)
            return owner;
        if (!used.is_not_found())
            return {status_of(used.failure())};
    }
    return {CredentialStatus::unavailable};
}

} // namespace useradmin::sign_in
