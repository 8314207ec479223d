#include "api/service.hpp"

#include "api/operations.hpp"
#include "text/split.hpp"
#include "text/timestamp.hpp"
#include "text/unicode.hpp"
#include "text/url.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace useradmin::api {

namespace {

constexpr Operation table[] = {
    {"GET", "list", Resource::users, list_users, texts.list_failed, texts.list_forbidden,
     Audience::administrators},
    {"POST", "create", Resource::users, create_user, texts.create_failed, texts.create_forbidden,
     Audience::administrators},
    {"GET", "get", Resource::user, get_user, texts.get_failed, texts.get_forbidden,
     Audience::administrators_and_self},
    {"PUT", "update", Resource::user, update_user, texts.update_failed, texts.update_forbidden,
     Audience::administrators},
    {"DELETE", "delete", Resource::user, delete_user, texts.delete_failed, texts.delete_forbidden},
    {"GET", "list-sessions", Resource::sessions, list_sessions, texts.sessions_failed,
     texts.sessions_forbidden},
    {"DELETE", "end-sessions", Resource::sessions, end_sessions, texts.end_sessions_failed,
     texts.sessions_forbidden},
    {"DELETE", "end-session", Resource::session, end_session, texts.end_sessions_failed,
     texts.sessions_forbidden},
    {"POST", "bulk", Resource::bulk, change_several, texts.bulk_failed, texts.get_forbidden},
    {"PUT", "set-password", Resource::password, set_password, texts.password_failed,
     texts.password_forbidden},
    {"PUT", "ban", Resource::ban, ban_user, texts.ban_failed, texts.ban_forbidden},
    {"DELETE", "unban", Resource::ban, unban_user, texts.unban_failed, texts.ban_forbidden},
    {"DELETE", "reset-second-factor", Resource::second_factor, reset_second_factor,
     texts.second_factor_failed, texts.second_factor_forbidden},
    {"GET", "list-events", Resource::events, list_events, texts.events_failed,
     texts.events_forbidden},
    {"GET", "list-sign-in-methods", Resource::sign_in_methods, list_sign_in_methods,
     texts.sign_in_methods_failed, texts.sign_in_methods_forbidden},
    {"DELETE", "remove-sign-in-method", Resource::sign_in_method, remove_sign_in_method,
     texts.remove_sign_in_method_failed, texts.sign_in_methods_forbidden},
    {"POST", "send-password-link", Resource::password_link, send_password_link, texts.link_failed},
    {"POST", "send-verification-link", Resource::verification_link, send_verification_link,
     texts.link_failed},
};

constexpr std::string_view bulk_path = "bulk";

/// The resource and ids in a path, still percent-encoded.
struct Target {
    Resource resource;
    std::string_view id = {};
    std::string_view item_id = {};
    model::MethodKind kind = {};
};

/// Parses a path below the base address. If it names no resource, the result's id is the whole
/// path.
Target target_of(std::string_view method, std::string_view path, bool has_extras) {
    if (path.starts_with('/'))
        path.remove_prefix(1);
    // With any other method, "bulk" is a user's id.
    if (has_extras && path == bulk_path && method == "POST")
        return {Resource::bulk};
    const Target none = {Resource::none, path};
    if (path.find('/') == path.npos)
        return {path.empty() ? Resource::users : Resource::user, path};
    const std::string_view id = text::take_until(path, '/');
    if (!has_extras || id.empty())
        return none;
    for (const auto& [name, resource] : {std::pair("sessions", Resource::sessions),
                                         {"password", Resource::password},
                                         {"ban", Resource::ban},
                                         {"second-factor", Resource::second_factor},
                                         {"sign-in-methods", Resource::sign_in_methods},
                                         {"events", Resource::events},
                                         {"password-link", Resource::password_link},
                                         {"verification-link", Resource::verification_link}})
        if (path == name)
            return {resource, id};
    const std::string_view collection = text::take_until(path, '/');
    const std::string_view kind =
        collection == "sign-in-methods" ? text::take_until(path, '/') : "";
    if (path.empty() || path.find('/') != path.npos)
        return none;
    if (collection == "sessions")
        return {Resource::session, id, path};
    for (const model::MethodKind each : model::method_kinds)
        // Second factors have their own resource.
        if (kind == text_of(each) && each != model::MethodKind::second_factor)
            return {Resource::sign_in_method, id, path, each};
    return none;
}

/// HEAD is handled as GET. Returns nullptr if the resource does not support the method.
const Operation* find_operation(Resource resource, std::string_view method) {
    const std::string_view wanted = method == "HEAD" ? "GET" : method;
    const auto* const found = std::ranges::find_if(table, [&](const Operation& operation) {
        return operation.resource == resource && operation.method == wanted;
    });
    return found != std::end(table) ? found : nullptr;
}

constexpr auto names = [] {
    std::array<std::string_view, std::size(table)> all;
    std::ranges::transform(table, all.begin(), &Operation::name);
    return all;
}();

/// Returns the value of the Allow header.
std::string methods_of(const Target& target, bool has_extras) {
    const bool is_bulk = has_extras && target.resource == Resource::user && target.id == bulk_path;
    std::string methods = is_bulk ? "POST, " : "";
    for (const Operation& operation : table)
        if (operation.resource == target.resource)
            methods +=
                operation.method == "GET" ? "GET, HEAD, " : std::string(operation.method) + ", ";
    return methods + "OPTIONS";
}

Reply dispatch(const http::Request& request, const std::optional<Caller>& caller,
               const Service& service, audit::Event& event) {
    const Target target = target_of(request.method, request.path, service.settings.has_extras);
    const std::string id = text::decode_path_segment(target.id);
    event.target = id;
    const bool is_change =
        request.method != "GET" && request.method != "HEAD" && request.method != "OPTIONS";
    const Operation* operation = nullptr;
    if (target.resource != Resource::none) {
        operation = find_operation(target.resource, request.method);
        if (operation == nullptr) {
            Reply reply =
                request.method == "OPTIONS" ? Reply{{204}} : error(405, texts.method_not_allowed);
            reply.headers.push_back({"Allow", methods_of(target, service.settings.has_extras)});
            return reply;
        }
        event.operation = operation->name;
        event.is_change = is_change;
    }
    if (is_change && http::is_of_another_site(request.headers, service.settings.trusted_origins))
        return error(403, texts.origin_not_allowed);
    // An unknown path gets 404 only if the caller has a session.
    if (operation == nullptr)
        return caller ? error(404, texts.not_found) : error(401, texts.no_session);
    const std::string item_id = text::decode_path_segment(target.item_id);
    const Call call = {request, caller, id, event, *operation, item_id, target.kind};
    if (operation->forbidden_text) {
        if (auto refused = refuse(call, operation->audience, *operation->forbidden_text))
            return *std::move(refused);
        // An id with invalid UTF-8 or U+0000 matches no user.
        if (!text::is_clean_utf8(id))
            return error(404, texts.not_found);
    }
    return operation->handler(call, service);
}

/// Returns the message for an error raised by httpd or another module.
const Text& error_text(int status, std::string_view method, std::string_view path,
                       bool has_extras) {
    constexpr std::pair<int, const Text&> messages[] = {
        {401, texts.no_session},        {403, texts.get_forbidden},
        {404, texts.not_found},         {405, texts.method_not_allowed},
        {408, texts.request_timed_out}, {413, texts.body_too_large},
        {429, texts.too_many_requests}, {503, texts.unavailable},
    };
    for (const auto& [known, text] : messages)
        if (known == status)
            return text;
    if (status < 500)
        return texts.bad_request;
    Resource resource = target_of(method, path, has_extras).resource;
    if (resource == Resource::none)
        resource = Resource::user;
    if (const Operation* const operation = find_operation(resource, method))
        return operation->failure_text;
    return resource == Resource::users ? texts.list_failed : texts.get_failed;
}

} // namespace

http::Reply handle_request(const http::Request& request, const std::optional<Caller>& caller,
                           const Service& service, audit::Event& event) {
    if (caller) {
        event.caller = caller->id;
        event.role = text_of(caller->role());
        event.impersonated_by = caller->impersonated_by;
    }
    Reply reply = dispatch(request, caller, service, event);
    event.status = reply.status;
    // RFC 9110, section 15.5.2, requires this header.
    if (reply.status == 401)
        reply.headers.push_back({"WWW-Authenticate", "Bearer"});
    if (reply.status == 200 && !event.is_change)
        if (const model::NullableTime time = service.store.standby_time()) {
            // RFC 7234, section 5.5.1: 110 means that the response is stale.
            std::string warning =
                "110 - \"Read from a standby; the last change that it has received dates from ";
            text::append_iso8601(warning, *time);
            reply.headers.push_back({"Warning", warning + '"'});
        }
    return finish(std::move(reply), request.method, request.headers, service.settings);
}

std::optional<Reply> refuse(const Call& call, Audience audience, const Text& forbidden_text) {
    if (!call.caller)
        return error(401, texts.no_session);
    if (!is_in(audience, *call.caller, call.id))
        return error(403, forbidden_text);
    return std::nullopt;
}

std::span<const Operation> operations() noexcept {
    return table;
}

std::span<const std::string_view> operation_names() noexcept {
    return names;
}

std::string_view operation_name(std::string_view method, std::string_view path,
                                bool has_extras) noexcept {
    const Operation* const operation =
        find_operation(target_of(method, path, has_extras).resource, method);
    return operation != nullptr ? operation->name : std::string_view();
}

bool uses_plugin_tables(std::string_view method, std::string_view path, bool has_extras) noexcept {
    const Resource resource = target_of(method, path, has_extras).resource;
    return resource == Resource::second_factor || resource == Resource::sign_in_methods ||
           resource == Resource::sign_in_method;
}

http::Reply error_reply(int status, std::string_view method, std::string_view path,
                        const http::Headers& headers, const OperationSettings& settings) {
    return finish(error(status, error_text(status, method, path, settings.has_extras)), method,
                  headers, settings);
}

} // namespace useradmin::api
