// SetHandler useradmin-openapi: the OpenAPI document.
#pragma once

#include "httpd/httpd.hpp"

namespace useradmin::service {

/// Replies to a GET with the OpenAPI document of the page's service.
int handle_openapi(request_rec* request);

} // namespace useradmin::service
