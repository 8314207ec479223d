// The session token of a request.
#pragma once

#include "auth/configuration.hpp"
#include "crypto/secret.hpp"

#include <string_view>

namespace useradmin::auth {

/// Returns the request's token as sent. As in better-auth, a bearer token takes precedence over a
/// cookie.
crypto::Secret credential_of(const request_rec* request, const AuthSettings& settings);

/// Returns the request's API key: that of x-api-key, or a bearer token that cannot be a session's.
/// Empty if there is none.
crypto::Secret api_key_of(const request_rec* request, const AuthSettings& settings);

/// A verified token.
struct Token {
    /// Empty if there is no acceptable token. A view of the credential.
    std::string_view text;
    /// Why the credential was rejected, for the log, or nullptr.
    const char* refusal = nullptr;
};

/// Extracts the token. With a secret, the signature must be valid; without one, it is ignored.
Token token_of(std::string_view credential, const AuthSettings& settings);

} // namespace useradmin::auth
