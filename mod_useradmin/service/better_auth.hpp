// SetHandler useradmin-better-auth: the endpoints that better-auth's admin client calls.
#pragma once

#include "httpd/httpd.hpp"

#include <string_view>

namespace useradmin::service {

/// Returns the endpoint of a request with this handler. Returns an empty string for other requests
/// and paths, which are left to the application.
std::string_view better_auth_endpoint(const request_rec* request) noexcept;

/// Replies to a request to an endpoint. Returns DECLINED if the endpoint needs signed session
/// cookies and the Location has no AuthUserAdminSecret.
int handle_better_auth(request_rec* request, std::string_view endpoint);

} // namespace useradmin::service
