#include "sign_in/credentials.hpp"

#include "crypto/sha256.hpp"
#include "sign_in/identity.hpp"
#include "text/unicode.hpp"

#include <algorithm>
#include <string>

namespace useradmin::sign_in {

namespace {

std::string line_of(const password::AttemptLimiter::Scope& scope, text::Network network) {
    std::string line = "UA0305: too many failed sign-in attempts";
    if (scope.of_one_account)
        line += " for one account";
    if (scope.prefix_length == 0)
        return line += " from all clients";
    return line += " from " + network.text(scope.prefix_length);
}

/// Returns why a counted attempt failed, or an empty string for other outcomes.
constexpr std::string_view message_of(Outcome outcome) noexcept {
    return outcome == Outcome::unknown          ? "there is no such account, or it has no password"
           : outcome == Outcome::wrong_password ? "the password is wrong"
           : outcome == Outcome::wrong_code     ? "the code is wrong"
           : outcome == Outcome::banned         ? "the user is banned"
                                                : "";
}

} // namespace

Outcome outcome_of(store::Failure failure) noexcept {
    return failure == store::Failure::unavailable ? Outcome::unavailable : Outcome::failed;
}

SignInResult CredentialVerifier::verify(const Login& login) {
    return attempt(
        login, [&](const auto& subject, const auto&) { return verify_password(login, subject); });
}

SignInResult CredentialVerifier::verify_code(const Login& login,
                                             const std::function<Outcome()>& check) {
    return attempt(
        login,
        [&](const auto&, const auto& rejection) {
            const Outcome outcome = check();
            // Without a second check, concurrent requests would get extra guesses.
            if (outcome == Outcome::accepted || outcome == Outcome::wrong_code)
                if (const auto denied = rejection())
                    return *denied;
            return SignInResult{outcome};
        });
}

SignInResult CredentialVerifier::attempt(const Login& login, const Check& check) {
    const password::AttemptLimiter::Subject subject =
        limiter_.subject(login.network, limit_, tables_id_, text::lower(login.email));
    const SharedCounters shared = limit_.is_shared ? shared_counters(login) : SharedCounters();
    bool has_shared_failures = false;
    const auto rejection = [&]() -> std::optional<SignInResult> {
        const auto denied = limited(subject);
        if (denied || !limit_.is_shared)
            return denied;
        const auto found = store_.failed_attempts(shared.counters);
        has_shared_failures = apply_shared_failures(found, shared, subject) && found->has_first;
        return limited(subject);
    };
    if (const auto denied = rejection())
        return *denied;
    const SignInResult result = check(subject, rejection);
    switch (result.outcome) {
    case Outcome::accepted:
        limiter_.clear_failures(subject);
        // Without an account, the first counter counts the failures of all accounts. If clearing
        // fails, the store logs the reason, and the failures still count.
        if (has_shared_failures && !login.email.empty())
            static_cast<void>(store_.clear_failed_attempts(shared.counters.front()));
        break;
    case Outcome::unknown:
    case Outcome::wrong_password:
    case Outcome::wrong_code:
    case Outcome::banned:
        if (!limit_.is_shared ||
            !apply_shared_failures(store_.record_failed_attempt(shared.counters, limit_.window),
                                   shared, subject))
            limiter_.record_failure(subject, limit_, password::AttemptLimiter::Clock::now());
        log_failure(login, result.outcome);
        break;
    default: // the outcome is undecided, or a second factor is required
        // Do not clear the count. Otherwise, an attacker who knows only the password could reset it
        // and continue to guess codes.
        break;
    }
    return result;
}

void CredentialVerifier::log_second_factor(const model::User& user, text::Network network) const {
    log_.write_for_client(text::Level::info,
                          "UA0316: rejected a password-only sign-in by user " +
                              std::string(user.id) +
                              ": the account has a second factor (twoFactorEnabled); to "
                              "allow it, set AuthUserAdminSecondFactor ignore",
                          network.text());
}

void CredentialVerifier::log_for(const model::User& user, std::string_view before,
                                 std::string_view after) const {
    log_.write(text::Level::error, std::string(before).append(user.email).append(after));
}

void CredentialVerifier::log_failure(const Login& login, Outcome outcome) const {
    constexpr std::size_t max_shown = 254; // maximum length of an address (RFC 5321)
    std::string line = "UA0315: sign-in as '";
    line += login.email.substr(0, max_shown);
    std::ranges::replace(line, '\0', '?'); // would end the line in the log
    line += "' failed: ";
    line += message_of(outcome);
    log_.write_for_client(text::Level::info, line, login.network.text());
}

std::optional<SignInResult>
CredentialVerifier::limited(const password::AttemptLimiter::Subject& subject) const {
    const auto rejection = limiter_.check(subject, limit_, password::AttemptLimiter::Clock::now());
    if (!rejection)
        return std::nullopt;
    log_.write_for_client(text::Level::warning, line_of(rejection->scope, subject.network),
                          subject.network.text());
    return SignInResult{Outcome::limited, {}, {}, rejection->retry_after};
}

CredentialVerifier::SharedCounters CredentialVerifier::shared_counters(const Login& login) const {
    using password::AttemptLimiter;
    SharedCounters shared;
    const std::string window = std::to_string(limit_.window.count());
    for (std::size_t index = 0; index < AttemptLimiter::scopes.size(); ++index) {
        const AttemptLimiter::Scope& scope = AttemptLimiter::scopes[index];
        // Without an account, the scopes of one and of all accounts would have the same subject.
        if (!AttemptLimiter::applies(scope, login.network) ||
            (scope.of_one_account && login.email.empty()))
            continue;
        const std::string prefix = std::to_string(scope.prefix_length);
        const std::string network =
            scope.prefix_length != 0 ? login.network.text(scope.prefix_length) : "";
        const std::string account = scope.of_one_account ? text::lower(login.email) : "";
        shared.counters.push_back({crypto::hex(crypto::digest({window, prefix, network, account})),
                                   std::int64_t{scope.factor} * limit_.attempts});
        shared.scopes.push_back(index);
    }
    return shared;
}

bool CredentialVerifier::apply_shared_failures(const store::Result<store::FailedAttempts>& found,
                                               const SharedCounters& shared,
                                               const password::AttemptLimiter::Subject& subject) {
    if (!found)
        return false; // the store has logged why
    if (!found->has_table)
        log_.write_throttled(text::Level::error,
                             "UA0317: table useradmin_attempt does not exist, so "
                             "AuthUserAdminSignInLimit counts failures separately on each server; "
                             "run: useradminctl schema");
    if (found->exceeded)
        limiter_.record_rejection(subject, limit_, shared.scopes[*found->exceeded],
                                  found->retry_after, password::AttemptLimiter::Clock::now());
    return found->has_table;
}

SignInResult CredentialVerifier::verify_password(const Login& login,
                                                 const password::AttemptLimiter::Subject& subject) {
    formats_.refresh(store_, tables_id_, ObservedFormats::Clock::now());
    const auto found = find(login.email);
    if (!found && !found.is_not_found())
        return {outcome_of(found.failure())};
    const bool has_password = found && found->password_hash;
    // Check again because concurrent requests may have failed in the meantime. Extra guesses are
    // then limited to the number of hashing slots.
    std::optional<SignInResult> stopped;
    const PasswordVerdict verdict =
        passwords_.verify(subject.account(), has_password ? found->password_hash : std::nullopt,
                          login.password, [&] { return !(stopped = limited(subject)); });
    if (verdict == PasswordVerdict::canceled)
        return *stopped;
    if (verdict == PasswordVerdict::busy)
        return {Outcome::busy};
    if (!has_password)
        return {Outcome::unknown};
    const model::User& user = found->user;
    if (verdict == PasswordVerdict::unsupported)
        log_.write(text::Level::warning,
                   "UA0307: the password hash of user " + std::string(user.id) +
                       " has an unknown format or its cost exceeds the limit; set a new password");
    if (verdict != PasswordVerdict::match)
        return {Outcome::wrong_password};
    if (is_banned(user, text::now()))
        return {Outcome::banned, user};
    const bool needs_code = found->has_second_factor && second_factor_ != SecondFactor::ignored;
    return {needs_code ? Outcome::second_factor : Outcome::accepted, user,
            upgrade_hash(*found, login.password)};
}

/// If hashing or the update fails, the old hash remains and the sign-in succeeds.
std::string_view CredentialVerifier::upgrade_hash(const store::Credential& credential,
                                                  std::string_view password) {
    upgraded_hash_ = passwords_.rehash(*credential.password_hash, password);
    if (!upgraded_hash_)
        return *credential.password_hash;
    model::Account account;
    account.user_id = credential.user.id;
    account.password = upgraded_hash_->view();
    account.updated_at = text::now();
    // replace_hash() does not overwrite a password that was set in the meantime.
    return store_.replace_hash(account, *credential.password_hash) ? upgraded_hash_->view()
                                                                   : *credential.password_hash;
}

/// Looks up the address first as typed, and then in lower case, as better-auth does. In the reverse
/// order, an account with the lower-case address would lock out the owner of the address as typed.
store::Result<store::Credential> CredentialVerifier::find(std::string_view email) {
    if (!text::is_clean_utf8(email))
        return store::Failure::not_found;
    const std::string lower = text::lower(email);
    // A collation may treat other spellings as equal. Reject them, because their failed attempts
    // would be counted separately.
    const auto look_up = [&](std::string_view address) {
        const auto found = store_.find_credential(address);
        return found && text::lower(found->user.email) != lower
                   ? store::Result<store::Credential>(store::Failure::not_found)
                   : found;
    };
    const auto found = look_up(email);
    return found.is_not_found() && lower != email ? look_up(lower) : found;
}

} // namespace useradmin::sign_in
