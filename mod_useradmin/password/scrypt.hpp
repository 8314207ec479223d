// scrypt hashes in better-auth's format.
#pragma once

#include "password/hash.hpp"

namespace useradmin::password {

/// Returns a new hash, or std::nullopt if the library fails (out of memory).
std::optional<crypto::Secret> hash_scrypt(std::string_view password);

/// Verifies a password. Returns Verdict::unsupported if the stored string is not a valid scrypt
/// hash or the library fails.
Verdict verify_scrypt(std::string_view stored, std::string_view password);

/// Returns whether the stored string is a scrypt hash in better-auth's format.
bool is_scrypt(std::string_view stored) noexcept;

} // namespace useradmin::password
