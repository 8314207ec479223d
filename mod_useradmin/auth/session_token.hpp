// The session token of a request.
#pragma once

#include "auth/configuration.hpp"
#include "crypto/secret.hpp"

#include <string_view>

namespace useradmin::auth {

/// Returns the request's token as sent. As in better-auth, a bearer token takes precedence over a
/// cookie.
crypto::Secret credential_of(const request_rec* request, const AuthSettings& settings);

/// Returns the request's API key: the header x-api-key, or a bearer token without a signature
/// if tokens are signed and AuthUserAdminBearer is on. Empty if there is none.
crypto::Secret api_key_of(const request_rec* request, const AuthSettings& settings);

/// The result of verifying a token's signature.
enum class Signature {
    valid, ///< or not required
    missing,
    wrong,
};

/// A verified token.
struct Token {
    /// Empty if there is no acceptable token. A view of the credential.
    std::string_view text;
    Signature signature = Signature::valid;
};

/// Extracts the token. With a secret, the signature must be valid; without one, it is ignored.
Token token_of(std::string_view credential, const AuthSettings& settings);

/// Returns the value of one of better-auth's cookies without its signature, or an empty string if
/// the signature is wrong.
crypto::Secret signed_cookie(const request_rec* request, const AuthSettings& settings,
                             const std::string& name);

/// Why a request has no credential.
enum class NoCredential {
    not_sent,
    bearer_off,   ///< a bearer token was sent, but AuthUserAdminBearer is Off
    api_key_off,  ///< an API key was sent, but AuthUserAdminApiKey is not On
    other_cookie, ///< a session token was sent in a cookie with another name
};

/// Returns why a request has neither a session token nor an API key.
NoCredential missing_credential(const request_rec* request, const AuthSettings& settings);

} // namespace useradmin::auth
