#pragma once

#include "crypto/secret.hpp"
#include "password/format.hpp"

#include <optional>
#include <string_view>

namespace useradmin::password {

/// The maximum length of a password in bytes, for the service and useradminctl. For comparison,
/// better-auth allows 128 characters.
inline constexpr std::size_t max_password_bytes = 1024;

/// Hashes a password. Returns the stored form: a PHC string for argon2id (16-byte salt, 32-byte
/// hash), better-auth's format for scrypt, or libcrypt's for bcrypt. Returns std::nullopt if the
/// password is too long, the library fails (out of memory), or a password for bcrypt contains
/// U+0000.
std::optional<crypto::Secret> hash(const Format& format, std::string_view password);

enum class Verdict {
    match,
    mismatch,
    /// The format is unknown, a parameter is out of bounds, or the library failed (out of memory).
    unsupported,
};

/// Verifies a password against a stored hash of any format. argon2id_parameters and max_bcrypt_cost
/// limit the cost, and scrypt has fixed parameters. Compares in constant time.
Verdict verify(std::string_view stored, std::string_view password);

/// Returns whether hashes of this format are verified but no longer created. The next sign-in
/// replaces a hash in this format, unless the password has 72 bytes or more.
bool is_legacy(const Format& format) noexcept;

/// Returns the format and the parameters of a stored hash, or std::nullopt if the format is unknown
/// or a parameter is out of bounds.
std::optional<Format> format_of(std::string_view stored);

} // namespace useradmin::password
