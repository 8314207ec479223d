#pragma once

#include "httpd/httpd.hpp"

namespace useradmin::auth {

void register_sign_in_hooks(apr_pool_t* pool) noexcept;

} // namespace useradmin::auth
