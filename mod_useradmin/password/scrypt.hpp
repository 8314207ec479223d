// scrypt in better-auth's format.
#pragma once

#include "password/hash.hpp"

namespace useradmin::password {

/// Returns a new hash, or nothing if the library fails (out of memory).
std::optional<crypto::Secret> hash_scrypt(std::string_view password);

/// Verifies a password against any stored string.
Verdict verify_scrypt(std::string_view stored, std::string_view password);

/// Returns whether the stored string is a hash in this format.
bool is_scrypt(std::string_view stored) noexcept;

} // namespace useradmin::password
