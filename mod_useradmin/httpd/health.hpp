// The health check.
#pragma once

#include "httpd/backend.hpp"
#include "httpd/httpd.hpp"

namespace useradmin::httpd {

/// Replies 200 if the database answers within the configured timeout and, with UserAdminHealth
/// writable, accepts writes. Otherwise, and while UserAdminDrainFile exists, replies 503. The body
/// is one word of plain text. For a client on the same machine, the problems follow, then the
/// states of the secondary storage and the audit logs. These states do not affect the status.
/// Returns the handler's result.
int handle_health(request_rec* request, const module& owner, const BackendSettings& settings);

} // namespace useradmin::httpd
