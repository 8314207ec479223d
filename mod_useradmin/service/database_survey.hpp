#pragma once

#include "httpd/backend.hpp"

namespace useradmin::service {

/// Warns if no user has the protected address, if addresses differ only in case, if the last
/// activity cannot be read, or if httpd may open more connections than the database allows. Runs
/// once after httpd reads its configuration, even if it fails. Call after the reply has been sent,
/// so the client does not wait for the survey.
void survey(const request_rec* request, httpd::RequestBackend& backend,
            const store::ProtectedEmail& protected_email) noexcept;

} // namespace useradmin::service
