// Checks the database once after httpd starts.
#pragma once

#include "httpd/backend.hpp"

namespace useradmin::service {

/// Warns if no user has the protected address, if addresses differ only in case, or if httpd may
/// open more connections than the database allows. Only the first call after httpd starts runs the
/// checks.
void survey(httpd::RequestBackend& backend, const store::ProtectedEmail& spared) noexcept;

} // namespace useradmin::service
