#include "auth/sign_in_handler.hpp"

#include "apr/guard.hpp"
#include "apr/pool.hpp"
#include "auth/configuration.hpp"
#include "auth/request_verifier.hpp"
#include "auth/session_token.hpp"
#include "auth/token.hpp"
#include "httpd/base.hpp"
#include "httpd/body.hpp"
#include "httpd/body_timeout.hpp"
#include "httpd/reply.hpp"
#include "sign_in/service.hpp"

APLOG_USE_MODULE(auth_useradmin);

namespace useradmin::auth {

namespace {

// An address and a password; nothing longer is read.
constexpr long largest_body = 65536;

std::string_view header_of(const request_rec* request, const char* name) {
    return apr::view_of(apr_table_get(request->headers_in, name));
}

sign_in::Provenance provenance_of(const request_rec* request) {
    return {header_of(request, "Origin"),
            header_of(request, "Referer"),
            header_of(request, "Sec-Fetch-Site"),
            header_of(request, "Sec-Fetch-Mode"),
            header_of(request, "Sec-Fetch-Dest"),
            apr_table_get(request->headers_in, "Cookie") != nullptr};
}

/// Whether the request's cookies say that its session is not to be remembered.
bool is_not_remembered(const request_rec* request, const Settings& settings,
                       const sign_in::Cookies& cookies) {
    const auto value = token_in_cookie(header_of(request, "Cookie"), cookies.not_remembered_name());
    return value && token_of(*value, settings).text == "true";
}

int answer(request_rec* request) {
    const Settings& settings = settings_of(request);
    RequestVerifier verifier(request);
    const sign_in::Cookies cookies(settings.get<CookieName>(),
                                   apr::view_of(settings.get<SigningSecret>()),
                                   apr::view_of(ap_http_scheme(request)) == "https");
    const secret::Secret credential = credential_of(request, settings);
    httpd::RequestBody body(request, verifier.backend().log(), largest_body,
                            verifier.backend().settings().body_wait);
    sign_in::Reply reply =
        sign_in::answer({request->method,
                         httpd::path_below(request, settings.get<SignIn>().path),
                         apr::view_of(request->args),
                         header_of(request, "Content-Type"),
                         provenance_of(request),
                         apr::view_of(ap_construct_url(request->pool, "", request)),
                         {apr::view_of(request->useragent_ip), header_of(request, "User-Agent"),
                          counted_address(request)},
                         token_of(credential.view(), settings).text,
                         is_not_remembered(request, settings, cookies),
                         body},
                        {verifier.backend().store(), verifier.credentials(), cookies,
                         settings.get<ReadsBearer>(), text::now()});
    if (body.was_answered())
        return AP_FILTER_ERROR;
    if (body.is_left())
        request->connection->keepalive = AP_CONN_CLOSE;
    for (const auto& [name, value] : reply.headers)
        apr_table_add(request->headers_out, name, value.c_str());
    return httpd::send(request, {reply.status, std::move(reply.body), {}});
}

int handle(request_rec* request) noexcept {
    return apr::guarded(
        [&] { return settings_of(request).get<SignIn>().is_on ? answer(request) : DECLINED; },
        [&](const char* reason) {
            ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, request, "UA0304: a sign-in failed: %s",
                          reason);
            return HTTP_INTERNAL_SERVER_ERROR;
        });
}

int claim(request_rec* request) noexcept {
    return settings_of(request).get<SignIn>().is_on ? httpd::keep_from_files(request) : DECLINED;
}

} // namespace

void register_sign_in_hooks(apr_pool_t* pool) noexcept {
    // Rewrite rules of the server come first; what proxies or aliases the address comes after.
    static constexpr const char* before[] = {"mod_rewrite.c", nullptr};
    static constexpr const char* after[] = {"mod_proxy.c", "mod_alias.c", nullptr};
    httpd::register_body_timeout(pool);
    ap_hook_translate_name(claim, before, after, APR_HOOK_FIRST);
    ap_hook_map_to_storage(httpd::keep_from_storage, nullptr, nullptr, APR_HOOK_REALLY_FIRST);
    ap_hook_handler(handle, nullptr, nullptr, APR_HOOK_REALLY_FIRST);
}

} // namespace useradmin::auth
