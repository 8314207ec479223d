// The signature of a session token, as better-auth signs its cookies.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace useradmin::crypto {

/// The value "token.signature": the signature is the base64 of the HMAC-SHA-256 of the token.
std::string sign(std::string_view token, std::string_view secret);

/// The token of a signed value, where its signature is right; compared in constant time.
std::optional<std::string_view> verify_signature(std::string_view signed_value,
                                                 std::string_view secret);

/// An application's secrets: the first signs, and what any of them has signed counts.
using SigningSecrets = std::span<const std::string_view>;

/// How many an application has at most: one, and while it changes those before and after it.
inline constexpr std::size_t max_signing_secrets = 4;

/// The same, where the signature is that of one of the secrets. How long it takes does not tell of
/// which.
std::optional<std::string_view> verify_signature(std::string_view signed_value,
                                                 SigningSecrets secrets);

} // namespace useradmin::crypto
