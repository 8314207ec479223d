// Verifies passwords and second factors, and limits failed attempts.
#pragma once

#include "password/attempt_limiter.hpp"
#include "sign_in/password_verifier.hpp"
#include "store/store.hpp"
#include "text/logger.hpp"

#include <functional>
#include <string_view>

namespace useradmin::sign_in {

struct Login {
    std::string_view email;
    std::string_view password;
    /// The client's network. Failed attempts are counted for it.
    text::Network network;
};

enum class Outcome {
    accepted,
    unknown,        ///< no such user, or the user has no password
    wrong_password, ///< wrong password, or invalid stored hash
    wrong_code,     ///< wrong code of a second factor
    banned,         ///< the password is correct, but the user is banned
    second_factor,  ///< the password is correct, but a second factor is required
    limited,        ///< too many failed attempts (429)
    busy,           ///< no hashing slot in time, or the queue was full (503)
    unavailable,    ///< no database connection in time (503)
    failed,         ///< database error, or unreadable second factor (500)
    canceled,       ///< the caller of verify_code() has rejected the request
};

Outcome outcome_of(store::Failure failure) noexcept;

/// Returns the reason for a rejection as it appears in the audit log, or an empty string for other
/// outcomes.
constexpr std::string_view reason_of(Outcome outcome) noexcept {
    return outcome == Outcome::unknown          ? "unknown-address"
           : outcome == Outcome::wrong_password ? "wrong-password"
           : outcome == Outcome::wrong_code     ? "wrong-code"
           : outcome == Outcome::banned         ? "banned"
           : outcome == Outcome::second_factor  ? "second-factor"
           : outcome == Outcome::limited        ? "too-many-attempts"
                                                : "";
}

struct SignInResult {
    Outcome outcome;
    /// Set by verify() if the password is correct. The views are valid for the lifetime of the
    /// request.
    model::User user = {};
    /// The current hash. Set by verify() if the outcome is accepted or second_factor. Valid for the
    /// lifetime of the verifier.
    std::string_view password_hash = {};
    /// Set only if the outcome is limited.
    std::chrono::seconds retry_after{0};
};

/// How an account with a second factor signs in (AuthUserAdminSecondFactor).
enum class SecondFactor {
    verified, ///< with its password and a code
    refused,  ///< not at all
    ignored,  ///< with only its password
};

/// Verifies credentials. Does not hold a database connection while hashing.
class CredentialVerifier {
  public:
    /// tables_id identifies the database and its tables on this server. It must outlive the object.
    CredentialVerifier(store::Store& store, std::string_view tables_id, PasswordVerifier& passwords,
                       ObservedFormats& formats, password::AttemptLimiter& limiter,
                       const password::AttemptLimit& limit, text::Logger& log,
                       SecondFactor second_factor = SecondFactor::refused) noexcept
        : store_(store), tables_id_(tables_id), passwords_(passwords), formats_(formats),
          limiter_(limiter), limit_(limit), log_(log), second_factor_(second_factor) {}

    /// Verifies the password, unless too many attempts have failed. Counts and logs a failed
    /// attempt.
    SignInResult verify(const Login& login);
    /// Calls check unless too many attempts have failed. check returns accepted, wrong_code,
    /// unavailable, failed or canceled. A wrong code counts like a wrong password. Login::password
    /// is ignored.
    SignInResult verify_code(const Login& login, const std::function<Outcome()>& check);
    /// Logs that a sign-in with only the password was rejected because of the second factor.
    void log_second_factor(const model::User& user, text::Network network) const;
    /// Logs an error: the user's address between `before` and `after`.
    void log_for(const model::User& user, std::string_view before, std::string_view after) const;

  private:
    /// Returns the result if a limit has been reached, otherwise std::nullopt.
    using LimitCheck = std::function<std::optional<SignInResult>()>;
    using Check =
        std::function<SignInResult(const password::AttemptLimiter::Subject&, const LimitCheck&)>;
    /// Calls check unless a limit has been reached, and counts the attempt if it fails.
    SignInResult attempt(const Login& login, const Check& check);
    /// The counters of an attempt in the database, and the index of each counter's scope.
    struct SharedCounters {
        std::vector<store::AttemptCounter> counters;
        std::vector<std::size_t> scopes;
    };
    SharedCounters shared_counters(const Login& login) const;
    /// Records a rejection in limiter_ if the failures on all servers together have reached a
    /// limit. Returns false if the database failed or has no table of attempts.
    bool apply_shared_failures(const store::Result<store::FailedAttempts>& found,
                               const SharedCounters& shared,
                               const password::AttemptLimiter::Subject& subject);
    SignInResult verify_password(const Login& login,
                                 const password::AttemptLimiter::Subject& subject);
    /// Replaces a hash in an old format. Returns the account's current hash.
    std::string_view upgrade_hash(const store::Credential& credential, std::string_view password);
    void log_failure(const Login& login, Outcome outcome) const;
    std::optional<SignInResult> limited(const password::AttemptLimiter::Subject& subject) const;
    store::Result<store::Credential> find(std::string_view email);

    store::Store& store_;
    std::string_view tables_id_;
    PasswordVerifier& passwords_;
    ObservedFormats& formats_;
    password::AttemptLimiter& limiter_;
    password::AttemptLimit limit_;
    text::Logger& log_;
    std::optional<crypto::Secret> upgraded_hash_;
    SecondFactor second_factor_;
};

} // namespace useradmin::sign_in
