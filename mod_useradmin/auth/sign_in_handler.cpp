#include "auth/hooks.hpp"

#include "apr/guard.hpp"
#include "apr/pool.hpp"
#include "auth/configuration.hpp"
#include "auth/log_module.hpp"
#include "auth/request_credentials.hpp"
#include "auth/request_verifier.hpp"
#include "httpd/auth_information.hpp"
#include "httpd/body.hpp"
#include "httpd/body_timeout.hpp"
#include "httpd/first_request.hpp"
#include "httpd/headers.hpp"
#include "httpd/location.hpp"
#include "httpd/monitoring.hpp"
#include "httpd/response.hpp"
#include "sign_in/service.hpp"

namespace useradmin::auth {

namespace {

// Enough for an address and a password.
constexpr long max_body_size = 65536;

/// Returns the secrets if AuthUserAdminSecondFactor is verify, otherwise none.
crypto::SigningSecrets second_factor_secrets(const AuthSettings& settings) {
    return settings.get<SecondFactorMode>() == sign_in::SecondFactor::verified
               ? settings.get<SigningSecrets>().secrets
               : crypto::SigningSecrets();
}

int handle_sign_in(request_rec* request) {
    const AuthSettings& settings = settings_of(request);
    const crypto::SigningSecrets factor_secrets = second_factor_secrets(settings);
    RequestVerifier verifier(request);
    const crypto::SigningSecrets secrets = settings.get<SigningSecrets>().secrets;
    const httpd::RequestHeaders headers(request);
    const sign_in::Cookies cookies(settings.get<CookieName>(),
                                   secrets.empty() ? std::string_view() : secrets.front(),
                                   apr::view_of(ap_http_scheme(request)) == "https",
                                   headers.find("Cookie"), settings.get<ReadsBearer>());
    const crypto::Secret credential = credential_of(request, settings);
    httpd::RequestBody body(request, verifier.backend().log(), max_body_size,
                            verifier.backend().settings().body_timeout);
    const auto cookie = [&](std::string_view name) {
        return signed_cookie(request, settings, cookies.name_of(name));
    };
    const crypto::Secret dont_remember = cookie("dont_remember");
    const crypto::Secret challenge = cookie("two_factor");
    const crypto::Secret trusted_device = cookie("trust_device");
    http::Response response = sign_in::handle_request(
        {.method = request->method,
         .path = httpd::path_below(request, settings.get<SignInBase>().path),
         .query = apr::view_of(request->args),
         .headers = headers,
         .body = body},
        {.ip = apr::view_of(request->useragent_ip),
         .network = verifier.backend().network(),
         .token = token_of(credential.view(), settings).text,
         .has_dont_remember = dont_remember.view() == "true",
         .challenge = challenge.view(),
         .trusted_device = trusted_device.view()},
        {.store = verifier.backend().store(),
         .credentials = verifier.credentials(),
         .cookies = cookies,
         .trusted_origins = settings.get<httpd::TrustedOrigins>(),
         .now = text::now(),
         .event = verifier.backend().event(),
         .max_sessions = settings.get<MaxSessions>(),
         .rejects_impersonated = settings.get<RejectsImpersonated>(),
         .second_factor_secrets = factor_secrets});
    verifier.backend().finish_event();
    if (response.status == HTTP_TOO_MANY_REQUESTS)
        verifier.backend().server().metrics.count(httpd::Rejection::sign_in_limit);
    if (body.has_sent_response())
        return AP_FILTER_ERROR;
    if (body.has_unread_data())
        request->connection->keepalive = AP_CONN_CLOSE;
    return httpd::send(request, std::move(response), httpd::Content::secret);
}

/// Adds CORS headers to errors raised by httpd and other modules.
void allow_error(request_rec* request) noexcept {
    const AuthSettings& settings = settings_of(request);
    if (!settings.get<SignInBase>().is_on)
        return;
    apr::guarded(
        [&] {
            http::Response response;
            http::add_cors_headers(response, request->method, httpd::RequestHeaders(request),
                                   settings.get<httpd::TrustedOrigins>());
            for (const http::Header& header : response.headers) {
                // Keep Vary. Other modules may have set it, and httpd removes duplicates.
                const bool is_vary = std::string_view(header.name) == "Vary";
                const auto write = is_vary ? apr_table_merge : apr_table_set;
                write(request->err_headers_out, header.name, header.value.c_str());
            }
        },
        [](const char*) {});
}

int handle(request_rec* request) noexcept {
    return apr::guarded(
        [&] {
            // httpd does not call allow_error() for an error with an ErrorDocument.
            if (httpd::is_error_document(request))
                allow_error(request->prev);
            return settings_of(request).get<SignInBase>().is_on ? handle_sign_in(request)
                                                                : DECLINED;
        },
        [&](const char* reason) {
            ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, request,
                          "UA0304: internal error during sign-in: %s", reason);
            return HTTP_INTERNAL_SERVER_ERROR;
        });
}

httpd::BackendSettings backend_settings(const request_rec* request) {
    return httpd::backend_settings(settings_of(request));
}

int count_request(request_rec* first) noexcept {
    for (const request_rec* request = first; request != nullptr; request = request->next) {
        const httpd::Base base = settings_of(request).get<SignInBase>();
        // mod_useradmin counts requests for its own handlers.
        if (!base.is_on || apr::view_of(request->handler).starts_with("useradmin-"))
            continue;
        httpd::count_request(first, server_configuration_of(request->server),
                             sign_in::operation_name(httpd::path_below(request, base.path)));
        break;
    }
    return DECLINED;
}

int claim_request(request_rec* request) noexcept {
    const httpd::Base base = settings_of(request).get<SignInBase>();
    return base.is_on ? httpd::claim_request(request, base.path) : DECLINED;
}

/// mod_useradmin calls this for its console.
const char* useradmin_sign_in_address(request_rec* request) noexcept {
    const char* address = nullptr;
    const auto is_on_at = [request](const char* path) {
        return settings_of(httpd::configuration_for_path(request, path)).get<SignInBase>().is_on;
    };
    httpd::for_each_location<directives>(
        request->pool, request->server, auth_useradmin_module, [&](const AuthSettings& settings) {
            const httpd::Base base = settings.get<SignInBase>();
            if (address == nullptr && base.is_on && is_on_at(base.path))
                address = base.path;
        });
    return address;
}

} // namespace

void register_sign_in_hooks() noexcept {
    APR_REGISTER_OPTIONAL_FN(useradmin_sign_in_address);
    httpd::register_body_timeout();
    httpd::register_location(claim_request);
    ap_hook_insert_error_filter(allow_error, nullptr, nullptr, APR_HOOK_MIDDLE);
    // These hooks run after mod_useradmin's, regardless of the load order.
    ap_hook_handler(handle, nullptr, nullptr, APR_HOOK_REALLY_FIRST + 1);
    httpd::register_monitoring<auth_useradmin_module, backend_settings>(APR_HOOK_REALLY_FIRST - 1);
    ap_hook_log_transaction(count_request, nullptr, nullptr, APR_HOOK_MIDDLE + 1);
}

} // namespace useradmin::auth
