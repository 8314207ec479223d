#include "sign_in/service.hpp"

#include "sign_in/endpoints.hpp"
#include "sign_in/responses.hpp"

#include <algorithm>

namespace useradmin::sign_in {

namespace {

Response with_allow(Response response, std::string_view allow) {
    response.headers.push_back({"Allow", std::string(allow)});
    return response;
}

template <Response (*endpoint)(const Request&, const Client&, const Service&)>
Response handle_post(const Request& request, const Client& client, const Service& service) {
    constexpr std::string_view allow = "POST, OPTIONS";
    service.event.is_change = request.method == "POST";
    if (request.method == "POST")
        return endpoint(request, client, service);
    if (request.method == "OPTIONS")
        return with_allow({204}, allow);
    return with_allow(error(405, "Method not allowed", "METHOD_NOT_ALLOWED"), allow);
}

Response handle_get_session(const Request& request, const Client& client, const Service& service) {
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

/// An entry of the routing table.
struct Endpoint {
    std::string_view path;
    /// The name in metrics and in the audit log.
    std::string_view name;
    Response (*answer)(const Request& request, const Client& client, const Service& service);
    /// Whether the endpoint exists only if second factors are verified.
    bool needs_second_factor = false;
};

constexpr Endpoint endpoints[] = {
    {"/sign-in/email", "sign-in", handle_post<sign_in_with_email>},
    {"/two-factor/verify-totp", "verify-totp", handle_post<verify_totp>, true},
    {"/two-factor/verify-backup-code", "verify-backup-code", handle_post<verify_backup_code>, true},
    {"/sign-out", "sign-out", handle_post<sign_out>},
    {"/get-session", "get-session", handle_get_session},
};

const Endpoint* find_endpoint(std::string_view path) noexcept {
    const auto* const found = std::ranges::find(endpoints, path, &Endpoint::path);
    return found != std::end(endpoints) ? found : nullptr;
}

Response dispatch(const Request& request, const Client& client, const Service& service) {
    const Endpoint* const endpoint = find_endpoint(request.path);
    if (endpoint == nullptr ||
        (endpoint->needs_second_factor && service.second_factor_secrets.empty()))
        return error(404, "Not found", "NOT_FOUND");
    service.event.operation = endpoint->name;
    return endpoint->answer(request, client, service);
}

} // namespace

Response handle_request(const Request& request, const Client& client, const Service& service) {
    Response response = dispatch(request, client, service);
    service.event.status = response.status;
    http::add_challenge(response);
    http::add_cors_headers(response, request.method, request.headers, service.trusted_origins);
    return response;
}

std::vector<std::string_view> operation_names() {
    std::vector<std::string_view> names;
    for (const Endpoint& endpoint : endpoints)
        names.push_back(endpoint.name);
    return names;
}

std::string_view operation_name(std::string_view path) noexcept {
    const Endpoint* const endpoint = find_endpoint(path);
    return endpoint != nullptr ? endpoint->name : std::string_view();
}

} // namespace useradmin::sign_in
