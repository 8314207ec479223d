#include "auth/hooks.hpp"

#include "apr/guard.hpp"
#include "apr/pool.hpp"
#include "auth/auth_type.hpp"
#include "auth/configuration.hpp"
#include "auth/header_tokens.hpp"
#include "auth/log_module.hpp"
#include "auth/request_credentials.hpp"
#include "auth/request_state.hpp"
#include "crypto/secret.hpp"
#include "httpd/auth_information.hpp"
#include "httpd/backend.hpp"
#include "httpd/first_request.hpp"
#include "httpd/headers.hpp"
#include "httpd/location.hpp"
#include "httpd/notes.hpp"
#include "sign_in/api_key.hpp"
#include "sign_in/identity.hpp"
#include "sign_in/service.hpp"
#include "text/network.hpp"

#include <chrono>
#include <string>
#include <utility>

namespace useradmin::auth {

namespace {

/// Why a credential was rejected: a clause for the error log, a keyword for the audit log, and what
/// to check next. All are nullptr if it was accepted or could not be checked.
struct RejectionText {
    const char* message = nullptr;
    const char* reason_code = nullptr;
    const char* hint = nullptr;
};

/// How to count and log a lookup.
struct LookupResult {
    httpd::Lookup lookup;
    RejectionText rejection = {};
};

enum class CredentialKind { session_token, api_key };

LookupResult result_of(sign_in::CredentialStatus status, CredentialKind kind) noexcept {
    using httpd::Lookup;
    using sign_in::CredentialStatus;
    const bool is_key = kind == CredentialKind::api_key;
    switch (status) {
    case CredentialStatus::valid:
        return {Lookup::valid};
    case CredentialStatus::malformed:
        return {Lookup::malformed,
                {"it is malformed", is_key ? "malformed-key" : "malformed-token",
                 "check what the client sends"}};
    case CredentialStatus::unknown:
        return {
            Lookup::unknown,
            is_key
                ? RejectionText{"there is no such key", "unknown-key",
                                "it may have been revoked, or its user deleted; if every key is "
                                "rejected, check that DBDParams names the application's database"}
                : RejectionText{"there is no such session", "unknown-token",
                                "it may have been revoked, or its user deleted; if every session "
                                "is rejected, check that DBDParams and UserAdminTables name the "
                                "application's tables"}};
    case CredentialStatus::disabled:
        return {Lookup::expired,
                {"it is disabled", "disabled-key", "enable it in the application"}};
    case CredentialStatus::expired:
        return {
            Lookup::expired,
            is_key
                ? RejectionText{"it has expired", "expired-key", "its owner must create a new one"}
                : RejectionText{"its session has expired", "expired-session",
                                "the user must sign in again; if every session is rejected, check "
                                "this server's clock"}};
    case CredentialStatus::banned:
        return {Lookup::banned,
                {"its user is banned", "banned",
                 "if the ban is wrong, lift it with: useradminctl unban"}};
    case CredentialStatus::exhausted:
        return {Lookup::limited,
                {"it has no requests remaining", "exhausted-key",
                 "raise its limit in the application"}};
    case CredentialStatus::limited:
        return {
            Lookup::limited,
            {"its rate limit was exceeded", "limited-key", "raise its limit in the application"}};
    case CredentialStatus::unavailable:
        return {Lookup::unavailable};
    case CredentialStatus::failed:
        break;
    }
    return {Lookup::failed};
}

/// Returns the result for a session. If its impersonator was rejected, the log names the
/// impersonator as the reason.
LookupResult result_of(const sign_in::Identity& session) noexcept {
    using sign_in::CredentialStatus;
    LookupResult result = result_of(session.status, CredentialKind::session_token);
    const bool is_banned = session.status == CredentialStatus::banned;
    if (session.impersonated_by.empty() ||
        (!is_banned && session.status != CredentialStatus::unknown))
        return result;
    result.rejection.message = is_banned ? "the impersonating administrator is banned"
                                         : "the impersonating administrator was deleted, has no "
                                           "role other than user, or is not a superAdmin although "
                                           "the user is";
    result.rejection.hint =
        "an administrator who may impersonate the user must start another impersonation";
    return result;
}

LookupResult result_of(Signature signature) noexcept {
    using httpd::Lookup;
    return signature == Signature::missing
               ? LookupResult{Lookup::signature,
                              {"it is not signed, but AuthUserAdminSecret is set", "unsigned-token",
                               "check that the client sends the whole value of the application's "
                               "cookie"}}
               : LookupResult{Lookup::signature,
                              {"its signature does not match AuthUserAdminSecret",
                               "invalid-signature",
                               "check that this is the application's secret "
                               "(BETTER_AUTH_SECRET)"}};
}

/// The result for a credential. The views are valid for the lifetime of the client's request.
struct LookupOutcome {
    LookupResult result;
    sign_in::Identity identity = {};
};

/// Returns an outcome with a copy of the identity.
LookupOutcome make_outcome(request_rec* request, sign_in::Identity identity, LookupResult result) {
    apr_pool_t* const pool = httpd::first_request(request)->pool;
    for (std::string_view* text : {&identity.user_id, &identity.role, &identity.impersonated_by,
                                   &identity.key_id, &identity.permissions})
        *text = apr::copy_view(pool, *text);
    return {result, identity};
}

/// Looks up a session in the cache or, after verifying the signature, in the database.
LookupOutcome look_up_session(request_rec* request, const AuthSettings& settings,
                              std::string_view credential) {
    httpd::RequestBackend backend(request, auth_useradmin_module,
                                  httpd::backend_settings(settings));
    const text::Timestamp now = text::now();
    const std::chrono::seconds age = settings.get<SessionAge>();
    std::string tables_id;
    std::optional<sign_in::CachedSessions> cached;
    if (age.count() > 0) {
        tables_id = backend.tables_id() + settings.get<SigningSecrets>().label;
        // If signatures are not verified, leave the signature out of the cache key. Otherwise, a
        // client could fill the cache with many credentials for one token.
        cached.emplace(sign_in::CachedSessions{*backend.server().shared.sessions, tables_id, age,
                                               settings.get<SigningSecrets>().secrets.empty()
                                                   ? token_of(credential, settings).text
                                                   : credential});
        if (const auto identity = sign_in::find_cached(backend.store(), *cached, now))
            return make_outcome(request, *identity, {httpd::Lookup::cached});
    }
    const Token token = token_of(credential, settings);
    if (token.signature != Signature::valid)
        return {result_of(token.signature)};
    const sign_in::Identity identity =
        sign_in::identify(backend.store(), token.text, now, cached ? &*cached : nullptr);
    return make_outcome(request, identity, result_of(identity));
}

/// Looks up an API key and counts the request toward the key's limits.
LookupOutcome look_up_api_key(request_rec* request, const AuthSettings& settings,
                              std::string_view key) {
    httpd::RequestBackend backend(request, auth_useradmin_module,
                                  httpd::backend_settings(settings, true));
    const sign_in::Identity owner = sign_in::identify_api_key(backend.store(), key, text::now());
    return make_outcome(request, owner, result_of(owner.status, CredentialKind::api_key));
}

} // namespace

/// Caches a result for the internal redirects and subrequests of the client's request.
struct CachedOutcome {
    CredentialKind kind;
    crypto::Secret credential;
    /// The labels of the tables and secrets used to check the credential. The outcome is valid only
    /// for these.
    std::string_view tables;
    std::string_view secrets;
    LookupOutcome outcome;
    bool is_rejection_logged = false;
};

namespace {

CachedOutcome& find_or_look_up(request_rec* request, const AuthSettings& settings,
                               CredentialKind kind, crypto::Secret&& credential) {
    request_rec* const first = httpd::first_request(request);
    const std::string_view tables = settings.get<httpd::ApplicationTables>().label;
    const std::string_view secrets = settings.get<SigningSecrets>().label;
    CachedOutcome*& answer = RequestState::of(first).outcome;
    if (answer == nullptr || answer->kind != kind || answer->tables != tables ||
        answer->secrets != secrets ||
        !crypto::constant_time_equal(answer->credential.view(), credential.view())) {
        const auto look_up = kind == CredentialKind::api_key ? look_up_api_key : look_up_session;
        const LookupOutcome outcome = look_up(request, settings, credential.view());
        server_configuration_of(request->server).metrics.count(outcome.result.lookup);
        answer = &apr::emplace<CachedOutcome>(
            first->pool, CachedOutcome{kind, std::move(credential), tables, secrets, outcome});
    }
    return *answer;
}

/// Returns the result of the last lookup for the client's request, or nullptr if there was none.
const CachedOutcome* find_outcome(request_rec* request) noexcept {
    const RequestState* const state = RequestState::find(httpd::first_request(request));
    return state != nullptr ? state->outcome : nullptr;
}

/// Logs a rejection once per client request.
void log_rejection(request_rec* request, const AuthSettings& settings,
                   const RejectionText& rejection, CachedOutcome& answer) {
    if (std::exchange(answer.is_rejection_logged, true))
        return;
    const bool is_key = answer.kind == CredentialKind::api_key;
    const LookupOutcome& outcome = answer.outcome;
    const httpd::Backend& server = server_configuration_of(request->server);
    httpd::RequestLog log(request, auth_useradmin_module, *server.log_throttle);
    log.write_rejection(text::Level::warning,
                        std::string(is_key ? "UA0318: the API key was rejected: "
                                           : "UA0310: the session token was rejected: ") +
                            rejection.message,
                        rejection.hint,
                        text::Network::of(apr::view_of(request->useragent_ip)).text());
    // An ErrorDocument with other tables or secrets causes another lookup. Do not record it as a
    // second event.
    if (httpd::is_error_document(request))
        return;
    audit::Recorder audit(httpd::trail_of(settings.get<httpd::AuditLogTarget>()),
                          httpd::origin_of(request), log);
    audit.event().operation = is_key ? "use-api-key" : "use-session";
    audit.event().status = outcome.result.lookup == httpd::Lookup::limited ? HTTP_TOO_MANY_REQUESTS
                                                                           : HTTP_UNAUTHORIZED;
    audit.event().reason = rejection.reason_code;
    audit.event().is_credential_rejected = true;
    audit.event().caller = outcome.identity.user_id;
    audit.event().role = outcome.identity.role;
    audit.event().impersonated_by = outcome.identity.impersonated_by;
    if (!audit.finish())
        server.metrics.count_lost_audit_line();
}

/// Sets the notes. Also sets r->user if it is taken from the session.
void set_caller(request_rec* request, const AuthSettings& settings, const LookupOutcome& outcome) {
    httpd::note_caller(request, outcome.identity.user_id, outcome.identity.role,
                       settings.get<httpd::ApplicationTables>().names.user,
                       outcome.identity.impersonated_by);
    httpd::set_note(request, httpd::api_key_note, outcome.identity.key_id);
    httpd::set_note(request, httpd::permissions_note, outcome.identity.permissions);
    const char* const id = apr_table_get(request->notes, httpd::id_note);
    if (takes_user_from_session(request))
        request->user = const_cast<char*>(id);
    else
        apr_table_setn(request->notes, session_note, id);
}

/// Returns whether the request is for a sign-in endpoint. Other paths below the base address may
/// belong to the service.
bool is_for_sign_in(const request_rec* request, const AuthSettings& settings) {
    const httpd::Base base = settings.get<SignInBase>();
    return base.is_on && !sign_in::operation_name(httpd::path_below(request, base.path)).empty();
}

/// Returns whether a failed lookup must not change the response. The sign-in endpoints have their
/// own responses, and an ErrorDocument reports an earlier failure.
bool ignores_lookup_failures(const request_rec* request, const AuthSettings& settings) {
    return is_for_sign_in(request, settings) || httpd::is_error_document(request);
}

/// Returns the status for a credential that could not be checked, otherwise DECLINED.
int failure_status(const request_rec* request, const AuthSettings& settings,
                   const LookupOutcome& outcome) {
    using httpd::Lookup;
    const Lookup lookup = outcome.result.lookup;
    const int status = lookup == Lookup::limited       ? HTTP_TOO_MANY_REQUESTS
                       : lookup == Lookup::unavailable ? HTTP_SERVICE_UNAVAILABLE
                       : lookup == Lookup::failed      ? HTTP_INTERNAL_SERVER_ERROR
                                                       : DECLINED;
    return ignores_lookup_failures(request, settings) ? DECLINED : status;
}

int authenticate(request_rec* request) {
    const AuthSettings& settings = settings_of(request);
    if (!settings.get<Enabled>())
        return DECLINED;
    CredentialKind kind = CredentialKind::session_token;
    crypto::Secret credential;
    if (settings.get<ReadsApiKeys>())
        credential = api_key_of(request, settings);
    if (!credential.view().empty())
        kind = CredentialKind::api_key;
    else
        credential = credential_of(request, settings);
    if (credential.view().empty())
        return DECLINED;
    CachedOutcome& answer = find_or_look_up(request, settings, kind, std::move(credential));
    const LookupOutcome& outcome = answer.outcome;
    const bool is_refused =
        !outcome.identity.impersonated_by.empty() && settings.get<RejectsImpersonated>();
    const RejectionText rejection =
        is_refused
            ? RejectionText{"an administrator is impersonating its user", "impersonated-session",
                            "to accept such sessions, set AuthUserAdminImpersonated to allow"}
            : outcome.result.rejection;
    if (rejection.message != nullptr) {
        apr_table_setn(request->notes, httpd::rejected_note, "1");
        log_rejection(request, settings, rejection, answer);
    }
    if (is_refused)
        return DECLINED;
    if (outcome.result.lookup == httpd::Lookup::valid ||
        outcome.result.lookup == httpd::Lookup::cached)
        set_caller(request, settings, outcome);
    if (outcome.identity.retry_after.count() > 0)
        apr_table_set(request->err_headers_out, "Retry-After",
                      std::to_string(outcome.identity.retry_after.count()).c_str());
    return failure_status(request, settings, outcome);
}

/// httpd calls this hook even if `Require all granted` skips the authentication hooks.
int check_access(request_rec* request) noexcept {
    return apr::guarded([&] { return authenticate(request); },
                        [&](const char* reason) {
                            ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, request,
                                          "UA0301: cannot authenticate the request: %s", reason);
                            return HTTP_INTERNAL_SERVER_ERROR;
                        });
}

/// httpd calls this hook if a Require directive needs a user.
int check_user(request_rec* request) noexcept {
    const AuthSettings& settings = settings_of(request);
    if (!settings.get<Enabled>() || !takes_user_from_session(request))
        return DECLINED;
    if (request->user != nullptr)
        return OK;
    // With `Satisfy any`, httpd calls this hook even if check_access() has failed.
    const CachedOutcome* const cached = find_outcome(request);
    const int status =
        cached != nullptr ? failure_status(request, settings, cached->outcome) : DECLINED;
    if (status != DECLINED)
        return status;
    apr_table_setn(request->err_headers_out, "WWW-Authenticate", "Bearer");
    return HTTP_UNAUTHORIZED;
}

/// The log level, reason and advice for a request without a credential.
struct Explanation {
    text::Level level;
    const char* reason;
    const char* advice;
};

Explanation explain_missing_credential(const request_rec* request, const AuthSettings& settings) {
    using text::Level;
    const httpd::RequestHeaders headers(request);
    if (!settings.get<ReadsBearer>() && token_in_authorization(headers.find("Authorization")))
        return {Level::warning, "bearer tokens are not accepted", "set AuthUserAdminBearer On"};
    if (!settings.get<ReadsApiKeys>() && !headers.find("x-api-key").empty())
        return {Level::warning, "API keys are not accepted", "set AuthUserAdminApiKey On"};
    // better-auth's cookie names end like this. The application chooses the prefix.
    const std::string_view cookies = headers.find("Cookie");
    const std::string own = settings.get<CookieName>() + std::string("=");
    if (cookies.find("session_token=") != cookies.npos && cookies.find(own) == cookies.npos)
        return {Level::warning, "the name of its session cookie differs from AuthUserAdminCookie",
                "if it is the application's cookie, set AuthUserAdminCookie to its name"};
    return {Level::info, "it has no session token", "the user must sign in"};
}

void log_missing_credential(request_rec* request, const AuthSettings& settings) {
    const auto [level, reason, advice] = explain_missing_credential(request, settings);
    httpd::RequestLog log(request, auth_useradmin_module,
                          *server_configuration_of(request->server).log_throttle);
    log.write_rejection(level, std::string("UA0319: request rejected (401): ") + reason, advice);
}

/// Logs why a request without a credential got 401, regardless of the handler. Rejected credentials
/// have already been logged, and a 401 from sign-in concerns the password.
int log_unauthorized(request_rec* first) noexcept {
    if (first->status != HTTP_UNAUTHORIZED || find_outcome(first) != nullptr)
        return DECLINED;
    for (request_rec* request = first; request != nullptr; request = request->next) {
        const AuthSettings& settings = settings_of(request);
        if (!settings.get<Enabled>() || is_for_sign_in(request, settings))
            continue;
        apr::guarded([&] { log_missing_credential(request, settings); }, [](const char*) {});
        break;
    }
    return DECLINED;
}

/// Returns the name of a directive or provider that needs the database, or nullptr.
const char* feature_needing_database(apr_pool_t* pool, const server_rec* servers) {
    for (const server_rec* server = servers; server != nullptr; server = server->next)
        if (server_configuration_of(server).is_used)
            return "AuthUserAdmin";
    return is_password_provider_configured(pool) ? "the useradmin provider" : nullptr;
}

/// Also runs for `apachectl configtest`.
int check(apr_pool_t* pool, apr_pool_t*, apr_pool_t*, server_rec* servers) noexcept {
    return apr::guarded(
        [&] {
            const char* feature = feature_needing_database(pool, servers);
            if (feature != nullptr && !httpd::check_database(auth_useradmin_module, feature))
                return HTTP_INTERNAL_SERVER_ERROR;
            httpd::warn_of_missing_database(
                pool, auth_useradmin_module, "AuthUserAdmin", servers,
                [](const server_rec* server) { return server_configuration_of(server).is_used; });
            return OK;
        },
        [&](const char* reason) {
            ap_log_error(APLOG_MARK, APLOG_EMERG, 0, servers,
                         "UA0302: cannot check the configuration: %s", reason);
            return HTTP_INTERNAL_SERVER_ERROR;
        });
}

int start(apr_pool_t* pool, apr_pool_t*, apr_pool_t*, server_rec* servers) noexcept {
    return httpd::start(
        pool, servers, auth_useradmin_module, httpd::hash_limits(settings_of(servers)),
        [](httpd::MetricsRegistry& metrics) {
            metrics.add_operations(sign_in::operation_names());
        });
}

void start_child(apr_pool_t* pool, server_rec* servers) noexcept {
    httpd::start_child(pool, servers, auth_useradmin_module);
    for (const server_rec* server = servers; server != nullptr; server = server->next)
        server_configuration_of(server).formats = &apr::emplace<sign_in::ObservedFormats>(pool);
}

/// mod_useradmin calls this for its requests and when it checks the configuration.
httpd::TokenSettings useradmin_token_settings(const ap_conf_vector_t* configuration) noexcept {
    const AuthSettings& settings = settings_of(configuration);
    const crypto::SigningSecrets secrets = settings.get<SigningSecrets>().secrets;
    httpd::TokenSettings tokens;
    if (settings.get<Enabled>())
        tokens.carriers = {settings.get<CookieName>(), settings.get<ReadsBearer>(),
                           settings.get<ReadsApiKeys>()};
    if (!secrets.empty())
        tokens.signing_secret = secrets.front();
    if (const httpd::Base sign_in = settings.get<SignInBase>(); sign_in.is_on)
        tokens.sign_in_base = sign_in.path;
    return tokens;
}

/// mod_useradmin calls this for better-auth's admin client.
httpd::OptionalCredentials useradmin_session_credentials(const request_rec* request) noexcept {
    const AuthSettings& settings = settings_of(request);
    const crypto::SigningSecrets secrets = settings.get<SigningSecrets>().secrets;
    if (!settings.get<Enabled>() || secrets.empty())
        return std::nullopt;
    return apr::guarded(
        [&]() -> httpd::OptionalCredentials {
            const sign_in::Cookies cookies(settings.get<CookieName>(), secrets.front(), false);
            const crypto::Secret credential = credential_of(request, settings);
            return httpd::SessionCredentials{
                settings.get<CookieName>(),
                secrets.front(),
                crypto::Secret(std::string(token_of(credential.view(), settings).text)),
                signed_cookie(request, settings, cookies.name_of("admin_session")),
                signed_cookie(request, settings, cookies.name_of("dont_remember")).view() == "true",
                settings.get<ReadsBearer>()};
        },
        [](const char*) -> httpd::OptionalCredentials { return std::nullopt; });
}

} // namespace

void register_authentication_hooks(apr_pool_t* pool) noexcept {
    APR_REGISTER_OPTIONAL_FN(useradmin_token_settings);
    APR_REGISTER_OPTIONAL_FN(useradmin_session_credentials);
    register_role_provider(pool);
    register_password_provider(pool);
    register_sign_in_hooks();
    ap_hook_check_authn(check_user, nullptr, nullptr, APR_HOOK_MIDDLE, AP_AUTH_INTERNAL_PER_CONF);
    ap_hook_check_config(check, nullptr, nullptr, APR_HOOK_MIDDLE);
    ap_hook_post_config(start, nullptr, nullptr, APR_HOOK_MIDDLE);
    ap_hook_child_init(start_child, nullptr, httpd::before_connections, APR_HOOK_MIDDLE);
    ap_hook_log_transaction(log_unauthorized, nullptr, nullptr, APR_HOOK_MIDDLE);
    ap_hook_check_access(check_access, nullptr, nullptr, APR_HOOK_FIRST, AP_AUTH_INTERNAL_PER_CONF);
}

} // namespace useradmin::auth
