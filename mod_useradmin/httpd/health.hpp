// Whether the service can do its work.
#pragma once

#include "httpd/backend.hpp"
#include "httpd/httpd.hpp"

namespace useradmin::httpd {

/// Answers 200 where the database does, within the wait of the settings, and 503 where it does not:
/// one word of plain text and, for a caller on the same machine, what is wrong. The result is the
/// handler's.
int handle_health(request_rec* request, const module& owner, const BackendSettings& settings);

} // namespace useradmin::httpd
