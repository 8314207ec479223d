// Random values from the kernel's random number generator.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace useradmin::crypto {

/// Fills the span (at most 256 bytes) from the kernel's generator. Aborts the process if that
/// fails: no salt, id or token may come from a weaker source.
void random_bytes(std::span<unsigned char> out) noexcept;

/// Returns a new UUID, version 4, as 36 characters.
std::string random_uuid();

/// Returns a new token in better-auth's format: characters of [a-zA-Z0-9], unbiased; 32 for a
/// session.
std::string random_token(std::size_t length = 32);

/// Returns a new API key in the format of better-auth's plugin: 64 characters of [a-zA-Z],
/// unbiased.
std::string random_api_key();

} // namespace useradmin::crypto
