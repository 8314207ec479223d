// What must not be guessed: from the system's generator.
#pragma once

#include <span>
#include <string>

namespace useradmin::crypto {

/// Fills the span (256 bytes at most) from the system's generator. Aborts the process where the
/// system has none: no salt, id or token is ever made from anything less.
void random_bytes(std::span<unsigned char> out) noexcept;

/// A new UUID, version 4, in its canonical text of 36 characters.
std::string random_uuid();

/// A new session token as better-auth makes them: 32 characters of [a-zA-Z0-9], without bias.
std::string random_token();

} // namespace useradmin::crypto
