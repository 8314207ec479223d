// The session token of a request.
#pragma once

#include "http/auth_configuration.hpp"
#include "password/secret.hpp"

#include <string_view>

namespace useradmin::http {

/// What the request carries as its token. A bearer token counts before a cookie, as in better-auth.
password::Secret credential_of(const request_rec* request, const AuthConfiguration& configuration);

/// The token in what a request carries: with a secret its signature must be right, without one a
/// signature is passed over. Empty where there is none.
std::string_view token_of(std::string_view credential, const AuthConfiguration& configuration);

} // namespace useradmin::http
