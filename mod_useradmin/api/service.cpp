#include "api/service.hpp"

#include "api/envelope.hpp"
#include "api/operations.hpp"
#include "api/texts.hpp"
#include "text/unicode.hpp"
#include "text/url.hpp"

namespace useradmin::api {

namespace {

Reply method_not_allowed(std::string_view allow) {
    Reply reply = error(405, texts::method_not_allowed);
    reply.allow = allow;
    return reply;
}

Reply options(std::string_view allow) {
    Reply reply;
    reply.status = 204;
    reply.allow = allow;
    return reply;
}

bool is_get(std::string_view method) {
    return method == "GET" || method == "HEAD";
}

Reply answer_collection(const Request& request, const Service& service) {
    constexpr std::string_view allow = "GET, HEAD, POST, OPTIONS";
    if (request.method == "OPTIONS")
        return options(allow);
    if (is_get(request.method))
        return list_users(request, service);
    if (request.method == "POST")
        return create_user(request, service);
    return method_not_allowed(allow);
}

Reply answer_user(const Request& request, std::string_view id, const Service& service) {
    constexpr std::string_view allow = "GET, HEAD, PUT, DELETE, OPTIONS";
    if (request.method == "OPTIONS")
        return options(allow);
    if (is_get(request.method))
        return get_user(request, id, service);
    if (request.method == "PUT")
        return update_user(request, id, service);
    if (request.method == "DELETE")
        return delete_user(request, id, service);
    return method_not_allowed(allow);
}

/// The text of an unexpected failure of the operation (section 7).
std::string_view failure_text(std::string_view method, std::string_view path) {
    if (method == "POST")
        return texts::create_failed;
    if (method == "PUT")
        return texts::update_failed;
    if (method == "DELETE")
        return texts::delete_failed;
    return path.empty() || path == "/" ? texts::list_failed : texts::get_failed;
}

} // namespace

std::string stored_email(std::string_view email, const Settings& settings) {
    return settings.lowers_email ? text::lower(email) : std::string(email);
}

Reply answer(const Request& request, const Service& service) {
    std::string_view segment = request.path;
    if (segment.starts_with('/'))
        segment.remove_prefix(1);
    if (segment.empty())
        return answer_collection(request, service);
    if (segment.find('/') == segment.npos)
        return answer_user(request, text::decode_path_segment(segment), service);
    // No such path: it says so to callers with a session alone.
    return request.caller ? error(404, texts::not_found) : error(401, texts::no_session);
}

Reply error_reply(int status, std::string_view method, std::string_view path) {
    switch (status) {
    case 400:
        return error(status, texts::bad_request);
    case 401:
        return error(status, texts::no_session);
    case 403:
        return error(status, texts::get_forbidden);
    case 404:
        return error(status, texts::not_found);
    case 405:
        return error(status, texts::method_not_allowed);
    case 408:
        return error(status, texts::request_timed_out);
    case 413:
        return error(status, texts::body_too_large);
    case 503:
        return error(status, texts::unavailable);
    default:
        return error(status, status < 500 ? texts::bad_request : failure_text(method, path));
    }
}

} // namespace useradmin::api
