// The session token of a request.
#pragma once

#include "auth/configuration.hpp"
#include "secret/secret.hpp"

#include <string_view>

namespace useradmin::auth {

/// What the request carries as its token. A bearer token counts before a cookie, as in better-auth.
secret::Secret credential_of(const request_rec* request, const Settings& settings);

/// The token in what a request carries: with a secret its signature must be right, without one a
/// signature is passed over. Empty where there is none.
std::string_view token_of(std::string_view credential, const Settings& settings);

} // namespace useradmin::auth
