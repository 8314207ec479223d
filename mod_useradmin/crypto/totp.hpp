// Time-based one-time passwords (RFC 6238).
#pragma once

#include "text/timestamp.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace useradmin::crypto {

/// Returns the time step of the code: the current one, the previous or the next one (HMAC-SHA-1, 6
/// digits, steps of 30 seconds). Returns std::nullopt if the code is wrong. `secret` is the key, or
/// "base32:" and the key in base32, as better-auth stores keys from other providers. Compares in
/// constant time. Throws std::bad_alloc.
std::optional<std::uint64_t> verify_totp(std::string_view code, std::string_view secret,
                                         text::Timestamp now);

} // namespace useradmin::crypto
