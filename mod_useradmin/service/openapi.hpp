// SetHandler useradmin-openapi: what the service is, for programs that read OpenAPI.
#pragma once

#include "httpd/httpd.hpp"

namespace useradmin::service {

/// Answers a GET with the OpenAPI document of the service that the page is for.
int handle_openapi(request_rec* request);

} // namespace useradmin::service
