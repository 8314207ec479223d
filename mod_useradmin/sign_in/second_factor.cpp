// POST /two-factor/verify-totp and /two-factor/verify-backup-code
#include "crypto/encryption.hpp"
#include "crypto/sha256.hpp"
#include "crypto/totp.hpp"
#include "sign_in/challenge.hpp"
#include "sign_in/cross_site.hpp"
#include "sign_in/endpoints.hpp"
#include "sign_in/identity.hpp"
#include "sign_in/open_session.hpp"
#include "sign_in/parameters.hpp"
#include "sign_in/responses.hpp"
#include "sign_in/trusted_device.hpp"
#include "sign_in/verification_rows.hpp"
#include "json/reader.hpp"
#include "json/writer.hpp"

#include <algorithm>
#include <vector>

namespace useradmin::sign_in {

namespace {

// better-auth's defaults.
constexpr std::int64_t failures_until_lock = 10;
constexpr std::chrono::minutes lock_duration(15);

/// The body of a request with a code.
struct CodeForm {
    crypto::Secret code;
    bool trusts_device = false;
    bool opens_session = true;
};

std::variant<CodeForm, Response> read_code(const Request& request, bool may_omit_session) {
    using Kind = Parameters::Kind;
    const auto body = Parameters::read(request, Parameters::Forms::rejected);
    if (const auto* problem = std::get_if<Response>(&body))
        return *problem;
    const auto& parameters = std::get<Parameters>(body);
    ValidationErrors errors(parameters);
    errors.expect("code", Kind::string);
    if (may_omit_session)
        errors.expect_optional("disableSession", Kind::boolean);
    errors.expect_optional("trustDevice", Kind::boolean);
    if (auto problem = errors.response())
        return *std::move(problem);
    return CodeForm{parameters.text("code"), parameters.boolean("trustDevice", false),
                    !may_omit_session || !parameters.boolean("disableSession", false)};
}

/// If the code is in the list, removes it and returns true. Compares all codes, so the time does
/// not reveal the position.
bool take_code(std::vector<std::string_view>& codes, std::string_view code) {
    bool is_match = false;
    for (std::size_t index = codes.size(); index-- > 0;)
        if (crypto::constant_time_equal(codes[index], code)) {
            is_match = true;
            codes.erase(codes.begin() + static_cast<std::ptrdiff_t>(index));
        }
    return is_match;
}

std::string json_of(const std::vector<std::string_view>& codes) {
    std::string text;
    text.reserve(64 * (codes.size() + 1)); // reallocation would leave copies of secrets in memory
    json::Writer writer(text);
    writer.begin_array();
    for (const std::string_view code : codes)
        writer.string(code);
    writer.end_array();
    return text;
}

/// What to store so that a correct code cannot be used again. Each method sets one member.
struct CodeUse {
    /// Identifies a one-time password.
    std::string subject;
    /// The backup codes that remain.
    crypto::Secret remaining;
};

/// Verifies a code from an authenticator app. Returns failed if the key cannot be decrypted.
Outcome check_totp(std::string_view code, const model::SecondFactor& factor, const Service& service,
                   CodeUse& use) {
    const auto secret = crypto::decrypt(factor.secret, service.second_factor_secrets);
    if (!secret)
        return Outcome::failed;
    const auto step = crypto::verify_totp(code, secret->text.view(), service.now);
    if (!step)
        return Outcome::wrong_code;
    use.subject = crypto::hex(crypto::digest({"totp", factor.secret, std::to_string(*step)}));
    return Outcome::accepted;
}

/// Records the use of a one-time password. It is valid only once (RFC 6238, section 5.2).
Outcome use_once(std::string_view subject, const Service& service) {
    constexpr std::chrono::minutes longest_validity(2); // three time steps, and inexact clocks
    const auto used = service.store.use_code(subject, longest_validity);
    if (used)
        return Outcome::accepted;
    return used.failure() == store::Failure::already_done ? Outcome::wrong_code
                                                          : outcome_of(used.failure());
}

/// Verifies a backup code. If the code is correct, sets `remaining` to the other codes, encrypted
/// if the stored codes are. Returns failed if the stored codes cannot be read.
Outcome check_backup_code(std::string_view code, const model::SecondFactor& factor,
                          const Service& service, CodeUse& use) {
    const auto decrypted = crypto::decrypt(factor.backup_codes, service.second_factor_secrets);
    // The application may store the codes unencrypted.
    const auto object =
        json::Object::parse_value(decrypted ? decrypted->text.view() : factor.backup_codes);
    auto codes = object ? object->texts("value") : std::nullopt;
    if (!codes)
        return Outcome::failed;
    if (!take_code(*codes, code))
        return Outcome::wrong_code;
    use.remaining = crypto::Secret(json_of(*codes));
    if (decrypted)
        use.remaining = crypto::Secret(crypto::encrypt(use.remaining.view(), *decrypted));
    return Outcome::accepted;
}

struct Method {
    Outcome (*check)(std::string_view code, const model::SecondFactor& factor,
                     const Service& service, CodeUse& use);
    /// The log line if check() returns failed: the text before and after the user's address.
    std::string_view unreadable[2];
    /// The messages and codes of better-auth's errors.
    std::string_view not_enabled[2];
    std::string_view wrong_code[2];
    /// Whether the user must have confirmed the second factor (SecondFactor::verified).
    bool needs_verified;
    /// Whether the request may contain "disableSession".
    bool may_omit_session;
};

constexpr Method totp{check_totp,
                      {"UA0320: cannot decrypt the second factor of '",
                       "'; set AuthUserAdminSecret to the application's secret"},
                      {"TOTP not enabled", "TOTP_NOT_ENABLED"},
                      {"Invalid code", "INVALID_CODE"},
                      true,
                      false};
constexpr Method backup_code{check_backup_code,
                             {"UA0320: cannot read the backup codes of '",
                              "'; set AuthUserAdminSecret to the application's secret, unless the "
                              "application stores them in another format"},
                             {"Backup codes aren't enabled", "BACKUP_CODES_NOT_ENABLED"},
                             {"Invalid backup code", "INVALID_BACKUP_CODE"},
                             false,
                             true};

Response locked(text::Timestamp until, const Service& service) {
    Response response = error(429,
                              "Too many failed verification attempts. Your account is temporarily "
                              "locked. Please try again later.",
                              "ACCOUNT_TEMPORARILY_LOCKED");
    const auto wait = std::chrono::ceil<std::chrono::seconds>(until - service.now);
    response.headers.push_back({"Retry-After", std::to_string(wait.count())});
    return response;
}

/// Returns the response if a concurrent request has locked or removed the second factor, or has
/// changed the backup codes.
Response concurrent_change(std::string_view user_id, bool uses_backup_code,
                           const Service& service) {
    const auto found = service.store.find_second_factor(user_id);
    if (!found && !found.is_not_found())
        return store_error(found.failure());
    if (found && found->factor.locked_until > service.now) {
        service.event.reason = "locked";
        return locked(*found->factor.locked_until, service);
    }
    if (!found || !uses_backup_code)
        return invalid_challenge(service);
    return error(409, "Failed to verify backup code. Please try again.",
                 "FAILED_TO_VERIFY_BACKUP_CODE_PLEASE_TRY_AGAIN");
}

/// Completes the challenge and opens a session. If the request disables the session, the challenge
/// stays valid.
Response complete(const SignInResult& result, const CodeForm& form,
                  store::SecondFactorChange&& change, const Request& request, const Client& client,
                  const Service& service) {
    const model::User& user = result.user;
    const std::string attempts = attempts_of(client.challenge);
    const TrustedDevice device(user.id, service);
    change.clears_failures = true;
    if (form.opens_session)
        change.deleted = {client.challenge, attempts};
    const bool trusts_device = form.opens_session && form.trusts_device;
    const bool uses_backup_code = change.backup_codes.has_value();
    if (trusts_device)
        change.added.push_back(device.row());
    const auto changed = change_second_factor(service, std::move(change));
    if (!changed && changed.is_not_found())
        return invalid_challenge(service);
    if (!changed && changed.failure() == store::Failure::version_mismatch)
        return concurrent_change(user.id, uses_backup_code, service);
    if (!changed)
        return store_error(changed.failure());
    if (!form.opens_session)
        return verified({}, user);

    const bool is_remembered = !client.has_dont_remember;
    const auto token = open_session(result, is_remembered, request, client, service);
    if (!token)
        return token.failure() == store::Failure::version_mismatch ? invalid_challenge(service)
                                                                   : store_error(token.failure());
    Response response = verified(token->view(), user);
    service.cookies.set_session(response, token->view(), is_remembered);
    response = end_challenge(std::move(response), service);
    if (trusts_device) {
        device.add_cookie(response);
        // As in better-auth, sessions on a trusted device are remembered.
        service.cookies.expire(response, "dont_remember");
    }
    return response;
}

Response verify_second_factor(const Request& request, const Client& client, const Service& service,
                              const Method& method) {
    if (const auto foreign = reject_cross_site_cookies(request.headers, service.trusted_origins))
        return *foreign;
    const auto reading = read_code(request, method.may_omit_session);
    if (const auto* problem = std::get_if<Response>(&reading))
        return *problem;
    const CodeForm& form = std::get<CodeForm>(reading);
    const auto user_id = find_challenge(client, service);
    if (!user_id)
        return user_id.is_not_found() ? invalid_challenge(service) : store_error(user_id.failure());
    audit::Event& event = service.event;
    event.target = *user_id;
    const auto found = service.store.find_second_factor(*user_id);
    if (!found && !found.is_not_found())
        return store_error(found.failure());
    if (!found || (method.needs_verified && !found->factor.is_verified()))
        return error(400, method.not_enabled[0], method.not_enabled[1]);
    if (found->factor.locked_until && *found->factor.locked_until > service.now) {
        event.reason = "locked";
        return locked(*found->factor.locked_until, service);
    }
    if (is_banned(found->user, service.now)) {
        event.reason = reason_of(Outcome::banned);
        return rejection_of({Outcome::banned});
    }
    const auto password_hash = find_password_hash(found->user, client.challenge, service);
    if (!password_hash)
        return password_hash.is_not_found() ? invalid_challenge(service)
                                            : store_error(password_hash.failure());
    CodeUse use;
    std::optional<Response> rejection;
    SignInResult result =
        service.credentials.verify_code({found->user.email, {}, client.network}, [&] {
            const Outcome outcome = method.check(form.code.view(), found->factor, service, use);
            if (outcome == Outcome::failed) {
                service.credentials.log_for(found->user, method.unreadable[0],
                                            method.unreadable[1]);
                return outcome;
            }
            if ((rejection = count_code(*user_id, client.challenge, service)))
                return Outcome::canceled;
            return use.subject.empty() ? outcome : use_once(use.subject, service);
        });
    if (rejection)
        return *std::move(rejection);
    result.user = found->user;
    result.password_hash = *password_hash;
    event.reason = reason_of(result.outcome);
    if (result.outcome == Outcome::wrong_code) {
        // If this fails, the store logs why. The limits on sign-in attempts still apply.
        static_cast<void>(service.store.record_second_factor_failure(
            *user_id, {failures_until_lock, service.now, service.now + lock_duration}));
        return error(401, method.wrong_code[0], method.wrong_code[1]);
    }
    if (result.outcome != Outcome::accepted)
        return rejection_of(result);
    store::SecondFactorChange change{found->user.id, service.now};
    if (!use.remaining.view().empty()) {
        change.backup_codes = use.remaining.view();
        change.old_backup_codes = found->factor.backup_codes;
    }
    return complete(result, form, std::move(change), request, client, service);
}

} // namespace

Response verify_totp(const Request& request, const Client& client, const Service& service) {
    return verify_second_factor(request, client, service, totp);
}

Response verify_backup_code(const Request& request, const Client& client, const Service& service) {
    return verify_second_factor(request, client, service, backup_code);
}

} // namespace useradmin::sign_in
