#include "sign_in/service.hpp"

#include "sign_in/endpoints.hpp"
#include "sign_in/replies.hpp"

namespace useradmin::sign_in {

namespace {

Reply with_allow(Reply reply, std::string_view allow) {
    reply.headers.push_back({"Allow", std::string(allow)});
    return reply;
}

/// Answers where only that method is for.
template <class Endpoint>
Reply answer_post(const Request& request, const Client& client, const Service& service,
                  const Endpoint& endpoint) {
    constexpr std::string_view allow = "POST, OPTIONS";
    if (request.method == "POST")
        return endpoint(request, client, service);
    if (request.method == "OPTIONS")
        return with_allow({204}, allow);
    return with_allow(error(405, "Method not allowed", "METHOD_NOT_ALLOWED"), allow);
}

Reply answer_get_session(const Request& request, const Client& client, const Service& service) {
    constexpr std::string_view allow = "GET, HEAD, OPTIONS";
    if (request.method == "GET" || request.method == "HEAD")
        return get_session(request, client, service);
    if (request.method == "OPTIONS")
        return with_allow({204}, allow);
    if (request.method == "POST")
        return with_allow(
            error(405, "POST method requires deferSessionRefresh to be enabled in session config",
                  "METHOD_NOT_ALLOWED_DEFER_SESSION_REQUIRED"),
            allow);
    return with_allow(error(405, "Method not allowed", "METHOD_NOT_ALLOWED"), allow);
}

Reply answer_request(const Request& request, const Client& client, const Service& service) {
    if (request.path == "/sign-in/email")
        return answer_post(request, client, service, sign_in_with_email);
    if (request.path == "/sign-out")
        return answer_post(request, client, service, sign_out);
    if (request.path == "/get-session")
        return answer_get_session(request, client, service);
    return error(404, "Not found", "NOT_FOUND");
}

} // namespace

Reply answer(const Request& request, const Client& client, const Service& service) {
    Reply reply = answer_request(request, client, service);
    message::allow_trusted_origin(reply, request.method, request.headers, service.trusted_origins);
    return reply;
}

} // namespace useradmin::sign_in
