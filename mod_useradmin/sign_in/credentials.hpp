// Verifies an address and a password.
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
    /// The client's network, for which failed attempts count.
    text::Network network;
};

enum class Outcome {
    accepted,
    unknown,        ///< no such user, or no password
    wrong_password, ///< or an invalid stored hash
    wrong_code,     ///< of a second factor
    banned,         ///< with the right password
    second_factor,  ///< the password is right, but a second factor is required
    limited,        ///< too many failed attempts: 429
    busy,           ///< no hashing slot in time, or the queue was full: 503
    unavailable,    ///< no database connection in time: 503
    failed,         ///< a database error: 500
};

/// Returns the reason for a refusal for the audit log; empty for other outcomes.
constexpr std::string_view reason_of(Outcome outcome) noexcept {
    return outcome == Outcome::unknown          ? "unknown-address"
           : outcome == Outcome::wrong_password ? "wrong-password"
           : outcome == Outcome::wrong_code     ? "wrong-code"
           : outcome == Outcome::banned         ? "banned"
           : outcome == Outcome::second_factor  ? "second-factor"
           : outcome == Outcome::limited        ? "too-many-attempts"
                                                : "";
}

struct Verification {
    Outcome outcome;
    /// Set only if the password is right. The views are valid for the lifetime of the request.
    model::User user = {};
    /// The account's current hash if the password is right. Lives as long as the verifier.
    std::string_view password_hash = {};
    /// Set if the outcome is limited.
    std::chrono::seconds retry_after{0};
};

/// How to treat an account with a second factor (AuthUserAdminSecondFactor).
enum class SecondFactor {
    verified, ///< a code is required after the password
    refused,  ///< such an account cannot sign in
    ignored,  ///< the password alone is enough
};

/// Verifies credentials. Holds no database connection while hashing.
class CredentialVerifier {
  public:
    /// tables_id: identifies the database and its tables; must outlive the object.
    CredentialVerifier(store::Store& store, std::string_view tables_id, PasswordVerifier& passwords,
                       ObservedFormats& formats, password::AttemptLimiter& limiter,
                       const password::AttemptLimit& limit, text::Logger& log,
                       SecondFactor second_factor = SecondFactor::refused) noexcept
        : store_(store), tables_id_(tables_id), passwords_(passwords), formats_(formats),
          limiter_(limiter), limit_(limit), log_(log), second_factor_(second_factor) {}

    Verification verify(const Login& login);
    /// Checks a code unless too many attempts have failed. `check` returns accepted, wrong_code or
    /// failed. A wrong code counts like a wrong password. Login::password is not used.
    Verification verify_code(const Login& login, const std::function<Outcome()>& check);
    /// Logs that an account with a second factor cannot sign in.
    void log_second_factor(const model::User& user, text::Network network) const;

  private:
    using Check = std::function<Verification(const password::AttemptLimiter::Subject&)>;
    /// Runs the check unless a limit is reached, and counts a failure.
    Verification attempt(const Login& login, const Check& check);
    /// The counters of an attempt in the database, and the index of the scope of each.
    struct SharedCounters {
        std::vector<store::AttemptCounter> counters;
        std::vector<std::size_t> scopes;
    };
    SharedCounters shared_counters(const Login& login) const;
    /// Records in limiter_ if the failures on all servers have reached a limit. Returns whether the
    /// database has the counts.
    bool take_shared(const store::Result<store::FailedAttempts>& found,
                     const SharedCounters& shared,
                     const password::AttemptLimiter::Subject& subject);
    Verification verify_password(const Login& login,
                                 const password::AttemptLimiter::Subject& subject);
    /// Replaces a hash in an old format. Returns the hash that the account then has.
    std::string_view upgrade_hash(const store::Credential& credential, std::string_view password);
    void log_failure(const Login& login, Outcome outcome) const;
    std::optional<Verification> limited(const password::AttemptLimiter::Subject& subject) const;
    store::Result<store::Credential> find(std::string_view email);

    store::Store& store_;
    std::string_view tables_id_;
    PasswordVerifier& passwords_;
    ObservedFormats& formats_;
    password::AttemptLimiter& limiter_;
    password::AttemptLimit limit_;
    text::Logger& log_;
    std::optional<crypto::Secret> renewed_;
    SecondFactor second_factor_;
};

} // namespace useradmin::sign_in
