#pragma once

#include "crypto/secret.hpp"
#include "sign_in/service.hpp"

namespace useradmin::sign_in {

/// Creates a session for a verified user and returns its token. Fails with version_mismatch if the
/// account has changed since it was verified.
store::Result<crypto::Secret> open_session(const Verification& verification, bool is_remembered,
                                           const http::Request& request, const Client& client,
                                           const Service& service);

} // namespace useradmin::sign_in
