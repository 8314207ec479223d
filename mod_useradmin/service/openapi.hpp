// SetHandler useradmin-openapi: serves the OpenAPI document.
#pragma once

#include "httpd/httpd.hpp"

namespace useradmin::service {

/// Sends the OpenAPI document of the service that the page belongs to.
int handle_openapi(request_rec* request);

} // namespace useradmin::service
