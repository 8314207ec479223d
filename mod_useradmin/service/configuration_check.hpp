// Warnings about configurations that httpd accepts, but that do not work as intended.
#pragma once

#include "httpd/httpd.hpp"

namespace useradmin::service {

/// Call from check_config. Logs a warning for each mistake: a Location whose callers no directive
/// authenticates, a virtual host without a database, a misspelled handler, or a Location that
/// matches no request. These are warnings, not errors, because earlier versions accepted such
/// configurations.
void warn_of_mistakes(apr_pool_t* pool, const server_rec* servers);

} // namespace useradmin::service
