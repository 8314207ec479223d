// The session token or API key of a request.
#pragma once

#include "auth/configuration.hpp"
#include "crypto/secret.hpp"

#include <string_view>

namespace useradmin::auth {

/// Returns the session token, percent-decoded and with its signature, or an empty string. As in
/// better-auth, a bearer token takes precedence over a cookie.
crypto::Secret credential_of(const request_rec* request, const AuthSettings& settings);

/// Returns the API key, or an empty string. The key may be in x-api-key. If tokens are signed and
/// AuthUserAdminBearer is on, it may also be a bearer token without a signature.
crypto::Secret api_key_of(const request_rec* request, const AuthSettings& settings);

enum class Signature {
    valid, ///< valid, not required, or no token
    missing,
    wrong,
};

struct Token {
    /// Empty if there is no valid token. Refers to the credential.
    std::string_view text;
    Signature signature = Signature::valid;
};

/// Extracts the token and verifies its signature. If no secret is configured, ignores the
/// signature.
Token token_of(std::string_view credential, const AuthSettings& settings);

/// Returns the value of one of better-auth's cookies without the signature. Returns an empty string
/// if the cookie is absent or token_of() rejects its signature.
crypto::Secret signed_cookie(const request_rec* request, const AuthSettings& settings,
                             const std::string& name);

} // namespace useradmin::auth
