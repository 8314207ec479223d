// Require user-role: the roles of the sessions, for any Location.
#pragma once

#include "http/httpd.hpp"

namespace useradmin::http {

/// Registers the authorization provider `user-role`: Require user-role superAdmin admin.
void register_role_provider(apr_pool_t* pool) noexcept;

} // namespace useradmin::http
