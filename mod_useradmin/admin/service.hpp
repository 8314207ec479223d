// The endpoints of better-auth's admin plugin (release 1.7.25). Independent of httpd and SQL.
#pragma once

#include "admin/permissions.hpp"
#include "api/access.hpp"
#include "api/service.hpp"
#include "audit/event.hpp"
#include "http/message.hpp"
#include "http/origin.hpp"
#include "sign_in/cookies.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace useradmin::admin {

/// The caller's session and the cookies that the impersonation endpoints set.
struct SessionCookies {
    sign_in::Cookies cookies;
    /// The token of the caller's session, or empty. Its signature has been verified.
    std::string_view token;
    /// The value of the admin_session cookie, or empty. Its signature has been verified.
    std::string_view admin_session;
    /// Whether the caller's session ends when the browser closes.
    bool has_dont_remember = false;
    std::string_view client_address = {};
};

struct Service {
    store::Store& store;
    password::Hasher& hasher;
    const api::OperationSettings& settings;
    /// The first node of the list of roles.
    const RoleActions& roles;
    /// Whether to show session tokens instead of session ids (UserAdminBetterAuthTokens).
    bool shows_tokens = false;
    /// The caller's cookies, for endpoints with needs_cookies(). std::nullopt if the application
    /// handles these endpoints.
    std::optional<SessionCookies> session_cookies = {};
};

struct Endpoint;

/// Returns the endpoint for a path such as "…/admin/ban-user", or nullptr if the application
/// handles the path. The caller must check the part before "/admin".
const Endpoint* find_endpoint(std::string_view path) noexcept;

/// Returns whether an endpoint needs SessionCookies.
bool needs_cookies(const Endpoint& endpoint) noexcept;

/// Returns the names of the endpoints' operations, as used in metrics and in the audit log. Most
/// are also operations of the service.
std::vector<std::string_view> operation_names();

/// Returns the name of the endpoint's operation, or an empty string if there is none.
std::string_view operation_name(const Endpoint& endpoint) noexcept;

/// Handles a request to an endpoint. caller is std::nullopt if there is no session. Fills in the
/// event before any change and sets its status at the end.
http::Response handle_request(const Endpoint& endpoint, const http::Request& request,
                              const std::optional<api::Caller>& caller, const Service& service,
                              audit::Event& event);

/// Returns the response to an error raised by httpd or another module.
http::Response error_response(int status, std::string_view method, const http::Headers& headers,
                              http::Origins trusted_origins);

} // namespace useradmin::admin
