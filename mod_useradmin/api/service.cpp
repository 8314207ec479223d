#include "api/service.hpp"

#include "api/operations.hpp"
#include "api/precondition.hpp"
#include "text/split.hpp"
#include "text/timestamp.hpp"
#include "text/unicode.hpp"
#include "text/url.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace useradmin::api {

namespace {

// The specification's operations come first: without UserAdminExtras, only they are available.
constexpr Operation table[] = {
    {"GET", "", "list", list_users, texts.list_failed, texts.list_forbidden,
     Audience::administrators},
    {"POST", "", "create", create_user, texts.create_failed, texts.create_forbidden,
     Audience::administrators, BodyUse::required},
    {"GET", "{id}", "get", get_user, texts.get_failed, texts.forbidden,
     Audience::administrators_and_self},
    {"PUT", "{id}", "update", update_user, texts.update_failed, texts.update_forbidden,
     Audience::administrators, BodyUse::required},
    {"DELETE", "{id}", "delete", delete_user, texts.delete_failed, texts.delete_forbidden},
    {"GET", "{id}/sessions", "list-sessions", list_sessions, texts.sessions_failed,
     texts.sessions_forbidden},
    {"DELETE", "{id}/sessions", "end-sessions", end_sessions, texts.end_sessions_failed,
     texts.sessions_forbidden},
    {"DELETE", "{id}/sessions/{sessionId}", "end-session", end_session, texts.end_sessions_failed,
     texts.sessions_forbidden},
    {"POST", "bulk", "bulk", change_in_bulk, texts.bulk_failed, texts.forbidden,
     Audience::super_administrators, BodyUse::required},
    {"PUT", "{id}/password", "set-password", set_password, texts.password_failed,
     texts.password_forbidden, Audience::super_administrators, BodyUse::required},
    {"PUT", "{id}/ban", "ban", ban_user, texts.ban_failed, texts.ban_forbidden,
     Audience::super_administrators, BodyUse::optional},
    {"DELETE", "{id}/ban", "unban", unban_user, texts.unban_failed, texts.ban_forbidden},
    {"DELETE", "{id}/second-factor", "reset-second-factor", reset_second_factor,
     texts.second_factor_failed, texts.second_factor_forbidden},
    {"GET", "{id}/events", "list-events", list_events, texts.events_failed, texts.events_forbidden},
    {"GET", "{id}/sign-in-methods", "list-sign-in-methods", list_sign_in_methods,
     texts.sign_in_methods_failed, texts.sign_in_methods_forbidden},
    {"DELETE", "{id}/sign-in-methods/{kind}/{methodId}", "remove-sign-in-method",
     remove_sign_in_method, texts.remove_sign_in_method_failed, texts.sign_in_methods_forbidden},
    {"POST", "{id}/password-link", "send-password-link", send_user_link, texts.link_failed,
     texts.link_forbidden, Audience::super_administrators, BodyUse::none, mail::Kind::set_password},
    {"POST", "{id}/verification-link", "send-verification-link", send_user_link, texts.link_failed,
     texts.link_forbidden, Audience::super_administrators, BodyUse::none, mail::Kind::verify_email},
};

std::span<const Operation> available_operations(bool has_extras) noexcept {
    constexpr std::size_t of_specification = 5;
    static_assert(table[of_specification - 1].name == "delete");
    return std::span(table).first(has_extras ? std::size(table) : of_specification);
}

/// The decoded parameters of a path.
struct PathParameters {
    std::string id = {};
    std::string item_id = {};
    model::MethodKind kind = {};
};

/// A path below the base address begins with "/" unless the base address ends with one.
std::string_view without_slash(std::string_view path) noexcept {
    return path.substr(path.starts_with('/') ? 1 : 0);
}

bool parse_kind(std::string_view text, model::MethodKind& kind) noexcept {
    for (const model::MethodKind each : model::method_kinds)
        // Second factors have their own resource.
        if (text == model::text_of(each) && each != model::MethodKind::second_factor) {
            kind = each;
            return true;
        }
    return false;
}

/// Returns the decoded segments of a path below the base address.
std::vector<std::string> segments_of(std::string_view path) {
    path = without_slash(path);
    std::vector<std::string> segments(static_cast<std::size_t>(std::ranges::count(path, '/')) + 1);
    for (std::string& segment : segments)
        segment = text::decode_path_segment(text::take_until(path, '/'));
    return segments;
}

/// Returns std::nullopt if the path does not match the operation's path.
std::optional<PathParameters> match(std::string_view pattern,
                                    std::span<const std::string> segments) {
    if (std::ranges::count(pattern, '/') + 1 != std::ssize(segments))
        return std::nullopt;
    PathParameters parameters;
    for (const std::string& segment : segments) {
        const std::string_view wanted = text::take_until(pattern, '/');
        const bool is_parameter = wanted.starts_with('{');
        if (is_parameter ? segment.empty() : segment != wanted)
            return std::nullopt;
        if (wanted == "{id}") {
            parameters.id = segment;
        } else if (wanted == "{kind}") {
            if (!parse_kind(segment, parameters.kind))
                return std::nullopt;
        } else if (is_parameter) {
            parameters.item_id = segment;
        }
    }
    return parameters;
}

struct Route {
    /// nullptr if no operation has this method and path.
    const Operation* operation = nullptr;
    /// std::nullopt if the path names no resource.
    std::optional<PathParameters> parameters = {};
};

bool is_offered(const Operation& operation, const OperationSettings& settings) noexcept {
    return !operation.link || offers_link(*operation.link, settings);
}

/// HEAD is handled as GET. If settings are given, skips operations that send links of a kind that
/// is not configured.
Route find_route(std::string_view method, std::string_view path, bool has_extras,
                 const OperationSettings* settings = nullptr) {
    Route route;
    const std::vector<std::string> segments = segments_of(path);
    for (const Operation& operation : available_operations(has_extras)) {
        auto parameters = match(operation.path, segments);
        if (parameters && (settings == nullptr || is_offered(operation, *settings))) {
            if (operation.method == (method == "HEAD" ? "GET" : method))
                return {&operation, std::move(parameters)};
            if (!route.parameters)
                route.parameters = std::move(parameters);
        }
    }
    return route;
}

bool is_change(std::string_view method) {
    return method != "GET" && method != "HEAD" && method != "OPTIONS";
}

Response dispatch(const http::Request& request, const std::optional<Caller>& caller,
                  const Service& service, audit::Event& event) {
    const bool has_extras = service.settings.has_extras;
    const auto [operation, parameters] =
        find_route(request.method, request.path, has_extras, &service.settings);
    const std::string id =
        parameters ? parameters->id : text::decode_path_segment(without_slash(request.path));
    event.target = id;
    if (operation != nullptr) {
        event.operation = operation->name;
        event.is_change = is_change(request.method);
    } else if (parameters) {
        Response response =
            request.method == "OPTIONS" ? Response{{204}} : error(405, texts.method_not_allowed);
        response.headers.push_back({"Allow", allowed_methods(request.path, has_extras)});
        return response;
    }
    if (is_change(request.method) &&
        http::is_cross_site(request.headers, service.settings.trusted_origins))
        return error(403, texts.origin_not_allowed);
    // An unknown path gets 404 only if the caller has a session.
    if (operation == nullptr)
        return caller ? error(404, texts.not_found) : error(401, texts.no_session);
    if (!caller)
        return error(401, texts.no_session);
    if (!is_in(operation->audience, *caller, id))
        return error(403, operation->forbidden_text);
    // An id with invalid UTF-8 or U+0000 matches no user.
    if (!text::is_clean_utf8(id))
        return error(404, texts.not_found);
    const store::Versions versions =
        event.is_change ? if_match_versions(request.headers) : std::nullopt;
    // A path without an id has no ETag.
    if (id.empty() && versions)
        return error(412, texts.user_changed);
    std::optional<json::Object> body;
    if (operation->body != BodyUse::none) {
        const http::Body read = request.body.read();
        if (read.error_status != 0)
            return error(read.error_status, text_of_status(read.error_status));
        const bool is_absent = operation->body == BodyUse::optional && read.text.empty();
        body = json::Object::parse(is_absent ? "{}" : text::without_byte_order_mark(read.text));
    }
    return operation->handler({request, caller, id, event, *operation, body, versions,
                               parameters->item_id, parameters->kind},
                              service);
}

/// Returns the message for an error raised by httpd or another module.
const Text& error_text(int status, std::string_view method, std::string_view path,
                       const OperationSettings& settings) {
    if (status < 500 || status == 503)
        return text_of_status(status);
    Route route = find_route(method, path, settings.has_extras, &settings);
    // For an unknown path, use the failure text of the operation with the same method on {id}.
    if (!route.parameters)
        route = find_route(method, "id", settings.has_extras);
    if (route.operation != nullptr)
        return route.operation->failure_text;
    return route.parameters && route.parameters->id.empty() ? texts.list_failed : texts.get_failed;
}

} // namespace

http::Response handle_request(const http::Request& request, const std::optional<Caller>& caller,
                              const Service& service, audit::Event& event) {
    if (caller) {
        event.caller = caller->id;
        event.role = text_of(caller->role());
        event.impersonated_by = caller->impersonated_by;
    }
    Response response = dispatch(request, caller, service, event);
    event.status = response.status;
    http::add_challenge(response);
    // event.is_change is not reliable here, because a bulk request has no event of its own.
    if (response.status == 200 && !is_change(request.method))
        if (const model::NullableTime time = service.store.last_replay_time()) {
            // RFC 7234, section 5.5.1: 110 means that the response is stale.
            std::string warning =
                "110 - \"Read from a standby; the last change that it has received dates from ";
            text::append_iso8601(warning, *time);
            response.headers.push_back({"Warning", warning + '"'});
        }
    return finish(std::move(response), request.method, request.headers, service.settings);
}

std::span<const Operation> operations() noexcept {
    return table;
}

std::string allowed_methods(std::string_view path, bool has_extras) {
    const std::vector<std::string> segments = segments_of(path);
    std::string methods;
    for (const Operation& operation : available_operations(has_extras))
        if (operation.path == without_slash(path) || match(operation.path, segments))
            methods +=
                operation.method == "GET" ? "GET, HEAD, " : std::string(operation.method) + ", ";
    return methods + "OPTIONS";
}

std::vector<std::string_view> operation_names() {
    std::vector<std::string_view> names;
    for (const Operation& operation : table)
        names.push_back(operation.name);
    return names;
}

std::string_view operation_name(std::string_view method, std::string_view path, bool has_extras) {
    const Operation* const operation = find_route(method, path, has_extras).operation;
    return operation != nullptr ? operation->name : std::string_view();
}

http::Response error_response(int status, std::string_view method, std::string_view path,
                              const http::Headers& headers, const OperationSettings& settings) {
    return finish(error(status, error_text(status, method, path, settings)), method, headers,
                  settings);
}

} // namespace useradmin::api
