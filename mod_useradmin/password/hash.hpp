// Hashing and verifying passwords.
#pragma once

#include "crypto/secret.hpp"
#include "password/format.hpp"

#include <optional>
#include <string_view>

namespace useradmin::password {

/// The maximum length of a password in bytes, for the service and useradminctl. better-auth allows
/// 128 characters.
inline constexpr std::size_t max_password_bytes = 1024;

/// Returns the hash in its stored form: a PHC string for argon2id (16-byte salt, 32-byte hash),
/// better-auth's format for scrypt, libcrypt's for bcrypt. Returns nothing if the library fails
/// (out of memory) or the password is too long.
std::optional<crypto::Secret> hash(const Format& format, std::string_view password);

enum class Verdict {
    match,
    mismatch,
    /// An unknown format, parameters out of bounds, or a library failure (out of memory).
    unsupported,
};

/// Verifies a password against a stored hash of any format. argon2id_parameters and max_bcrypt_cost
/// bound the cost; scrypt has fixed parameters. Compares in constant time.
Verdict verify(std::string_view stored, std::string_view password);

/// Returns whether the format is only verified, never created. Such a hash is replaced at the next
/// sign-in.
bool is_legacy(const Format& format) noexcept;

/// Returns the format of a stored hash and its parameters, or nothing if verify() would return
/// unsupported.
std::optional<Format> cost_of(std::string_view stored);

/// Hashes the password and discards the result, so that verifying for a user without a password
/// takes as long as for one with a password.
void hash_and_discard(const Format& work, std::string_view password);

} // namespace useradmin::password
