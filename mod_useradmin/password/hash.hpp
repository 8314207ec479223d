// Hashes of passwords: how they are made, and how a stored one is verified.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace useradmin::password {

/// argon2id; the defaults are OWASP's.
struct Argon2id {
    std::uint32_t memory_kib = 19456;
    std::uint32_t passes = 2;
    std::uint32_t lanes = 1;
};

/// scrypt as better-auth writes it by default: N=16384 r=16 p=1, a key of 64 bytes,
/// "hex(salt):hex(key)", the hex text of 16 random bytes being the salt, the password in NFKC.
struct Scrypt {};

using Format = std::variant<Argon2id, Scrypt>;

/// The hash of the password as it is stored: a PHC string for argon2id (16-byte salt, 32-byte
/// hash), or better-auth's text for scrypt. Nothing where the library fails (out of memory) or the
/// password is longer than 1 MiB.
std::optional<std::string> hash(const Format& format, std::string_view password);

enum class Verdict {
    match,
    mismatch,
    /// Not a hash that is known here, one whose parameters ask for too much work, or one that the
    /// library failed to compute (out of memory).
    refused,
};

/// Verifies a password against a stored hash of either format, told apart by its text. What a hash
/// may ask for is bounded: argon2id up to 256 MiB, 10 passes and 16 lanes; scrypt has one set of
/// parameters. The comparison takes the same time wherever it fails.
Verdict verify(std::string_view stored, std::string_view password);

} // namespace useradmin::password
