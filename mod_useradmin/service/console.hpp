// SetHandler useradmin-console: a user administration page for support staff.
#pragma once

#include "httpd/httpd.hpp"

namespace useradmin::service {

/// Sends the console. If the query string is "caller", sends the caller as JSON instead.
int handle_console(request_rec* request);

} // namespace useradmin::service
