// API keys and their limits (better-auth's apiKey plugin).
#include "fake_sign_in.hpp"
#include "fake_store.hpp"
#include "sign_in/api_key.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace useradmin::test {

namespace {

using namespace std::chrono_literals;
using sign_in::CredentialStatus;
using store::ApiKeyUse;

// echo -n secret | sha256sum, converted to base64url.
constexpr const char* digest_of_secret = "K7gNU3sdo-OL0wNhqoVWhr3g6s1xYv72ol_pe_Unols";

} // namespace

TEST_GROUP(api_keys) {
    void setup() override {
        model::User user;
        user.id = "me";
        user.role = "admin";
        found().user = user;
        model::ApiKey& key = found().key;
        key.id = "k";
        key.enabled = "t";
        key.created_at = now - 24h;
    }

    store::ApiKeyWithUser& found() {
        return store.api_keys[digest_of_secret];
    }
    model::ApiKey& key() {
        return found().key;
    }

    sign_in::Identity owner(std::string_view text = "secret") {
        store.key_use.reset();
        return sign_in::identify_api_key(store, text, now);
    }
    void expect(CredentialStatus status, std::string_view text = "secret") {
        CHECK_EQUAL(static_cast<int>(status), static_cast<int>(owner(text).status));
    }
    /// Uses the key, which must be valid. Returns the changes to its counters.
    ApiKeyUse use() {
        expect(CredentialStatus::valid);
        CHECK_TRUE(store.key_use.has_value());
        return *store.key_use;
    }
    void limit_rate(std::string_view most, std::string_view count,
                    std::chrono::milliseconds since) {
        key().rate_limit_enabled = "t";
        key().rate_limit_time_window = "60000";
        key().rate_limit_max = most;
        key().request_count = count;
        key().last_request = now - since;
    }

    Calls calls;
    FakeStore store{calls};
};

TEST(api_keys, have_an_owner_and_permissions) {
    key().permissions = R"({"files":["read"]})";
    const auto found_owner = owner();
    CHECK_EQUAL(static_cast<int>(CredentialStatus::valid), static_cast<int>(found_owner.status));
    CHECK_EQUAL(std::string("me"), std::string(found_owner.user_id));
    CHECK_EQUAL(std::string("admin"), std::string(found_owner.role));
    CHECK_EQUAL(std::string("k"), std::string(found_owner.key_id));
    CHECK_EQUAL(std::string(R"({"files":["read"]})"), std::string(found_owner.permissions));
}

TEST(api_keys, are_rejected_if_unknown_or_not_owned_by_a_user) {
    expect(CredentialStatus::unknown, "another");
    expect(CredentialStatus::malformed, "");
    expect(CredentialStatus::malformed, "\xff");
    key().config_id = "other";
    expect(CredentialStatus::unknown);
    key().config_id = "default";
    expect(CredentialStatus::valid);
    found().user.reset();
    expect(CredentialStatus::unknown);
}

TEST(api_keys, are_rejected_while_disabled) {
    for (const char* const text : {"f", "0", "false"}) {
        key().enabled = text;
        expect(CredentialStatus::disabled);
    }
    key().enabled.reset();
    expect(CredentialStatus::valid);
}

TEST(api_keys, are_rejected_after_their_expiry) {
    key().expires_at = now;
    expect(CredentialStatus::valid);
    key().expires_at = now - 1ms;
    expect(CredentialStatus::expired);
    CHECK_FALSE(store.key_use.has_value());
}

TEST(api_keys, are_rejected_while_their_owner_is_banned) {
    found().user->banned = true;
    expect(CredentialStatus::banned);
    found().user->ban_expires = now - 1ms;
    expect(CredentialStatus::valid);
}

TEST(api_keys, with_limited_requests_are_rejected_after_the_last_one) {
    key().remaining = "1";
    CHECK_TRUE(use().remaining == ApiKeyUse::Remaining::take);
    key().remaining = "0";
    expect(CredentialStatus::exhausted);
    CHECK_FALSE(store.key_use.has_value());
}

TEST(api_keys, are_refilled_after_their_interval) {
    key().remaining = "0";
    key().refill_amount = "5";
    key().refill_interval = "3600000";
    const ApiKeyUse refill = use();
    CHECK_TRUE(refill.remaining == ApiKeyUse::Remaining::refill);
    CHECK_EQUAL(4, refill.refilled);
    CHECK_TRUE(refill.refill_before == now - 1h);
    key().last_refill_at = now - 1h;
    expect(CredentialStatus::exhausted);
    key().remaining = "3";
    CHECK_TRUE(use().remaining == ApiKeyUse::Remaining::take);
}

TEST(api_keys, with_a_rate_limit_are_rejected_until_its_window_ends) {
    limit_rate("2", "1", 10s);
    const ApiKeyUse counted = use();
    CHECK_TRUE(counted.rate == ApiKeyUse::Rate::count);
    CHECK_EQUAL(2, counted.max_requests);
    limit_rate("2", "2", 10s);
    const auto limited = owner();
    CHECK_EQUAL(static_cast<int>(CredentialStatus::limited), static_cast<int>(limited.status));
    CHECK_EQUAL(50, limited.retry_after.count());
    limit_rate("2", "2", 60s);
    CHECK_EQUAL(1, owner().retry_after.count());
    limit_rate("2", "2", 60001ms);
    const ApiKeyUse started = use();
    CHECK_TRUE(started.rate == ApiKeyUse::Rate::start);
    CHECK_TRUE(started.window_before == now - 60s);
    key().last_request.reset();
    CHECK_TRUE(use().rate == ApiKeyUse::Rate::start);
    limit_rate("2", "2", 10s);
    key().rate_limit_enabled = "f";
    expect(CredentialStatus::valid);
    limit_rate("2", "2", 10s);
    key().rate_limit_max.reset();
    expect(CredentialStatus::valid);
}

TEST(api_keys, without_limits_are_written_once_a_minute) {
    key().last_request = now - 59s;
    expect(CredentialStatus::valid);
    CHECK_FALSE(store.key_use.has_value());
    key().last_request = now - 60s;
    CHECK_TRUE(use().rate == ApiKeyUse::Rate::unlimited);
    // The same applies if the database is not writable.
    store.failures["use_api_key"] = store::Failure::unavailable;
    expect(CredentialStatus::valid);
    key().remaining = "1";
    expect(CredentialStatus::unavailable);
}

TEST(api_keys, are_read_again_if_their_limits_change) {
    key().remaining = "1";
    store.failures["use_api_key"] = store::Failure::not_found;
    store.meanwhile = [&] { key().remaining = "0"; };
    expect(CredentialStatus::exhausted);
    key().remaining = "1";
    store.meanwhile = {};
    expect(CredentialStatus::unavailable);
}

TEST(api_keys, with_absurd_numbers_do_not_overflow) {
    key().remaining = "9223372036854775807";
    key().refill_interval = "9223372036854775807";
    key().refill_amount = "9223372036854775807";
    limit_rate("9223372036854775807", "-9223372036854775808", 10s);
    key().rate_limit_time_window = "9223372036854775807";
    CHECK_TRUE(use().remaining == ApiKeyUse::Remaining::take);
}

TEST(api_keys, cannot_be_looked_up_while_the_database_fails) {
    store.failures["find_api_key"] = store::Failure::unavailable;
    expect(CredentialStatus::unavailable);
    store.failures["find_api_key"] = store::Failure::failed;
    expect(CredentialStatus::failed);
}

} // namespace useradmin::test
