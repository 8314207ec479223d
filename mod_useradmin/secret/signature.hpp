// The signature of a session token, as better-auth signs its cookies.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace useradmin::secret {

/// The value "token.signature": the signature is the base64 of the HMAC-SHA-256 of the token.
std::string sign(std::string_view token, std::string_view secret);

/// The token of a signed value, where its signature is right; compared in constant time.
std::optional<std::string_view> verified(std::string_view signed_value, std::string_view secret);

} // namespace useradmin::secret
