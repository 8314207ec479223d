// The second step of sign-in, with a clock set by the test.
#include "crypto/encryption.hpp"
#include "crypto/signature.hpp"
#include "fake_sign_in.hpp"
#include "text/url.hpp"

#include <array>
#include <utility>

namespace useradmin::test {

namespace {

using namespace std::chrono_literals;

constexpr std::string_view key = "12345678901234567890";
// The one-time password at this time (RFC 6238, appendix B).
constexpr text::Timestamp code_time{std::chrono::seconds(1111111109)};
constexpr std::string_view right_code = R"({"code":"081804"})";
constexpr std::string_view wrong_code = R"({"code":"081805"})";

constexpr std::string_view invalid_cookie = "401 INVALID_TWO_FACTOR_COOKIE";

} // namespace

TEST_GROUP_BASE(second_step, SignInScene) {
    std::array<std::string_view, 1> secrets{"a secret of thirty-two characters"};
    crypto::SigningSecrets used_secrets{secrets};
    std::string challenge;
    std::string trusted_device;
    std::string content_type = "application/json";
    bool has_dont_remember = false;
    std::string encrypted_key;
    std::string encrypted_codes;
    audit::Event event;

    void setup() override {
        SignInScene::setup();
        second_factor = sign_in::SecondFactor::verified;
        store.credentials[eva.email].has_second_factor = true;
        const crypto::Decrypted like{crypto::Secret(), secrets[0], {}};
        encrypted_key = crypto::encrypt(key, like);
        encrypted_codes = crypto::encrypt(R"(["aaaaa-bbbbb","ccccc-ddddd"])", like);
        store::UserWithSecondFactor& stored = store.second_factors["eva"];
        stored.user = eva;
        stored.factor.user_id = "eva";
        stored.factor.secret = encrypted_key;
        stored.factor.backup_codes = encrypted_codes;
    }

    http::Response send(std::string_view path, std::string_view text,
                        std::string_view method = "POST") {
        calls.clear();
        headers.fields["Content-Type"] = content_type;
        body.body.text = text;
        const sign_in::Cookies cookies("better-auth.session_token", secrets[0], false);
        auto credentials = verifier();
        event = {};
        sign_in::Client client{"192.0.2.1", text::Network::of("192.0.2.1"), {}, has_dont_remember};
        client.challenge = challenge;
        client.trusted_device = trusted_device;
        return sign_in::handle_request(
            {method, path, {}, headers, body}, client,
            {store, credentials, cookies, {}, code_time, event, 100, false, used_secrets});
    }

    http::Response sign_in(bool is_remembered = true) {
        return send("/sign-in/email",
                    is_remembered
                        ? R"({"email":"eva@example.org","password":"right"})"
                        : R"({"email":"eva@example.org","password":"right","rememberMe":false})");
    }

    /// Returns the status of a response, followed by the error code, if any.
    static std::string status(const http::Response& response) {
        constexpr std::string_view member = R"("code":")";
        const std::size_t start = response.body.find(member);
        std::string text = std::to_string(response.status);
        if (start != response.body.npos)
            text += " " + response.body.substr(start + member.size(),
                                               response.body.size() - start - member.size() - 2);
        return text;
    }
    std::string verify_totp(std::string_view text = right_code) {
        return status(send("/two-factor/verify-totp", text));
    }
    std::string verify_backup_code(std::string_view text) {
        return status(send("/two-factor/verify-backup-code", text));
    }

    /// Returns the verified value of a cookie that the response sets. Returns an empty string if
    /// the response deletes it, and "-" if the response does not set it.
    std::string cookie(const http::Response& response, std::string_view name) const {
        std::string value = "-";
        for (const http::Header& header : response.headers) {
            const std::string_view text = header.value;
            const std::string start = "better-auth." + std::string(name) + "=";
            if (std::string_view(header.name) != "Set-Cookie" || !text.starts_with(start))
                continue;
            const std::string decoded =
                text::decode_path_segment(text.substr(start.size(), text.find(';') - start.size()));
            const auto verified = crypto::verify_signature(decoded, secrets[0]);
            value = verified ? std::string(*verified) : decoded;
        }
        return value;
    }

    /// Signs in with the password and saves the challenge.
    void begin() {
        const http::Response response = sign_in();
        expect("200", status(response));
        challenge = cookie(response, "two_factor");
    }
};

TEST(second_step, is_required_after_a_correct_password) {
    const http::Response response = sign_in();
    expect(R"({"twoFactorRedirect":true,"twoFactorMethods":["totp"]})", response.body);
    expect("second-factor", event.reason);
    expect("eva", event.target);
    expect("", event.caller);
    const std::string identifier = cookie(response, "two_factor");
    CHECK_TRUE(identifier.starts_with("2fa-"));
    expect("eva", store.verifications[identifier]);
    expect("0", store.verifications["2fa-attempts-" + identifier]);
    expect("", cookie(response, "session_token"));
    expect("", log.text());
    CHECK_FALSE(store.opened.has_value());
}

TEST(second_step, is_not_offered_for_a_wrong_password) {
    expect("401 INVALID_EMAIL_OR_PASSWORD",
           status(send("/sign-in/email", R"({"email":"eva@example.org","password":"wrong"})")));
    CHECK_TRUE(store.verifications.empty());
}

TEST(second_step, names_no_method_without_a_verified_key) {
    store.second_factors["eva"].factor.verified = "f";
    expect(R"({"twoFactorRedirect":true,"twoFactorMethods":[]})", sign_in().body);
    store.second_factors.clear();
    expect(R"({"twoFactorRedirect":true,"twoFactorMethods":[]})", sign_in().body);
}

TEST(second_step, is_rejected_if_it_cannot_be_verified) {
    for (const char* call : {"find_second_factor", "change_second_factor"}) {
        log.lines.clear();
        store.failures = {{call, store::Failure::failed}};
        expect("403 TWO_FACTOR_REQUIRED", status(sign_in()));
        CHECK_TRUE(log.text().starts_with("UA0316"));
        store.failures = {{call, store::Failure::unavailable}};
        expect("503 SERVICE_UNAVAILABLE", status(sign_in()));
    }
    store.failures.clear();
    used_secrets = {};
    expect("403 TWO_FACTOR_REQUIRED", status(sign_in()));
}

TEST(second_step, has_no_endpoints_without_a_secret) {
    used_secrets = {};
    for (const char* path : {"/two-factor/verify-totp", "/two-factor/verify-backup-code"})
        for (const char* method : {"GET", "OPTIONS", "POST"}) {
            const http::Response response = send(path, right_code, method);
            expect("404 NOT_FOUND", status(response));
            expect("", header_of(response, "Allow"));
        }
}

TEST(second_step, opens_a_session_with_the_correct_code) {
    begin();
    const http::Response response = send("/two-factor/verify-totp", right_code);
    expect("200", status(response));
    CHECK_TRUE(response.body.starts_with(R"({"token":")"));
    CHECK_TRUE(store.opened.has_value());
    expect("eva", store.opened->user_id);
    expect(store.opened->token, cookie(response, "session_token"));
    expect("", cookie(response, "two_factor"));
    expect("-", cookie(response, "trust_device"));
    expect("verify-totp", event.operation);
    expect("eva", event.caller);
    expect("admin", event.role);
    CHECK_TRUE(store.verifications.empty());
    expect(invalid_cookie, verify_totp());
}

TEST(second_step, accepts_each_one_time_password_once) {
    begin();
    expect("200", verify_totp());
    begin();
    expect("401 INVALID_CODE", verify_totp());
    expect("wrong-code", event.reason);
    CHECK_EQUAL(1, store.failed_codes);
    expect("401 INVALID_CODE", verify_totp(wrong_code));
    expect("200", verify_totp(R"({"code":"050471"})")); // the code of the next step
    store.attempts.clear();
    begin();
    log.lines.clear();
    store.failures = {{"attempts", store::Failure::unavailable}};
    expect("503 SERVICE_UNAVAILABLE", verify_totp());
    store.failures = {{"attempts", store::Failure::failed}};
    expect("500 INTERNAL_SERVER_ERROR", verify_totp());
    expect("", log.text());
    store.has_attempts = false; // nothing counts the uses
    store.failures.clear();
    expect("200", verify_totp());
    begin();
    expect("200", verify_totp());
}

TEST(second_step, opens_no_session_if_another_request_takes_the_challenge) {
    begin();
    store.meanwhile = [this] { store.verifications.clear(); };
    expect(invalid_cookie, verify_totp());
    CHECK_FALSE(store.opened.has_value());
}

TEST(second_step, ends_if_the_password_or_address_changes) {
    store::Credential& stored = store.credentials[eva.email];
    begin();
    stored.password_hash = "new";
    const http::Response response = send("/two-factor/verify-totp", right_code);
    expect(invalid_cookie, status(response));
    expect("", cookie(response, "two_factor"));
    stored.password_hash = "right";
    begin();
    model::User& user = store.second_factors["eva"].user;
    user.email = "new@example.org";
    store.credentials[user.email] = {user, "right"};
    expect(invalid_cookie, verify_totp());
    CHECK_FALSE(store.opened.has_value());
    user.email = eva.email;
    expect("200", verify_totp());
    expect("right", store.terms->password_hash.value_or("nothing"));
}

TEST(second_step, accepts_the_code_after_the_hash_was_replaced) {
    passwords.renewal = "new hash";
    begin();
    store.credentials[eva.email].password_hash = "new hash";
    expect("200", verify_totp());
    expect("new hash", store.terms->password_hash.value_or("nothing"));
}

TEST(second_step, accepts_a_challenge_of_the_application) {
    challenge = "2fa-Ab-9_z";
    store.verifications[challenge] = "eva";
    expect("200", verify_totp());
}

TEST(second_step, accepts_a_challenge_signed_with_a_previous_secret) {
    begin();
    const std::array<std::string_view, 2> rotated{"another secret of more characters", secrets[0]};
    used_secrets = rotated;
    expect("200", verify_totp());
}

TEST(second_step, needs_a_challenge) {
    for (const char* value : {"", "2fa-unknown", "trust-device-x", "2fa-\xff"}) {
        store.verifications["trust-device-x"] = "eva";
        challenge = value;
        expect(invalid_cookie, verify_totp());
        expect("", calls.text().find("find_second_factor") == std::string::npos ? "" : "looked up");
    }
}

TEST(second_step, counts_a_wrong_code_as_a_wrong_password) {
    limit.attempts = 3;
    begin();
    for (int time = 0; time < 3; ++time) {
        expect("401 INVALID_CODE", verify_totp(wrong_code));
        expect("wrong-code", event.reason);
        expect("eva", event.target);
    }
    expect("UA0315: sign-in as 'eva@example.org' failed: the code is wrong", log.lines.back());
    expect("429", verify_totp());
    expect("too-many-attempts", event.reason);
    expect("429", status(sign_in()));
    CHECK_EQUAL(3, store.failed_codes);
    CHECK_FALSE(store.opened.has_value());
}

TEST(second_step, allows_five_codes_after_one_password) {
    limit.attempts = 100;
    begin();
    for (int time = 0; time < 4; ++time)
        expect("401 INVALID_CODE", verify_totp(wrong_code));
    expect("401 INVALID_BACKUP_CODE", verify_backup_code(wrong_code));
    const http::Response response = send("/two-factor/verify-totp", right_code);
    expect(R"({"message":"Too many attempts. Please request a new code.",)"
           R"("code":"TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE"})",
           response.body);
    expect("400 TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE", status(response));
    expect("", cookie(response, "two_factor"));
    expect("too-many-attempts", event.reason);
    CHECK_EQUAL(5, store.failed_codes);
    CHECK_FALSE(store.verifications.contains(challenge));
    expect(invalid_cookie, verify_totp());
    begin();
    expect("200", verify_totp());
}

TEST(second_step, accepts_the_fifth_code_after_one_password) {
    limit.attempts = 100;
    begin();
    for (int time = 0; time < 4; ++time)
        expect("401 INVALID_CODE", verify_totp(wrong_code));
    expect("200", verify_totp());
}

TEST(second_step, counts_codes_of_concurrent_requests) {
    begin();
    const std::string attempts = "2fa-attempts-" + challenge;
    store.meanwhile = [&, is_first = true]() mutable {
        if (std::exchange(is_first, false))
            store.verifications[attempts] = "3";
    };
    expect("401 INVALID_CODE", verify_totp(wrong_code));
    expect("4", store.verifications[attempts]);
    store.meanwhile = [&] { store.verifications[attempts] = "5"; };
    expect("400 TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE", verify_totp());
    CHECK_EQUAL(1, store.failed_codes);
}

TEST(second_step, accepts_no_code_after_concurrent_ones_reach_the_limit) {
    for (const bool is_shared : {false, true}) {
        limit.is_shared = is_shared;
        begin();
        store.meanwhile = [&] {
            store.meanwhile = nullptr;
            for (int time = 0; time < 3; ++time)
                verify("eva@example.org", "wrong");
        };
        expect("429", verify_totp());
        expect("too-many-attempts", event.reason);
        CHECK_FALSE(store.opened.has_value());
        store.attempts.clear();
        std::construct_at(&*limiter);
        CHECK_TRUE(limiter->init());
    }
}

TEST(second_step, accepts_no_code_after_concurrent_ones_lock_the_factor) {
    begin();
    store.meanwhile = [&, changes = 0]() mutable {
        if (++changes == 2)
            store.second_factors["eva"].factor.locked_until = code_time + 15min;
    };
    const http::Response response = send("/two-factor/verify-totp", right_code);
    expect("429 ACCOUNT_TEMPORARILY_LOCKED", status(response));
    expect("900", header_of(response, "Retry-After"));
    expect("locked", event.reason);
    CHECK_FALSE(store.opened.has_value());
    CHECK_TRUE(store.second_factors["eva"].factor.locked_until.has_value());
}

TEST(second_step, ends_if_its_count_of_codes_is_missing) {
    begin();
    store.verifications.erase("2fa-attempts-" + challenge);
    expect(invalid_cookie, verify_totp());
    CHECK_FALSE(store.opened.has_value());
    challenge = "2fa-Ab-9_z"; // better-auth before 1.6.21
    store.verifications[challenge] = "eva";
    expect("401 INVALID_CODE", verify_totp(wrong_code));
    expect("200", verify_totp());
}

TEST(second_step, does_not_verify_a_code_that_cannot_be_counted) {
    begin();
    for (const auto& [failure, expected] :
         {std::pair(store::Failure::failed, "500 INTERNAL_SERVER_ERROR"),
          std::pair(store::Failure::unavailable, "503 SERVICE_UNAVAILABLE")}) {
        store.failures = {{"change_second_factor", failure}};
        expect(expected, verify_totp(wrong_code));
        expect("", event.reason);
    }
    CHECK_EQUAL(0, store.failed_codes);
}

TEST(second_step, that_succeeds_clears_the_failures_of_the_account) {
    limit.attempts = 2;
    for (int round = 0; round < 3; ++round) {
        store.attempts.clear(); // the code has been used
        begin();
        expect("401 INVALID_CODE", verify_totp(wrong_code));
        expect("200", verify_totp());
        CHECK_EQUAL(0, store.failed_codes);
    }
}

TEST(second_step, counts_wrong_codes_on_all_servers_together) {
    limit = {2, 60s, true};
    begin();
    expect("401 INVALID_CODE", verify_totp(wrong_code));
    std::int64_t most = 0;
    for (const auto& [subject, count] : store.attempts)
        most = std::max(most, count);
    CHECK_EQUAL(1, most);
}

TEST(second_step, rejects_a_locked_second_factor_until_the_lock_ends) {
    begin();
    store.second_factors["eva"].factor.locked_until = code_time + 1500ms;
    const http::Response response = send("/two-factor/verify-totp", right_code);
    expect("429 ACCOUNT_TEMPORARILY_LOCKED", status(response));
    expect("2", header_of(response, "Retry-After"));
    expect("locked", event.reason);
    store.second_factors["eva"].factor.locked_until = code_time;
    store.failed_codes = 10;
    expect("401 INVALID_CODE", verify_totp(wrong_code));
    CHECK_EQUAL(1, store.failed_codes);
    expect("200", verify_totp());
}

TEST(second_step, rejects_a_banned_user) {
    begin();
    store.second_factors["eva"].user.banned = true;
    expect("403 BANNED_USER", verify_totp());
    expect("banned", event.reason);
}

TEST(second_step, needs_a_verified_key_for_a_code) {
    begin();
    store.second_factors["eva"].factor.verified = "f";
    expect("400 TOTP_NOT_ENABLED", verify_totp());
    expect("200", verify_backup_code(R"({"code":"aaaaa-bbbbb"})"));
}

TEST(second_step, needs_a_second_factor) {
    begin();
    store.second_factors.clear();
    expect("400 TOTP_NOT_ENABLED", verify_totp());
    expect("400 BACKUP_CODES_NOT_ENABLED", verify_backup_code(right_code));
}

TEST(second_step, logs_a_key_that_cannot_be_decrypted) {
    begin();
    store.second_factors["eva"].factor.secret = "00";
    expect("500 INTERNAL_SERVER_ERROR", verify_totp());
    expect("UA0320: cannot decrypt the second factor of 'eva@example.org'; set "
           "AuthUserAdminSecret to the application's secret\n",
           log.text());
    const crypto::Decrypted like{crypto::Secret(), secrets[0], {}};
    const std::string other_format = crypto::encrypt("aaaaa bbbbb", like);
    for (const std::string_view codes : {std::string_view("00"), std::string_view(other_format)}) {
        log.lines.clear();
        store.second_factors["eva"].factor.backup_codes = codes;
        expect("500 INTERNAL_SERVER_ERROR", verify_backup_code(right_code));
        expect("UA0320: cannot read the backup codes of 'eva@example.org'; set AuthUserAdminSecret "
               "to the application's secret, unless the application stores them in another "
               "format\n",
               log.text());
    }
    CHECK_EQUAL(0, store.failed_codes);
    expect("0", store.verifications["2fa-attempts-" + challenge]);
}

TEST(second_step, accepts_each_backup_code_once) {
    begin();
    expect("200", verify_backup_code(R"({"code":"aaaaa-bbbbb"})"));
    expect("verify-backup-code", event.operation);
    const auto remaining = crypto::decrypt(store.backup_codes, secrets);
    expect(R"(["ccccc-ddddd"])", remaining->text.view());
    begin();
    expect("401 INVALID_BACKUP_CODE", verify_backup_code(R"({"code":"aaaaa-bbbbb"})"));
    expect("200", verify_backup_code(R"({"code":"ccccc-ddddd"})"));
    expect("[]", crypto::decrypt(store.backup_codes, secrets)->text.view());
}

TEST(second_step, reads_backup_codes_that_are_not_encrypted) {
    begin();
    store.second_factors["eva"].factor.backup_codes = R"(["aaaaa-bbbbb","ccccc-ddddd"])";
    expect("200", verify_backup_code(R"({"code":"ccccc-ddddd"})"));
    expect(R"(["aaaaa-bbbbb"])", store.backup_codes);
}

TEST(second_step, rejects_a_backup_code_if_the_codes_change_meanwhile) {
    begin();
    store.meanwhile = [this] { store.second_factors["eva"].factor.backup_codes = "others"; };
    expect("409 FAILED_TO_VERIFY_BACKUP_CODE_PLEASE_TRY_AGAIN",
           verify_backup_code(R"({"code":"aaaaa-bbbbb"})"));
    CHECK_FALSE(store.opened.has_value());
}

TEST(second_step, opens_no_session_if_the_client_disables_it) {
    begin();
    const http::Response response =
        send("/two-factor/verify-backup-code", R"({"code":"aaaaa-bbbbb","disableSession":true})");
    expect("200", status(response));
    CHECK_TRUE(response.body.starts_with(R"({"user":{)"));
    expect("-", cookie(response, "session_token"));
    CHECK_FALSE(store.opened.has_value());
    expect("200", verify_totp());
}

TEST(second_step, remembers_whether_the_session_is_remembered) {
    const http::Response first = sign_in(false);
    expect("true", cookie(first, "dont_remember"));
    challenge = cookie(first, "two_factor");
    has_dont_remember = true;
    const http::Response second = send("/two-factor/verify-totp", right_code);
    expect("true", cookie(second, "dont_remember"));
    CHECK_TRUE(store.opened->expires_at == code_time + 24h);
}

TEST(second_step, expires_a_leftover_dont_remember_cookie) {
    expect("-", cookie(sign_in(), "dont_remember"));
    has_dont_remember = true;
    expect("", cookie(sign_in(), "dont_remember"));
}

TEST(second_step, that_trusts_the_device_expires_the_dont_remember_cookie) {
    begin();
    has_dont_remember = true;
    const http::Response response =
        send("/two-factor/verify-totp", R"({"code":"081804","trustDevice":true})");
    expect("", cookie(response, "dont_remember"));
    CHECK_TRUE(store.opened->expires_at == code_time + 24h);
}

TEST(second_step, is_skipped_on_a_trusted_device) {
    begin();
    const http::Response response =
        send("/two-factor/verify-totp", R"({"code":"081804","trustDevice":true})");
    trusted_device = cookie(response, "trust_device");
    const std::string identifier = trusted_device.substr(trusted_device.find('!') + 1);
    CHECK_TRUE(identifier.starts_with("trust-device-"));
    expect("eva", store.verifications[identifier]);

    const http::Response again = sign_in();
    CHECK_TRUE(again.body.starts_with(R"({"redirect":false,"token":")"));
    expect("", event.reason);
    expect("eva", event.caller);
    expect("right", *store.terms->password_hash);
    CHECK_FALSE(store.verifications.contains(identifier));
    const std::string renewed = cookie(again, "trust_device");
    CHECK_FALSE(renewed == trusted_device);
    trusted_device = renewed;
    CHECK_TRUE(sign_in().body.starts_with(R"({"redirect":false)"));
}

TEST(second_step, is_required_once_a_device_is_no_longer_trusted) {
    begin();
    trusted_device = cookie(
        send("/two-factor/verify-totp", R"({"code":"081804","trustDevice":true})"), "trust_device");
    store.verifications.clear();
    const http::Response response = sign_in();
    CHECK_TRUE(response.body.starts_with(R"({"twoFactorRedirect":true)"));
    expect("", cookie(response, "trust_device"));
}

TEST(second_step, is_required_on_a_device_that_another_user_trusts) {
    const std::string identifier = "trust-device-x";
    for (const auto& [owner, value] :
         {std::pair("ana", "ana"), std::pair("eva", "ana"), std::pair("ana", "eva")}) {
        store.verifications = {{identifier, value}};
        trusted_device =
            crypto::sign_base64url(owner + ("!" + identifier), secrets[0]) + "!" + identifier;
        CHECK_TRUE(sign_in().body.starts_with(R"({"twoFactorRedirect":true)"));
    }
}

TEST(second_step, validates_its_parameters) {
    begin();
    expect("400 VALIDATION_ERROR", verify_totp("{}"));
    expect("400 VALIDATION_ERROR", verify_totp(R"({"code":81804})"));
    expect("400 VALIDATION_ERROR", verify_totp(R"({"code":"081804","trustDevice":1})"));
    expect("400 VALIDATION_ERROR",
           verify_backup_code(R"({"code":"081804","disableSession":"true"})"));
    expect("400 BAD_REQUEST", verify_totp("{"));
}

TEST(second_step, rejects_a_form_and_keeps_the_challenge) {
    begin();
    content_type = "application/x-www-form-urlencoded";
    for (const char* path : {"/two-factor/verify-totp", "/two-factor/verify-backup-code"}) {
        const http::Response response = send(path, "code=081804");
        expect("415 UNSUPPORTED_MEDIA_TYPE", status(response));
        expect("-", cookie(response, "two_factor"));
    }
}

TEST(second_step, rejects_a_request_from_another_site) {
    begin();
    headers.fields["Cookie"] = "better-auth.two_factor=x";
    headers.fields["Origin"] = "https://evil.example";
    headers.fields["Host"] = "localhost";
    expect("403 INVALID_ORIGIN", verify_totp());
}

} // namespace useradmin::test
