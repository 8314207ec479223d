// The health check.
#pragma once

#include "httpd/backend.hpp"
#include "httpd/httpd.hpp"

namespace useradmin::httpd {

/// Replies 200 if the database answers within the configured timeout, and takes writes if
/// UserAdminHealth demands that, otherwise 503, as while UserAdminDrainFile exists. The body is
/// one word of plain text. For a client on the same machine, the problems follow, and the states of
/// the secondary storage and the audit logs, which do not change the status. Returns the handler's
/// result.
int handle_health(request_rec* request, const module& owner, const BackendSettings& settings);

} // namespace useradmin::httpd
