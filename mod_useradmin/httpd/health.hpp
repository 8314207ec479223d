#pragma once

#include "httpd/backend.hpp"
#include "httpd/httpd.hpp"

namespace useradmin::httpd {

/// Sends 200 if the database responds within the timeout and, with `UserAdminHealth writable`,
/// accepts writes. Otherwise, or while UserAdminDrainFile exists, sends 503. The first line of the
/// body is one word. For clients on the same host, further lines list the problems and the states
/// of the secondary storage and the audit logs. These states do not affect the status. Returns the
/// handler's result.
int handle_health(request_rec* request, const module& owner, const BackendSettings& settings);

} // namespace useradmin::httpd
