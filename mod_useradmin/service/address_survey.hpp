// A look at the addresses of all users, once, for what an operator should know.
#pragma once

#include "httpd/backend.hpp"

namespace useradmin::service {

/// Warns where no user of the request's server has the protected address, or where two addresses
/// differ in case alone. Only the first call after a start of httpd looks.
void survey_addresses(httpd::RequestBackend& backend,
                      const store::ProtectedAddress& spared) noexcept;

} // namespace useradmin::service
