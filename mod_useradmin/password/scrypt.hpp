// scrypt, as better-auth writes it by default.
#pragma once

#include "password/hash.hpp"

namespace useradmin::password {

/// A new hash; nothing where the library fails (out of memory).
std::optional<crypto::Secret> hash_scrypt(std::string_view password);

/// Verifies a password against a stored text that may be anything.
Verdict verify_scrypt(std::string_view stored, std::string_view password);

/// Whether the stored text is such a hash.
bool is_scrypt(std::string_view stored) noexcept;

} // namespace useradmin::password
