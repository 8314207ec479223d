// Hashes of passwords: how they are made, and how a stored one is verified.
#pragma once

#include "crypto/secret.hpp"
#include "password/format.hpp"

#include <optional>
#include <string_view>

namespace useradmin::password {

/// How many bytes a password may have at most, here and in useradminctl. better-auth takes no more
/// than 128 characters.
inline constexpr std::size_t max_password_bytes = 1024;

/// The hash of the password as it is stored: a PHC string for argon2id (16-byte salt, 32-byte
/// hash), better-auth's text for scrypt, or libcrypt's for bcrypt. Nothing where the library fails
/// (out of memory) or the password is too long.
std::optional<crypto::Secret> hash(const Format& format, std::string_view password);

enum class Verdict {
    match,
    mismatch,
    /// Not a hash that is known here, one whose parameters ask for too much work, or one that the
    /// library failed to compute (out of memory).
    unsupported,
};

/// Verifies a password against a stored hash of any format, told apart by its text. What a hash
/// may ask for is bounded by argon2id_parameters and max_bcrypt_cost; scrypt has one set of
/// parameters. The comparison
/// takes the same time wherever it fails.
Verdict verify(std::string_view stored, std::string_view password);

/// Whether a format is one that is only read: a hash of it gives way to one that is configured.
bool is_legacy(const Format& format) noexcept;

/// The work that verifying a stored hash takes; nothing where verify() would refuse it.
std::optional<Format> cost_of(std::string_view stored);

/// Does such work on a password and throws the result away: what stands in for a hash that is not
/// there takes as long as one that is.
void hash_and_discard(const Format& work, std::string_view password);

} // namespace useradmin::password
