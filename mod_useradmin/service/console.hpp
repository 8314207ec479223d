// SetHandler useradmin-console: a user administration page for support staff.
#pragma once

#include "httpd/httpd.hpp"

namespace useradmin::service {

/// Replies to a GET with the console of the page's service, or with the caller as JSON if the query
/// is "caller".
int handle_console(request_rec* request);

} // namespace useradmin::service
