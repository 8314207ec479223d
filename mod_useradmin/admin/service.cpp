#include "admin/endpoints.hpp"
#include "admin/user_data.hpp"
#include "api/guard_rules.hpp"
#include "sign_in/cross_site.hpp"
#include "sign_in/responses.hpp"
#include "text/unicode.hpp"
#include "text/url.hpp"

#include <algorithm>
#include <iterator>
#include <variant>

namespace useradmin::admin {

namespace {

using json::Object;
using sign_in::Parameters;
using sign_in::ValidationErrors;

constexpr std::string_view invalid_input = "Invalid input";

/// Adds an error unless "role" is a string or an array of strings.
void expect_roles(ValidationErrors& errors, const Parameters& parameters) {
    if (parameters.object() && !roles_in(*parameters.object(), "role"))
        errors.add("role", invalid_input);
}

/// Adds errors unless "data" is an object whose booleans and times are valid.
void expect_record(ValidationErrors& errors, const Parameters& parameters) {
    if (!parameters.object())
        return;
    const std::optional<Object> data = parameters.object()->object("data");
    if (!data)
        return errors.add_type_error("data", "record", parameters.kind("data"));
    for (const std::string_view name : data->keys())
        if (const auto type = expected_type(*data, name); !type.empty())
            errors.add_type_error(std::string("data.").append(name), type, data->kind(name));
}

std::optional<Response> validate_nothing(const http::Request&, Parameters&) {
    return std::nullopt;
}

std::optional<Response> validate_id_in_query(const http::Request& request, Parameters&) {
    sign_in::ErrorList errors("query");
    const auto ids = text::query_parameters(request.query, "id");
    if (ids.size() != 1)
        errors.add_type_error("id", "string", ids.empty() ? Kind::absent : Kind::array);
    return errors.response();
}

std::optional<Response> validate_user_id(const http::Request&, Parameters& parameters) {
    ValidationErrors errors(parameters);
    errors.expect_any("userId");
    return errors.response();
}

std::optional<Response> validate_role(const http::Request&, Parameters& parameters) {
    ValidationErrors errors(parameters);
    errors.expect_any("userId");
    expect_roles(errors, parameters);
    return errors.response();
}

std::optional<Response> validate_ban(const http::Request&, Parameters& parameters) {
    ValidationErrors errors(parameters);
    errors.expect_any("userId");
    errors.expect_optional("banReason", Kind::string);
    errors.expect_optional("banExpiresIn", Kind::number);
    return errors.response();
}

/// Returns whether the member is an empty string or array. better-auth tests the length of both.
bool is_empty(const Object& body, std::string_view member) {
    const auto texts = body.texts(member);
    return texts ? texts->empty() : body.kind(member) == Kind::string && body.text(member).empty();
}

std::optional<Response> validate_password(const http::Request&, Parameters& parameters) {
    ValidationErrors errors(parameters);
    errors.expect("newPassword", Kind::string);
    const std::optional<Object>& body = parameters.object();
    if (body && is_empty(*body, "newPassword"))
        errors.add("newPassword", "newPassword cannot be empty");
    errors.expect_any("userId");
    if (body && body->as_text("userId").empty())
        errors.add("userId", "userId cannot be empty");
    return errors.response();
}

std::optional<Response> validate_new_user(const http::Request&, Parameters& parameters) {
    ValidationErrors errors(parameters);
    errors.expect("email", Kind::string);
    errors.expect_optional("password", Kind::string);
    errors.expect("name", Kind::string);
    if (parameters.kind("role") != Kind::absent)
        expect_roles(errors, parameters);
    if (parameters.kind("data") != Kind::absent)
        expect_record(errors, parameters);
    return errors.response();
}

std::optional<Response> validate_data(const http::Request&, Parameters& parameters) {
    ValidationErrors errors(parameters);
    errors.expect_any("userId");
    expect_record(errors, parameters);
    return errors.response();
}

std::optional<Response> validate_session_token(const http::Request&, Parameters& parameters) {
    ValidationErrors errors(parameters);
    errors.expect("sessionToken", Kind::string);
    return errors.response();
}

/// Returns whether the member is an object in which every member is an array of strings.
bool holds_permissions(const Object& body, std::string_view member) {
    const std::optional<Object> permissions = body.object(member);
    if (!permissions)
        return false;
    const auto names = permissions->keys();
    return std::ranges::all_of(
        names, [&](std::string_view name) { return permissions->texts(name).has_value(); });
}

std::optional<Response> validate_permissions(const http::Request&, Parameters& parameters) {
    ValidationErrors errors(parameters);
    errors.expect_optional("role", Kind::string);
    const std::optional<Object>& body = parameters.object();
    const bool has_permissions = body && holds_permissions(*body, "permissions");
    const bool has_permission = body && holds_permissions(*body, "permission");
    if (has_permissions == has_permission)
        errors.add("",
                   has_permission ? "Invalid input: more than one option matched" : invalid_input);
    if (auto problem = errors.response())
        return problem;
    if (!has_permissions)
        return sign_in::error(400, "invalid permission check. no permission(s) were passed.");
    return std::nullopt;
}

constexpr Problem none = {403, "FORBIDDEN", "Forbidden"};
constexpr Problem forbidden_sessions = {403, "YOU_ARE_NOT_ALLOWED_TO_REVOKE_USERS_SESSIONS",
                                        "You are not allowed to revoke users sessions"};
constexpr Problem forbidden_list = {403, "YOU_ARE_NOT_ALLOWED_TO_LIST_USERS",
                                    "You are not allowed to list users"};
constexpr Problem forbidden_get = {403, "YOU_ARE_NOT_ALLOWED_TO_GET_USER",
                                   "You are not allowed to get user"};
constexpr Problem forbidden_create = {403, "YOU_ARE_NOT_ALLOWED_TO_CREATE_USERS",
                                      "You are not allowed to create users"};
constexpr Problem forbidden_update = {403, "YOU_ARE_NOT_ALLOWED_TO_UPDATE_USERS",
                                      "You are not allowed to update users"};
constexpr Problem forbidden_removal = {403, "YOU_ARE_NOT_ALLOWED_TO_DELETE_USERS",
                                       "You are not allowed to delete users"};
constexpr Problem forbidden_password = {403, "YOU_ARE_NOT_ALLOWED_TO_SET_USERS_PASSWORD",
                                        "You are not allowed to set users password"};
constexpr Problem forbidden_session_list = {403, "YOU_ARE_NOT_ALLOWED_TO_LIST_USERS_SESSIONS",
                                            "You are not allowed to list users sessions"};
constexpr Problem forbidden_impersonation = {403, "YOU_ARE_NOT_ALLOWED_TO_IMPERSONATE_USERS",
                                             "You are not allowed to impersonate users"};

constexpr Endpoint endpoints[] = {
    {"list-users", "GET", "list", false, Action::list_users, forbidden_list, validate_list_query,
     list_users},
    {"get-user", "GET", "get", false, Action::get_user, forbidden_get, validate_id_in_query,
     get_user},
    {"create-user", "POST", "create", true, Action::create_user, forbidden_create,
     validate_new_user, create_user},
    {"update-user", "POST", "update", true, Action::update_user, forbidden_update, validate_data,
     update_user},
    {"set-role", "POST", "update", true, Action::set_role, forbidden_role, validate_role, set_role},
    {"ban-user", "POST", "ban", true, Action::ban_user, forbidden_ban, validate_ban, ban_user},
    {"unban-user", "POST", "unban", true, Action::ban_user, forbidden_ban, validate_user_id,
     unban_user},
    {"remove-user", "POST", "delete", true, Action::delete_user, forbidden_removal,
     validate_user_id, remove_user},
    {"set-user-password", "POST", "set-password", true, Action::set_password, forbidden_password,
     validate_password, set_user_password},
    {"list-user-sessions", "POST", "list-sessions", false, Action::list_sessions,
     forbidden_session_list, validate_user_id, list_user_sessions},
    {"revoke-user-session", "POST", "end-session", true, Action::revoke_session, forbidden_sessions,
     validate_session_token, revoke_user_session},
    {"revoke-user-sessions", "POST", "end-sessions", true, Action::revoke_session,
     forbidden_sessions, validate_user_id, revoke_user_sessions},
    {"has-permission", "POST", "", false, std::nullopt, none, validate_permissions, has_permission},
    {"impersonate-user", "POST", "impersonate-user", true, Action::impersonate_user,
     forbidden_impersonation, validate_user_id, impersonate_user},
    {"stop-impersonating", "POST", "stop-impersonating", true, std::nullopt, none, validate_nothing,
     stop_impersonating},
};

/// Returns the user id in the request, or an empty string.
std::string target_of(const http::Request& request, const Parameters& parameters) {
    if (parameters.object() && parameters.kind("userId") != Kind::absent)
        return parameters.object()->as_text("userId");
    return text::query_parameter(request.query, "id").value_or("");
}

Response dispatch(const Endpoint& endpoint, const http::Request& request,
                  const std::optional<api::Caller>& caller, const Service& service,
                  audit::Event& event) {
    if (request.method == "OPTIONS")
        return {204, {}, {{"Allow", std::string(endpoint.method) + ", OPTIONS"}}};
    if (request.method != endpoint.method)
        return {404};
    event.operation = endpoint.operation;
    event.is_change = endpoint.is_change;
    Parameters parameters;
    if (endpoint.method == "POST") {
        auto read = Parameters::read(request, Parameters::Forms::rejected);
        if (auto* problem = std::get_if<Response>(&read))
            return std::move(*problem);
        parameters = std::move(std::get<Parameters>(read));
        if (auto foreign = sign_in::reject_cross_site_cookies(request.headers,
                                                              service.settings.trusted_origins))
            return *std::move(foreign);
        // Even without cookies, browsers send client certificates and HTTP credentials with
        // cross-site requests.
        if (!request.headers.has("Cookie") &&
            http::is_cross_site(request.headers, service.settings.trusted_origins))
            return sign_in::error(403, "Invalid origin", "INVALID_ORIGIN");
    }
    if (auto problem = endpoint.validate(request, parameters))
        return *std::move(problem);
    if (!caller)
        return no_session();
    event.target = target_of(request, parameters);
    Call call{request, parameters, *caller, service, endpoint.forbidden, event};
    if (endpoint.action && !call.may(*endpoint.action))
        return error(endpoint.forbidden);
    // An id with invalid UTF-8 or U+0000 matches no user.
    if (!text::is_clean_utf8(event.target))
        return error(user_not_found);
    return endpoint.handler(call);
}

} // namespace

bool Call::may(Action action) const noexcept {
    return admin::may(service.roles, caller.roles, bit_of(action));
}

std::optional<std::string> roles_in(const Object& object, std::string_view member) {
    if (object.kind(member) == Kind::string)
        return std::string(object.text(member));
    const auto each = object.texts(member);
    if (!each)
        return std::nullopt;
    std::string roles;
    for (std::size_t index = 0; index < each->size(); ++index)
        roles.append(index == 0 ? "" : ",").append((*each)[index]);
    return roles;
}

std::optional<store::Actor> actor_of(const Call& call) {
    if (!call.caller.is_stored)
        return std::nullopt;
    // A missing role is empty in the note, but the store treats it as "user".
    static constexpr std::string_view no_role[] = {"", model::user_role};
    const std::span<const std::string_view> roles =
        call.caller.roles.empty() ? no_role : std::span(&call.caller.roles, 1);
    return store::Actor{call.caller.id, roles, text::now()};
}

store::UpdateGuard guard_of(const Call& call, bool revokes_super_admin) {
    store::UpdateGuard guard;
    if (is_limited_by_rank(call))
        guard = {store::UpdateGuard::Kind::requires_role, model::user_role};
    else if (revokes_super_admin)
        guard = api::last_super_admin_guard(call.service.settings);
    guard.actor = actor_of(call);
    return guard;
}

std::optional<Response> log_columns(Call& call, const store::Changes& changes) {
    const auto is_field = [](const store::Change& change) {
        return model::find_user_field(change.field) != nullptr;
    };
    if (std::ranges::all_of(changes, is_field))
        return std::nullopt;
    const auto columns = call.service.store.extra_columns();
    if (!columns)
        return failure_response(columns.failure(), call.forbidden);
    for (const store::ExtraColumn& column : *columns)
        if (std::ranges::any_of(changes, [&](const store::Change& change) {
                return !is_field(change) && (column.name == change.field ||
                                             column.name == text::snake_case(change.field));
            }))
            call.event.columns.emplace_back(column.name);
    return std::nullopt;
}

bool is_limited_by_rank(const Call& call) {
    return call.service.settings.guards.rank && !model::is_super_admin(call.caller.roles);
}

bool guard_forbids_roles(const Call& call, std::string_view roles) {
    return is_limited_by_rank(call) && roles != model::user_role;
}

bool guard_forbids_change(const Call& call, const model::User& user) {
    return guard_forbids_roles(call, user.role.value_or(model::user_role));
}

const Endpoint* find_endpoint(std::string_view path) noexcept {
    const std::size_t slash = path.rfind('/');
    if (slash == path.npos || !path.substr(0, slash).ends_with("/admin"))
        return nullptr;
    const auto* const found = std::ranges::find(endpoints, path.substr(slash + 1), &Endpoint::name);
    return found != std::end(endpoints) ? found : nullptr;
}

bool needs_cookies(const Endpoint& endpoint) noexcept {
    return endpoint.handler == impersonate_user || endpoint.handler == stop_impersonating;
}

std::vector<std::string_view> operation_names() {
    std::vector<std::string_view> names;
    for (const Endpoint& endpoint : endpoints)
        if (!endpoint.operation.empty())
            names.push_back(endpoint.operation);
    return names;
}

std::string_view operation_name(const Endpoint& endpoint) noexcept {
    return endpoint.operation;
}

http::Response error_response(int status, std::string_view method, const http::Headers& headers,
                              http::Origins trusted_origins) {
    Response response = status == 401 ? no_session() : sign_in::status_error(status);
    http::add_cors_headers(response, method, headers, trusted_origins);
    return response;
}

http::Response handle_request(const Endpoint& endpoint, const http::Request& request,
                              const std::optional<api::Caller>& caller, const Service& service,
                              audit::Event& event) {
    if (caller) {
        event.caller = caller->id;
        event.role = caller->roles;
        event.impersonated_by = caller->impersonated_by;
    }
    Response response = dispatch(endpoint, request, caller, service, event);
    event.status = response.status;
    http::add_challenge(response);
    http::add_cors_headers(response, request.method, request.headers,
                           service.settings.trusted_origins);
    return response;
}

} // namespace useradmin::admin
