#pragma once

#include "httpd/httpd.hpp"

namespace useradmin::auth {

/// Registers the authorization provider `user-role`, as in `Require user-role superAdmin admin`.
void register_role_provider(apr_pool_t* pool) noexcept;

} // namespace useradmin::auth
