// Random values from the kernel's random number generator.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace useradmin::crypto {

/// Fills the span. The maximum size is 256 bytes. Aborts the process on failure, because no weaker
/// source may be used for salts, ids and tokens.
void random_bytes(std::span<unsigned char> out) noexcept;

/// Returns a new version 4 UUID (36 characters).
std::string random_uuid();

/// Returns a new token in better-auth's format: unbiased characters of [a-zA-Z0-9]. Session tokens
/// have the default length.
std::string random_token(std::size_t length = 32);

/// Returns a new API key in the format of better-auth's plugin: 64 unbiased characters of [a-zA-Z].
std::string random_api_key();

} // namespace useradmin::crypto
