// The hash algorithms behind password/hash.hpp. Each hash function returns a new hash, or
// std::nullopt if the library fails (out of memory). Each verify function returns
// Verdict::unsupported if the stored string is not a valid hash of the algorithm or the library
// fails.
#pragma once

#include "password/hash.hpp"

namespace useradmin::password {

// argon2id hashes as PHC strings: "$argon2id$v=19$m=19456,t=2,p=1$salt$hash" (RFC 9106).
std::optional<crypto::Secret> hash_argon2id(const Argon2id& work, std::string_view password);
Verdict verify_argon2id(std::string_view stored, std::string_view password);
/// Returns the parameters of a stored hash, or std::nullopt if it is not a valid PHC string of
/// argon2id or its parameters are out of bounds.
std::optional<Argon2id> argon2id_format_of(std::string_view stored);

// bcrypt hashes: "$2b$12$", then 53 characters of salt and hash.
/// Also returns std::nullopt if the password contains U+0000.
std::optional<crypto::Secret> hash_bcrypt(const Bcrypt& work, std::string_view password);
Verdict verify_bcrypt(std::string_view stored, std::string_view password);
/// Returns the cost of a stored hash, or std::nullopt if it is not a bcrypt hash or its cost is out
/// of bounds.
std::optional<Bcrypt> bcrypt_format_of(std::string_view stored) noexcept;

// scrypt hashes in better-auth's format.
std::optional<crypto::Secret> hash_scrypt(std::string_view password);
Verdict verify_scrypt(std::string_view stored, std::string_view password);
/// Returns whether the stored string is a scrypt hash in better-auth's format.
bool is_scrypt(std::string_view stored) noexcept;

} // namespace useradmin::password
