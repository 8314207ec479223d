#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace useradmin::auth {

// Longer than any signed and encoded token or API key of better-auth.
inline constexpr std::size_t max_token_length = 1024;

/// Returns the percent-decoded value of the cookie, or std::nullopt if it is missing, empty or too
/// long. Unless the name already has a prefix, cookies with the prefix __Host- or __Secure- take
/// precedence over one without.
std::optional<std::string> token_in_cookie(std::string_view header, std::string_view name);

/// Returns the percent-decoded token in an "Authorization: Bearer" header, or std::nullopt if it is
/// missing, empty or too long.
std::optional<std::string> token_in_authorization(std::string_view header);

} // namespace useradmin::auth
