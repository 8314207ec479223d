// argon2id hashes as PHC strings: "$argon2id$v=19$m=19456,t=2,p=1$salt$hash" (RFC 9106).
#pragma once

#include "password/hash.hpp"

namespace useradmin::password {

/// Returns a new hash, or std::nullopt if the library fails (out of memory).
std::optional<crypto::Secret> hash_argon2id(const Argon2id& work, std::string_view password);

/// Verifies a password. Returns Verdict::unsupported if the stored string is not a valid argon2id
/// hash or the library fails.
Verdict verify_argon2id(std::string_view stored, std::string_view password);

/// Returns the parameters of a stored hash, or std::nullopt if it is not a valid PHC string of
/// argon2id or its parameters are out of bounds.
std::optional<Argon2id> argon2id_cost_of(std::string_view stored);

} // namespace useradmin::password
