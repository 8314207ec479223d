// argon2id: hashes as PHC strings ("$argon2id$v=19$m=19456,t=2,p=1$salt$hash", RFC 9106).
#pragma once

#include "password/hash.hpp"

namespace useradmin::password {

/// A new hash; nothing where the library fails (out of memory).
std::optional<crypto::Secret> hash_argon2id(const Argon2id& work, std::string_view password);

/// Verifies a password against a stored text that may be anything.
Verdict verify_argon2id(std::string_view stored, std::string_view password);

/// The work of a stored text; nothing where it is no PHC string of argon2id to the letter, or its
/// work is out of bounds.
std::optional<Argon2id> argon2id_cost_of(std::string_view stored);

} // namespace useradmin::password
