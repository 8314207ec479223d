// The session token of a request.
#pragma once

#include "auth/configuration.hpp"
#include "crypto/secret.hpp"

#include <string_view>

namespace useradmin::auth {

/// What the request carries as its token. A bearer token counts before a cookie, as in better-auth.
crypto::Secret credential_of(const request_rec* request, const AuthSettings& settings);

/// The token in what a request carries.
struct Token {
    /// Empty where there is none that may be looked up. A view of what the request carries.
    std::string_view text;
    /// Why something that was carried was refused, for the log; nullptr: nothing was.
    const char* refusal = nullptr;
};

/// With a secret the signature must be right, without one a signature is passed over.
Token token_of(std::string_view credential, const AuthSettings& settings);

} // namespace useradmin::auth
