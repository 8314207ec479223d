// Signatures of session tokens, in the format of better-auth's cookies. The functions throw
// std::bad_alloc if OpenSSL fails.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace useradmin::crypto {

/// Returns "token.signature". The signature is the token's HMAC-SHA-256 in base64.
std::string sign(std::string_view token, std::string_view secret);

/// Returns the HMAC-SHA-256 of a string in base64url without padding.
std::string sign_base64url(std::string_view text, std::string_view secret);

/// Returns the token of a signed value, or std::nullopt if the signature is missing or wrong.
/// Compares in constant time.
std::optional<std::string_view> verify_signature(std::string_view signed_value,
                                                 std::string_view secret);

/// The application's secrets. The first secret makes new signatures. All of them verify signatures.
using SigningSecrets = std::span<const std::string_view>;

/// The maximum number of secrets: the current one and, during a rotation, the previous ones.
inline constexpr std::size_t max_signing_secrets = 4;

/// Like the above, but accepts a signature made with any of the secrets. The time does not depend
/// on which secret matches.
std::optional<std::string_view> verify_signature(std::string_view signed_value,
                                                 SigningSecrets secrets);

} // namespace useradmin::crypto
