#include "service/caller.hpp"

#include "apr/pool.hpp"
#include "httpd/auth_information.hpp"
#include "httpd/caller_notes.hpp"
#include "httpd/first_request.hpp"
#include "httpd/location.hpp"

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
              "UA0204: cannot evaluate an expression of UserAdminSession: " + std::string(error));
    return {};
}

/// Returns the caller from this request's notes or UserAdminSession. The id is empty if there is no
/// caller.
api::Caller caller_of(request_rec* request, const ServiceSettings& settings,
                      httpd::RequestLog& log) {
    const SessionSource session = settings.get<SessionExpressions>();
    const auto note = [&](const char* name) {
        return apr::view_of(apr_table_get(request->notes, name));
    };
    const std::string_view noted_id = note(httpd::id_note);
    const std::string_view noted_roles = note(httpd::role_note);
    api::Caller caller = {noted_id, noted_roles};
    if (session.id != nullptr) {
        caller.id = evaluate(request, session.id, log);
        const bool has_role = session.role != nullptr && !caller.id.empty();
        caller.roles = has_role ? evaluate(request, session.role, log) : std::string_view();
    }
    // The expressions of UserAdminSession may read an auth module's notes.
    if (noted_id == caller.id)
        caller.impersonated_by = note(httpd::impersonator_note);
    caller.is_stored =
        note(httpd::table_note) == settings.get<httpd::ApplicationTables>().names.user &&
        noted_id == caller.id && noted_roles == caller.roles;
    return caller;
}

/// Returns whether mod_auth_useradmin looks up sessions for this request or one that led to it. If
/// so, it logs why there is no session.
bool has_session_lookup(const request_rec* request) {
    for (; request != nullptr; request = httpd::parent_of(request))
        if (httpd::token_settings(request->per_dir_config).carriers)
            return true;
    return false;
}

/// Returns whether the parent's notes may identify the caller of its internal redirect or
/// subrequest.
bool is_trusted_parent(const request_rec* parent, const request_rec* request,
                       const ServiceSettings& settings) noexcept {
    const auto* const kept = static_cast<const httpd::CallerNotes*>(
        ap_get_module_config(parent->request_config, &useradmin_module));
    // A subrequest's parent has already begun its response, so its notes may have changed, and
    // UserAdminSession may read any note.
    const bool may_evaluate =
        request->prev != nullptr || settings.get<SessionExpressions>().id == nullptr;
    return kept == nullptr || (may_evaluate && *kept == httpd::CallerNotes::of(parent));
}

bool has_credential(const request_rec* request) noexcept {
    constexpr std::array headers = {"Authorization", "Cookie", "x-api-key"};
    return std::ranges::any_of(headers, [request](const char* name) {
        return apr_table_get(request->headers_in, name) != nullptr;
    });
}

} // namespace

int keep_caller_notes(request_rec* request) noexcept {
    ap_set_module_config(
        request->request_config, &useradmin_module,
        &apr::emplace<httpd::CallerNotes>(request->pool, httpd::CallerNotes::of(request)));
    return DECLINED;
}

std::optional<api::Caller> read_caller(request_rec* request, const ServiceSettings& settings,
                                       httpd::RequestLog& log) {
    for (request_rec* source = request; source != nullptr;) {
        const api::Caller caller = caller_of(source, settings, log);
        if (!caller.id.empty())
            return caller;
        request_rec* const parent = httpd::parent_of(source);
        if (apr_table_get(source->notes, httpd::rejected_note) != nullptr || parent == nullptr ||
            !is_trusted_parent(parent, source, settings))
            break;
        source = parent;
    }
    return std::nullopt;
}

void log_missing_caller(request_rec* request, const ServiceSettings& settings,
                        httpd::RequestLog& log) {
    const bool has_expression = settings.get<SessionExpressions>().id != nullptr;
    if (!has_expression && has_session_lookup(request))
        return;
    const char* const base = settings.get<ServiceBase>().path;
    const std::string rejected = base != nullptr
                                     ? "UA0223: a request in " + httpd::location_text(base)
                                     : "UA0223: a request to an endpoint for better-auth";
    log.write_rejection(
        // A request without credentials does not indicate a configuration error.
        has_credential(request) ? text::Level::warning : text::Level::info,
        rejected + " was rejected (401): " +
            (has_expression ? "UserAdminSession returned an empty id"
                            : "no auth module set the session-user-id note"),
        has_expression ? "check its expression" : authentication_advice);
}

} // namespace useradmin::service
