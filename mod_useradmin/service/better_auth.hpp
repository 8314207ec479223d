// SetHandler useradmin-better-auth: the endpoints for better-auth's admin client.
#pragma once

#include "admin/service.hpp"
#include "httpd/httpd.hpp"

#include <string_view>

namespace useradmin::service {

/// The argument of SetHandler.
inline constexpr std::string_view better_auth_handler = "useradmin-better-auth";

/// Returns whether SetHandler enables the endpoints anywhere. Call it while the configuration is
/// read or checked.
bool has_better_auth_endpoints(apr_pool_t* pool);

/// Returns the endpoint, or nullptr if the request is for another handler or the application
/// handles its path. Also works for a request that was rejected before httpd set its handler.
const admin::Endpoint* better_auth_endpoint(request_rec* request) noexcept;

/// Returns whether the module handles the endpoint at the request's Location. Endpoints that need
/// signed session cookies require AuthUserAdmin On and AuthUserAdminSecret. Otherwise, the
/// application handles them.
bool is_handled(const request_rec* request, const admin::Endpoint& endpoint);

/// Handles a request to an endpoint. Returns DECLINED if the application handles it.
int handle_better_auth(request_rec* request, const admin::Endpoint& endpoint);

} // namespace useradmin::service
