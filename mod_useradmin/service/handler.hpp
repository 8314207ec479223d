#pragma once

#include "httpd/httpd.hpp"

namespace useradmin::service {

void register_service_hooks(apr_pool_t* pool) noexcept;

} // namespace useradmin::service
