// A look at the database, once, for what an operator should know.
#pragma once

#include "httpd/backend.hpp"

namespace useradmin::service {

/// Warns where no user of the request's server has the protected address, where two addresses
/// differ in case alone, and where httpd may want more connections than the database lets it have.
/// Only the first call after a start of httpd looks.
void survey(httpd::RequestBackend& backend, const store::ProtectedEmail& spared) noexcept;

} // namespace useradmin::service
