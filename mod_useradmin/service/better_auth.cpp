#include "service/better_auth.hpp"

#include "apr/pool.hpp"
#include "httpd/auth_information.hpp"
#include "httpd/configuration_tree.hpp"
#include "service/request_context.hpp"

namespace useradmin::service {

namespace {

/// Returns whether the request is for the handler. Before httpd has set it, the Location's
/// SetHandler decides.
bool is_for_handler(request_rec* request) noexcept {
    const bool is_own = apr::view_of(request->handler) == better_auth_handler;
    // ProxyPass sets a handler before httpd applies SetHandler.
    if (is_own || (request->handler != nullptr && !ap_is_HTTP_ERROR(request->status)))
        return is_own;
    const auto& core =
        *static_cast<const core_dir_config*>(ap_get_core_module_config(request->per_dir_config));
    const char* error = nullptr;
    return core.expr_handler != nullptr &&
           apr::view_of(ap_expr_str_exec(request, core.expr_handler, &error)) ==
               better_auth_handler;
}

} // namespace

const admin::Endpoint* better_auth_endpoint(request_rec* request) noexcept {
    const admin::Endpoint* const endpoint = admin::find_endpoint(apr::view_of(request->uri));
    return endpoint != nullptr && is_for_handler(request) ? endpoint : nullptr;
}

bool has_better_auth_endpoints(apr_pool_t* pool) {
    bool is_found = false;
    httpd::for_each_directive([&](const httpd::TreeDirective& each) {
        is_found =
            is_found || (httpd::is_named(each.directive, "SetHandler") &&
                         httpd::words_of(each.directive, pool).front() == better_auth_handler);
    });
    return is_found;
}

bool is_handled(const request_rec* request, const admin::Endpoint& endpoint) {
    const httpd::TokenSettings tokens = httpd::token_settings(request->per_dir_config);
    return !admin::needs_cookies(endpoint) || (tokens.carriers && !tokens.signing_secret.empty());
}

int handle_better_auth(request_rec* request, const admin::Endpoint& endpoint) {
    const httpd::OptionalCredentials credentials =
        admin::needs_cookies(endpoint) ? httpd::session_credentials(request) : std::nullopt;
    if (admin::needs_cookies(endpoint) && !credentials)
        return DECLINED;
    RequestContext context(request, false);
    admin::Service service = {context.store(), context.hasher(), context.rules(),
                              *context.settings().get<BetterAuthRoles>(),
                              context.settings().get<ShowsTokens>()};
    if (credentials)
        service.session_cookies = admin::SessionCookies{
            {credentials->cookie_name, credentials->signing_secret,
             apr::view_of(ap_http_scheme(request)) == "https", context.headers().find("Cookie")},
            credentials->token.view(),
            credentials->admin_session.view(),
            credentials->is_not_remembered,
            apr::view_of(request->useragent_ip)};
    return context.send(
        admin::handle_request(endpoint,
                              {request->method, apr::view_of(request->uri),
                               apr::view_of(request->args), context.headers(), context.body()},
                              context.caller(), service, context.backend().event()),
        service.session_cookies || service.shows_tokens ? httpd::Content::secret
                                                        : httpd::Content::plain);
}

} // namespace useradmin::service
