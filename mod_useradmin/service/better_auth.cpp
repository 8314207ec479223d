#include "service/better_auth.hpp"

#include "apr/pool.hpp"
#include "httpd/auth_information.hpp"
#include "httpd/configuration_tree.hpp"
#include "httpd/location.hpp"
#include "service/request_context.hpp"

namespace useradmin::service {

namespace {

/// Returns whether SetHandler in the section or configuration enables the endpoints.
bool sets_handler(request_rec* request, const ap_conf_vector_t* configuration) noexcept {
    const auto& core =
        *static_cast<const core_dir_config*>(ap_get_core_module_config(configuration));
    const char* error = nullptr;
    return core.expr_handler != nullptr &&
           apr::view_of(ap_expr_str_exec(request, core.expr_handler, &error)) ==
               better_auth_handler;
}

/// Returns whether the request has the canonical path of its endpoint. Any other path could bypass
/// a Location that restricts the endpoint. The path must end with "/admin/" and a name.
bool is_canonical_path(request_rec* request) noexcept {
    constexpr std::string_view folder = "/admin";
    const std::string_view path = apr::view_of(request->uri);
    if (path.find("//") != path.npos)
        return false;
    bool has_location = false;
    for (const ap_conf_vector_t* const section : httpd::locations_of(request->server)) {
        const auto location = httpd::path_of(section);
        if (!location || !httpd::is_at_or_below(path, *location) || !sets_handler(request, section))
            continue;
        const std::string_view rest = path.substr(location->size());
        const bool is_path =
            admin::find_endpoint(*location) != nullptr
                ? rest.empty()
                : rest.substr(0, rest.rfind('/')) == (location->ends_with(folder) ? "" : folder);
        if (is_path)
            return true;
        has_location = true;
    }
    // In other sections, such as <LocationMatch>, "/admin/" must occur only once.
    return !has_location && path.find("/admin/") + folder.size() == path.rfind('/');
}

/// Returns whether the request is for the handler. Before httpd has set the handler, and after an
/// error, the Location's SetHandler decides.
bool is_for_handler(request_rec* request) noexcept {
    const bool is_own = apr::view_of(request->handler) == better_auth_handler;
    // ProxyPass sets a handler before httpd applies SetHandler.
    if (is_own || (request->handler != nullptr && !ap_is_HTTP_ERROR(request->status)))
        return is_own;
    return sets_handler(request, request->per_dir_config);
}

} // namespace

const admin::Endpoint* better_auth_endpoint(request_rec* request) noexcept {
    const admin::Endpoint* const endpoint = admin::find_endpoint(apr::view_of(request->uri));
    const bool is_found =
        endpoint != nullptr && is_for_handler(request) && is_canonical_path(request);
    return is_found ? endpoint : nullptr;
}

bool has_better_auth_endpoints(apr_pool_t* pool) {
    bool is_found = false;
    httpd::for_each_directive([&](const httpd::TreeDirective& each) {
        is_found =
            is_found || (httpd::is_named(each.directive, "SetHandler") &&
                         httpd::arguments_of(each.directive, pool).front() == better_auth_handler);
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
    RequestContext context(request);
    admin::Service service = {context.store(), context.hasher(), context.operation_settings(),
                              *context.settings().get<BetterAuthRoles>(),
                              context.settings().get<ShowsTokens>()};
    if (credentials)
        service.session_cookies =
            admin::SessionCookies{{credentials->cookie_name, credentials->signing_secret,
                                   apr::view_of(ap_http_scheme(request)) == "https",
                                   context.headers().find("Cookie"), credentials->accepts_bearer},
                                  credentials->token.view(),
                                  credentials->admin_session.view(),
                                  credentials->has_dont_remember,
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
