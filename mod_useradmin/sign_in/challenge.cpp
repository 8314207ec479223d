#include "sign_in/challenge.hpp"

#include "crypto/random.hpp"
#include "crypto/secret.hpp"
#include "crypto/signature.hpp"
#include "sign_in/responses.hpp"
#include "sign_in/verification_rows.hpp"
#include "text/unicode.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>

namespace useradmin::sign_in {

namespace {

// better-auth's defaults.
constexpr std::chrono::minutes challenge_lifetime(10);
constexpr int max_attempts_per_challenge = 5;

constexpr std::string_view challenge_prefix = "2fa-";

/// Returns the identifier of a challenge. The signature covers the address and the password hash,
/// so a change of either invalidates the challenge.
std::string challenge_of(std::string_view token, std::string_view email,
                         std::string_view password_hash, std::string_view secret) {
    std::string account(token);
    account.append("!").append(email).append("!").append(password_hash);
    return std::string(challenge_prefix).append(token).append("!") +
           crypto::sign_base64url(account, secret);
}

/// Returns whether httpd, not the application, issued the challenge.
bool is_own(std::string_view challenge) noexcept {
    return challenge.find('!') != challenge.npos;
}

/// Deletes the challenge, because no attempts are left.
Response too_many_attempts(std::string_view user_id, std::string_view challenge,
                           const Service& service) {
    service.event.reason = reason_of(Outcome::limited);
    store::SecondFactorChange change{user_id, service.now};
    change.deleted = {challenge};
    const auto deleted = change_second_factor(service, std::move(change));
    if (!deleted && !deleted.is_not_found())
        return store_error(deleted.failure());
    return end_challenge(error(400, "Too many attempts. Please request a new code.",
                               "TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE"),
                         service);
}

} // namespace

Response require_second_factor(const SignInResult& result, bool is_remembered, const Client& client,
                               const Service& service) {
    const model::User& user = result.user;
    const auto reject = [&] {
        service.credentials.log_second_factor(user, client.network);
        return rejection_of({Outcome::second_factor});
    };
    if (service.second_factor_secrets.empty())
        return reject();
    const auto found = service.store.find_second_factor(user.id);
    const std::string challenge =
        challenge_of(crypto::random_token(), user.email, result.password_hash,
                     service.second_factor_secrets.front());
    const std::string attempts = attempts_of(challenge);
    store::SecondFactorChange change{user.id, service.now};
    change.added = {verification_row(challenge, user.id, service.now, challenge_lifetime),
                    verification_row(attempts, "0", service.now, challenge_lifetime)};
    const auto changed = found || found.is_not_found()
                             ? change_second_factor(service, std::move(change))
                             : store::Result<store::Done>(found.failure());
    if (!changed)
        return changed.failure() == store::Failure::unavailable ? store_error(changed.failure())
                                                                : reject();
    Response response{200, found && found->factor.is_verified()
                               ? R"({"twoFactorRedirect":true,"twoFactorMethods":["totp"]})"
                               : R"({"twoFactorRedirect":true,"twoFactorMethods":[]})"};
    const Cookies& cookies = service.cookies;
    cookies.expire_session_token(response);
    if (!is_remembered)
        cookies.set(response, "dont_remember", "true");
    else if (client.has_dont_remember)
        cookies.expire(response, "dont_remember");
    if (!client.trusted_device.empty())
        cookies.expire(response, "trust_device");
    cookies.set(response, "two_factor", challenge, challenge_lifetime);
    return response;
}

store::Result<std::string_view> find_challenge(const Client& client, const Service& service) {
    if (!client.challenge.starts_with(challenge_prefix) || !text::is_clean_utf8(client.challenge))
        return store::Failure::not_found;
    return service.store.find_verification(client.challenge, service.now);
}

store::Result<std::string_view>
find_password_hash(const model::User& user, std::string_view challenge, const Service& service) {
    if (!is_own(challenge))
        return std::string_view();
    const auto found = service.store.find_credential(user.email);
    if (!found)
        return found.failure();
    const std::string_view token =
        challenge.substr(challenge_prefix.size(), challenge.find('!') - challenge_prefix.size());
    const std::string_view hash = found->password_hash.value_or("");
    const bool is_unchanged =
        found->user.id == user.id &&
        std::ranges::any_of(service.second_factor_secrets, [&](std::string_view secret) {
            return crypto::constant_time_equal(challenge,
                                               challenge_of(token, user.email, hash, secret));
        });
    return is_unchanged ? store::Result<std::string_view>(hash) : store::Failure::not_found;
}

std::string attempts_of(std::string_view challenge) {
    return "2fa-attempts-" + std::string(challenge);
}

std::optional<Response> count_code(std::string_view user_id, std::string_view challenge,
                                   const Service& service) {
    const std::string attempts = attempts_of(challenge);
    for (int tries = 0; tries <= max_attempts_per_challenge; ++tries) {
        const auto count = service.store.find_verification(attempts, service.now);
        // Releases of better-auth before 1.6.21 do not count attempts per challenge.
        if (count.is_not_found())
            return is_own(challenge) ? std::optional(invalid_challenge(service)) : std::nullopt;
        if (!count)
            return store_error(count.failure());
        int codes = max_attempts_per_challenge;
        std::from_chars(count->data(), count->data() + count->size(), codes);
        if (codes < 0 || codes >= max_attempts_per_challenge)
            return too_many_attempts(user_id, challenge, service);
        const std::string next = std::to_string(codes + 1);
        store::SecondFactorChange change{user_id, service.now};
        change.deleted = {attempts};
        change.required_value = *count;
        change.added = {{{}, attempts, next, {}, service.now, service.now}};
        const auto counted = change_second_factor(service, std::move(change));
        if (counted)
            return std::nullopt;
        if (!counted.is_not_found())
            return store_error(counted.failure());
        // A concurrent request has incremented the count.
    }
    return store_error(store::Failure::unavailable);
}

Response end_challenge(Response response, const Service& service) {
    service.cookies.expire(response, "two_factor");
    return response;
}

Response invalid_challenge(const Service& service) {
    return end_challenge(error(401, "Invalid two factor cookie", "INVALID_TWO_FACTOR_COOKIE"),
                         service);
}

} // namespace useradmin::sign_in
