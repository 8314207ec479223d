// Parsing of session tokens.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace useradmin::auth {

// No signed and encoded token or API key of better-auth is this long.
inline constexpr std::size_t max_token_length = 1024;

/// Returns the value of the cookie in a Cookie header, with %XX decoded; nothing if it is absent.
/// The names with the prefixes __Host- and __Secure- take precedence over the plain one. A name
/// that has a prefix already is matched exactly.
std::optional<std::string> token_in_cookie(std::string_view header, std::string_view name);

/// Returns the decoded token in an "Authorization: Bearer" header, or nothing.
std::optional<std::string> token_in_authorization(std::string_view header);

} // namespace useradmin::auth
