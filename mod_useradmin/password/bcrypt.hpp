// bcrypt, as other applications have written it: "$2b$12$" and 53 characters of salt and hash.
#pragma once

#include "password/hash.hpp"

namespace useradmin::password {

/// A new hash; nothing where the library fails, or the password holds U+0000.
std::optional<crypto::Secret> hash_bcrypt(const Bcrypt& work, std::string_view password);

/// Verifies a password against a stored text that may be anything.
Verdict verify_bcrypt(std::string_view stored, std::string_view password);

/// The work of a stored text; nothing where it is no such hash, or its work is out of bounds.
std::optional<Bcrypt> bcrypt_cost_of(std::string_view stored) noexcept;

} // namespace useradmin::password
