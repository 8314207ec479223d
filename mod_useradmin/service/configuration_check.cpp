#include "service/configuration_check.hpp"

#include "apr/pool.hpp"
#include "httpd/auth_information.hpp"
#include "httpd/configuration_tree.hpp"
#include "httpd/location.hpp"
#include "httpd/monitoring.hpp"
#include "service/better_auth.hpp"
#include "service/caller.hpp"
#include "service/configuration.hpp"
#include "service/page.hpp"
#include "text/unicode.hpp"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace useradmin::service {

namespace {

/// The handlers of both modules.
constexpr std::string_view handlers[] = {better_auth_handler, console_handler,
                                         httpd::health_handler, httpd::metrics_handler,
                                         openapi_handler};

/// Returns the innermost section around the directive that has one of the names, or nullptr.
const ap_directive_t* enclosing(const ap_directive_t& directive,
                                std::initializer_list<std::string_view> names) {
    const ap_directive_t* section = directive.parent;
    while (section != nullptr && std::ranges::none_of(names, [&](std::string_view name) {
               return httpd::is_named(*section, name);
           }))
        section = section->parent;
    return section;
}

bool authenticates(const ap_conf_vector_t* configuration) {
    return settings_of(configuration).get<SessionExpressions>().id != nullptr ||
           httpd::token_settings(configuration).carriers.has_value();
}

/// Returns whether something authenticates callers at the base address, or in a section that may
/// apply there, such as <LocationMatch>.
bool may_authenticate_at(const char* base, apr_pool_t* pool, const server_rec* server) {
    return authenticates(httpd::configuration_at(pool, server, base)) ||
           std::ranges::any_of(
               httpd::locations_of(server),
               [&](ap_conf_vector_t* section) {
                   return !httpd::path_of(section) &&
                          authenticates(httpd::configuration_in(pool, server, section));
               });
}

/// Returns whether a directive inside <If>, <ElseIf> or <Else> may authenticate callers.
bool is_authentication_conditional() {
    bool is_conditional = false;
    httpd::for_each_directive([&](const httpd::TreeDirective& found) {
        if (httpd::is_named(found.directive, "AuthUserAdmin") ||
            httpd::is_named(found.directive, "UserAdminSession"))
            is_conditional |= enclosing(found.directive, {"<If", "<ElseIf", "<Else"}) != nullptr;
    });
    return is_conditional;
}

void check_callers(apr_pool_t* pool, const server_rec* servers) {
    // Another module may set the note that identifies the caller, so warn only in a configuration
    // test. The useradmin provider may authenticate callers in any section.
    if (ap_state_query(AP_SQ_RUN_MODE) == AP_SQ_RM_NORMAL ||
        httpd::is_password_provider_configured(pool) || is_authentication_conditional())
        return;
    struct Service {
        httpd::Base base;
        bool may_authenticate;
    };
    std::vector<Service> services;
    for (const server_rec* server = servers; server != nullptr; server = server->next)
        for (const char* const path : bases_of(server)) {
            const httpd::Base base =
                settings_of(httpd::configuration_at(pool, server, path)).get<ServiceBase>();
            if (!base.is_on)
                continue;
            const bool may_authenticate = may_authenticate_at(path, pool, server);
            // Virtual hosts inherit the main server's Locations, and may complete them.
            const auto known = std::ranges::find(
                services, base.directive, [](const Service& each) { return each.base.directive; });
            if (known == services.end())
                services.push_back({base, may_authenticate});
            else
                known->may_authenticate |= may_authenticate;
        }
    for (const Service& service : services)
        if (!service.may_authenticate)
            httpd::warn(*service.base.directive, useradmin_module,
                        "UA0225: neither AuthUserAdmin nor UserAdminSession applies to " +
                            httpd::location_text(service.base.path) +
                            ", so requests get 401 unless another module sets the "
                            "session-user-id note; " +
                            authentication_advice);
}

/// Returns the argument of SetHandler if it starts with "useradmin-". Otherwise, returns an empty
/// string.
std::string_view handler_in(const ap_directive_t& directive, apr_pool_t* pool) {
    if (!httpd::is_named(directive, "SetHandler"))
        return {};
    const std::string_view name = httpd::arguments_of(directive, pool).front();
    return text::starts_with_ignoring_case(name, "useradmin-") ? name : std::string_view();
}

void check_handler(const ap_directive_t& directive, std::string_view name) {
    // httpd lowercases handler names, but only after this module has looked up better-auth's
    // endpoints, so the name of their handler must match exactly.
    const bool is_known = std::ranges::any_of(handlers, [&](std::string_view each) {
        return name == each ||
               (each != better_auth_handler && text::equals_ignoring_case(name, each));
    });
    if (name.empty() || is_known)
        return;
    std::string names;
    for (const std::string_view each : handlers)
        names.append(names.empty() ? "" : ", ").append(each);
    httpd::warn(directive, useradmin_module,
                "UA0226: SetHandler: unknown handler " + std::string(name) +
                    ", so requests get 404; use one of " + names);
}

/// Returns the path of a <Location>. A pattern starts with one of "~*?[".
std::string_view path_in(const ap_directive_t& location, apr_pool_t* pool) {
    const std::string_view path = httpd::arguments_of(location, pool).front();
    return path.substr(0, path.find_last_not_of('>') + 1);
}

void check_path(const ap_directive_t& location, apr_pool_t* pool) {
    const std::string_view path = path_in(location, pool);
    // The path of a request to a forward proxy is a URL.
    if (path.find("://") != path.npos)
        return;
    const bool has_slash = path.starts_with('/');
    std::string usable(path);
    if (has_slash)
        usable = std::filesystem::path(path).lexically_normal().string();
    else if (!path.empty() && path.find_first_of("~*?[") != 0) // an empty path is for all requests
        usable.insert(0, 1, '/');
    if (path != usable)
        httpd::warn(location, useradmin_module,
                    "UA0227: " + httpd::location_text(path) + " matches no request because " +
                        (has_slash ? "httpd normalizes paths" : "paths start with a slash") +
                        "; use " + httpd::location_text(usable));
}

} // namespace

void warn_of_mistakes(apr_pool_t* pool, const server_rec* servers) {
    check_callers(pool, servers);
    httpd::warn_of_missing_database(
        pool, useradmin_module, "UserAdmin", servers, [&](const server_rec* server) {
            // Virtual hosts inherit the main server's base addresses.
            return bases_of(server).size() > (server == servers ? 0 : bases_of(servers).size());
        });
    std::set<const ap_directive_t*> locations;
    httpd::for_each_directive([&](const httpd::TreeDirective& found) {
        const std::string_view name = apr::view_of(found.directive.directive);
        const std::string_view handler = handler_in(found.directive, pool);
        check_handler(found.directive, handler);
        if (!handler.empty() || text::starts_with_ignoring_case(name, "UserAdmin") ||
            text::starts_with_ignoring_case(name, "AuthUserAdmin"))
            if (const ap_directive_t* const location = enclosing(found.directive, {"<Location"});
                location != nullptr && locations.insert(location).second)
                check_path(*location, pool);
    });
}

} // namespace useradmin::service
