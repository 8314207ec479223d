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

/// An entry of the routing table.
struct Endpoint {
    std::string_view path;
    /// The name in metrics and in the audit log.
    std::string_view operation;
    /// GET includes HEAD.
    std::string_view method;
    Response (*handler)(const Request& request, const Client& client, const Service& service);
    /// Whether the endpoint exists only if second factors are verified.
    bool needs_second_factor = false;
};

constexpr Endpoint endpoints[] = {
    {"/sign-in/email", "sign-in", "POST", sign_in_with_email},
    {"/two-factor/verify-totp", "verify-totp", "POST", verify_totp, true},
    {"/two-factor/verify-backup-code", "verify-backup-code", "POST", verify_backup_code, true},
    {"/sign-out", "sign-out", "POST", sign_out},
    {"/get-session", "get-session", "GET", get_session},
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
    service.event.operation = endpoint->operation;
    service.event.is_change = endpoint->method == "POST" && request.method == "POST";
    const bool reads = endpoint->method == "GET";
    if (request.method == endpoint->method || (reads && request.method == "HEAD"))
        return endpoint->handler(request, client, service);
    const std::string_view allow = reads ? "GET, HEAD, OPTIONS" : "POST, OPTIONS";
    if (request.method == "OPTIONS")
        return with_allow({204}, allow);
    return with_allow(
        request.method == "POST"
            ? error(405, "POST method requires deferSessionRefresh to be enabled in session config",
                    "METHOD_NOT_ALLOWED_DEFER_SESSION_REQUIRED")
            : error(405, "Method not allowed", "METHOD_NOT_ALLOWED"),
        allow);
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
        names.push_back(endpoint.operation);
    return names;
}

std::string_view operation_name(std::string_view path) noexcept {
    const Endpoint* const endpoint = find_endpoint(path);
    return endpoint != nullptr ? endpoint->operation : std::string_view();
}

} // namespace useradmin::sign_in
