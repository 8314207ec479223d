// bcrypt hashes: "$2b$12$", then 53 characters of salt and hash.
#pragma once

#include "password/hash.hpp"

namespace useradmin::password {

/// Returns a new hash, or std::nullopt if the library fails or the password contains U+0000.
std::optional<crypto::Secret> hash_bcrypt(const Bcrypt& work, std::string_view password);

/// Verifies a password. Returns Verdict::unsupported if the stored string is not a valid bcrypt
/// hash or the library fails.
Verdict verify_bcrypt(std::string_view stored, std::string_view password);

/// Returns the cost of a stored hash, or std::nullopt if it is not a bcrypt hash or its cost is out
/// of bounds.
std::optional<Bcrypt> bcrypt_cost_of(std::string_view stored) noexcept;

} // namespace useradmin::password
