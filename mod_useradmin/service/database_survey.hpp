#pragma once

#include "httpd/backend.hpp"

namespace useradmin::service {

/// Warns if no user has the protected address, if addresses differ only in case, if the last
/// activity cannot be read, or if httpd may open more connections than the database allows. Runs
/// once after httpd reads its configuration, even if it fails.
void survey(httpd::RequestBackend& backend, const store::ProtectedEmail& spared) noexcept;

} // namespace useradmin::service
