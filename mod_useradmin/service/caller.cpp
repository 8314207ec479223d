#include "service/caller.hpp"

#include "apr/pool.hpp"
#include "httpd/auth_information.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace useradmin::service {

namespace {

std::string_view evaluate(request_rec* request, const ap_expr_info_t* expression,
                          httpd::RequestLog& log) {
    const char* error = nullptr;
    const char* value = ap_expr_str_exec(request, expression, &error);
    if (error == nullptr)
        return apr::view_of(value);
    log.write(text::Level::error,
              "UA0204: cannot evaluate the expression of UserAdminSession: " + std::string(error));
    return {};
}

std::string_view id_from_expression(request_rec* request, const SessionSource& session,
                                    httpd::RequestLog& log) {
    return session.id != nullptr ? evaluate(request, session.id, log)
                                 : apr::view_of(apr_table_get(request->notes, httpd::id_note));
}

std::string_view role_from_expression(request_rec* request, const SessionSource& session,
                                      httpd::RequestLog& log) {
    if (session.id == nullptr)
        return apr::view_of(apr_table_get(request->notes, httpd::role_note));
    return session.role != nullptr ? evaluate(request, session.role, log) : std::string_view();
}

/// Returns whether an auth module read the id and the role from this user table.
bool is_stored(request_rec* request, std::string_view id, std::string_view role,
               std::string_view user_table) {
    const auto is_noted = [&](const char* name, std::string_view value) {
        return apr::view_of(apr_table_get(request->notes, name)) == value;
    };
    return is_noted(httpd::table_note, user_table) && is_noted(httpd::id_note, id) &&
           is_noted(httpd::role_note, role);
}

/// Returns the id of the administrator who impersonates the caller, or an empty string. The auth
/// module's note does not apply to an id from an expression.
std::string_view stated_impersonator(const request_rec* request, const SessionSource& session) {
    return session.id == nullptr
               ? apr::view_of(apr_table_get(request->notes, httpd::impersonator_note))
               : std::string_view();
}

/// Returns the request that caused this internal redirect or subrequest, or nullptr.
request_rec* origin_of(const request_rec* request) noexcept {
    return request->prev != nullptr ? request->prev : request->main;
}

/// Returns whether mod_auth_useradmin looks up sessions for this request. If so, it logs why there
/// is no session.
bool has_session_lookup(const request_rec* request) {
    for (; request != nullptr; request = origin_of(request))
        if (httpd::token_settings(request->per_dir_config).carriers)
            return true;
    return false;
}

bool has_credential(const request_rec* request) noexcept {
    constexpr std::array headers = {"Authorization", "Cookie", "x-api-key"};
    return std::any_of(headers.begin(), headers.end(), [request](const char* name) {
        return apr_table_get(request->headers_in, name) != nullptr;
    });
}

} // namespace

std::optional<api::Caller> stated_caller(request_rec* request, const SessionSource& session,
                                         std::string_view user_table, httpd::RequestLog& log) {
    for (request_rec* source = request; source != nullptr; source = origin_of(source)) {
        const std::string_view id = id_from_expression(source, session, log);
        if (id.empty())
            continue;
        const std::string_view role = role_from_expression(source, session, log);
        return api::Caller{id, role, is_stored(source, id, role, user_table),
                           stated_impersonator(source, session)};
    }
    return std::nullopt;
}

void log_missing_caller(request_rec* request, const ServiceSettings& settings,
                        httpd::RequestLog& log) {
    const bool has_expression = settings.get<SessionExpressions>().id != nullptr;
    if (!has_expression && has_session_lookup(request))
        return;
    const char* const base = settings.get<Enabled>().path;
    // All endpoints for better-auth have the same parent path.
    const std::string_view uri = apr::view_of(request->uri);
    const std::string location =
        "<Location \"" + std::string(base != nullptr ? base : uri.substr(0, uri.rfind('/'))) +
        "\">";
    log.write_rejection(
        // A request without credentials is no sign of a configuration error.
        has_credential(request) ? text::Level::warning : text::Level::info,
        "UA0223: a request to " + location + " got 401: " +
            (has_expression ? "UserAdminSession returned an empty id"
                            : "no auth module set the note session-user-id"),
        has_expression ? "check its expression"
                       : "set AuthUserAdmin On or UserAdminSession in the Location");
}

} // namespace useradmin::service
