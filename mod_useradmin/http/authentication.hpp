// mod_auth_useradmin's place in httpd's way of handling a request.
#pragma once

#include "http/httpd.hpp"

namespace useradmin::http {

void register_authentication_hooks(apr_pool_t* pool) noexcept;

} // namespace useradmin::http
