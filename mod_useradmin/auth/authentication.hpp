// mod_auth_useradmin's place in httpd's way of handling a request.
#pragma once

#include "httpd/httpd.hpp"

namespace useradmin::auth {

void register_authentication_hooks(apr_pool_t* pool) noexcept;

} // namespace useradmin::auth
