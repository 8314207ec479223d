// SetHandler useradmin-better-auth: the endpoints for better-auth's admin client.
#pragma once

#include "httpd/httpd.hpp"

#include <string_view>

namespace useradmin::service {

/// Returns the name of the endpoint, or an empty string if the request is for another handler or
/// the application handles its path.
std::string_view better_auth_endpoint(const request_rec* request) noexcept;

/// Handles a request to an endpoint. Returns DECLINED if the endpoint needs signed session cookies
/// and the Location has no AuthUserAdminSecret.
int handle_better_auth(request_rec* request, std::string_view endpoint);

} // namespace useradmin::service
