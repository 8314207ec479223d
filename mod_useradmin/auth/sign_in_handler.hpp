// Stand-alone sign-in's place in httpd's way of handling a request.
#pragma once

#include "httpd/httpd.hpp"

namespace useradmin::auth {

void register_sign_in_hooks(apr_pool_t* pool) noexcept;

} // namespace useradmin::auth
