// SetHandler useradmin-better-auth: the endpoints that better-auth's admin client calls.
#pragma once

#include "httpd/httpd.hpp"

#include <string_view>

namespace useradmin::service {

/// Returns the endpoint that a request with this handler names, or an empty text. Other requests
/// and paths are for the application.
std::string_view better_auth_endpoint(const request_rec* request) noexcept;

/// Replies to such a request.
int handle_better_auth(request_rec* request, std::string_view endpoint);

} // namespace useradmin::service
