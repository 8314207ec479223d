// SetHandler useradmin-console: a page on which support staff work.
#pragma once

#include "httpd/httpd.hpp"

namespace useradmin::service {

/// Answers a GET with the console of the service that the page is for; with the query "caller", in
/// JSON, who is looking at it.
int handle_console(request_rec* request);

} // namespace useradmin::service
