#include "auth/hooks.hpp"

#include "apr/guard.hpp"
#include "apr/pool.hpp"
#include "auth/log_module.hpp"
#include "auth/request_verifier.hpp"
#include "httpd/auth_information.hpp"
#include "httpd/configuration_tree.hpp"
#include "httpd/notes.hpp"

#include <mod_auth.h>

#include <algorithm>

namespace useradmin::auth {

namespace {

constexpr const char* provider_name = "useradmin";

authn_status status_of(sign_in::Outcome outcome) noexcept {
    return outcome == sign_in::Outcome::accepted  ? AUTH_GRANTED
           : outcome == sign_in::Outcome::unknown ? AUTH_USER_NOT_FOUND
           : reason_of(outcome).empty()           ? AUTH_GENERAL_ERROR // the outcome is undecided
                                                  : AUTH_DENIED;
}

authn_status verify(request_rec* request, const char* user, const char* password) {
    // check_config does not check .htaccess files.
    if (server_configuration_of(request->server).database.open == nullptr) {
        ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, request,
                      "UA0308: the useradmin provider cannot be used: %s",
                      httpd::database_problem().c_str());
        return AUTH_GENERAL_ERROR;
    }
    RequestVerifier verifier(request);
    audit::Event& event = verifier.backend().event();
    event.operation = "sign-in";
    const sign_in::SignInResult result = verifier.credentials().verify(
        {apr::view_of(user), apr::view_of(password), verifier.backend().network()});
    if (result.outcome == sign_in::Outcome::second_factor)
        verifier.credentials().log_second_factor(result.user, verifier.backend().network());
    if (result.outcome == sign_in::Outcome::accepted) {
        httpd::note_caller(request, result.user.id, result.user.role.value_or(""),
                           settings_of(request).get<httpd::ApplicationTables>().names.user);
        // `Require user` must match the stored address, not the address as entered.
        request->user = apr::copy_c_string(request->pool, result.user.email);
    }
    // httpd calls the provider for every request, so the audit log omits successes. Do not log a
    // name that is not an address: it may be a mistyped password.
    if (!result.user.id.empty())
        event.target = result.user.id;
    else if (apr::view_of(user).find('@') != std::string_view::npos)
        event.target = user;
    event.reason = reason_of(result.outcome);
    event.status = result.outcome == sign_in::Outcome::accepted ? HTTP_OK
                   : event.reason.empty()                       ? HTTP_INTERNAL_SERVER_ERROR
                                                                : HTTP_UNAUTHORIZED;
    verifier.backend().finish_event();
    // A provider cannot return 429, but it can set Retry-After.
    if (result.outcome == sign_in::Outcome::limited) {
        verifier.backend().server().metrics.count(httpd::Rejection::sign_in_limit);
        apr_table_setn(request->err_headers_out, "Retry-After",
                       apr_psprintf(request->pool, "%" APR_INT64_T_FMT,
                                    static_cast<apr_int64_t>(result.retry_after.count())));
    }
    return status_of(result.outcome);
}

authn_status check_password(request_rec* request, const char* user, const char* password) noexcept {
    return apr::guarded([&] { return verify(request, user, password); },
                        [&](const char* reason) {
                            ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, request,
                                          "UA0309: cannot verify a password: %s", reason);
                            return AUTH_GENERAL_ERROR;
                        });
}

constexpr authn_provider password_provider = {check_password, nullptr};

/// mod_useradmin calls this when it checks the configuration.
bool useradmin_is_password_provider_configured(apr_pool_t* pool) noexcept {
    return apr::guarded([&] { return is_password_provider_configured(pool); },
                        [](const char*) { return false; });
}

} // namespace

void register_password_provider(apr_pool_t* pool) noexcept {
    APR_REGISTER_OPTIONAL_FN(useradmin_is_password_provider_configured);
    ap_register_auth_provider(pool, AUTHN_PROVIDER_GROUP, provider_name, AUTHN_PROVIDER_VERSION,
                              &password_provider, AP_AUTH_INTERNAL_PER_CONF);
}

bool is_password_provider_configured(apr_pool_t* pool) {
    bool is_configured = false;
    httpd::for_each_directive([&](const httpd::TreeDirective& found) {
        for (const char* name : {"AuthBasicProvider", "AuthFormProvider", "<AuthnProviderAlias"}) {
            if (!httpd::is_named(found.directive, name))
                continue;
            const auto arguments = httpd::arguments_of(found.directive, pool);
            is_configured =
                is_configured || std::ranges::find(arguments, provider_name) != arguments.end();
        }
    });
    return is_configured;
}

} // namespace useradmin::auth
