// The endpoints of better-auth's admin plugin (release 1.7.25), as its client calls them.
// Independent of httpd and SQL.
#pragma once

#include "admin/rights.hpp"
#include "api/service.hpp"
#include "audit/event.hpp"
#include "http/message.hpp"
#include "sign_in/cookies.hpp"

#include <optional>
#include <string_view>

namespace useradmin::admin {

/// The owner of the request's session.
struct Caller {
    std::string_view id;
    /// The roles, joined by commas.
    std::string_view roles;
    /// Whether id and roles are from the service's user table. If so, each change checks them
    /// again.
    bool is_stored = false;
    /// The id of the administrator who impersonates the caller; empty if there is none.
    std::string_view impersonated_by = {};
};

/// The cookies that impersonation replaces.
struct SessionCookies {
    const sign_in::Cookies& cookies;
    /// The token of the caller's session, with a verified signature.
    std::string_view token;
    /// The value of the cookie admin_session, also verified; empty if there is none.
    std::string_view admin_session;
    /// Whether the caller's session ends with the browser.
    bool is_not_remembered = false;
    std::string_view client_address = {};
};

/// The dependencies of the endpoints.
struct Service {
    store::Store& store;
    password::Hasher& hasher;
    const api::OperationSettings& settings;
    /// The roles and their actions: the first node of a list.
    const RoleActions& roles;
    /// Whether a session's token is shown, instead of its id (UserAdminBetterAuthTokens).
    bool shows_tokens = false;
    /// For the endpoints that need cookies; nullptr: they are left to the application.
    const SessionCookies* session_cookies = nullptr;
};

/// Returns whether an endpoint needs SessionCookies.
bool needs_cookies(std::string_view endpoint) noexcept;

/// Returns the name of the endpoint for a path that ends with "/admin/ban-user", for example, or an
/// empty string if the path belongs to the application.
std::string_view find_endpoint(std::string_view path) noexcept;

/// Returns the operation's name in metrics and the audit log (api::operation_names) for an
/// endpoint; empty if there is none.
std::string_view operation_name(std::string_view endpoint) noexcept;

/// Handles a request to an endpoint. caller is empty if there is no session. Fills in the event
/// before any change, and sets its status at the end.
http::Reply handle_request(std::string_view endpoint, const http::Request& request,
                           const std::optional<Caller>& caller, const Service& service,
                           audit::Event& event);

} // namespace useradmin::admin
