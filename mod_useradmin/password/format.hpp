// Hash formats and the bounds of their parameters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace useradmin::password {

/// The parameters of argon2id. The defaults are OWASP's recommendation.
struct Argon2id {
    std::uint32_t memory_kib = 19456;
    std::uint32_t passes = 2;
    std::uint32_t lanes = 1;

    friend bool operator==(const Argon2id&, const Argon2id&) = default;
};

/// A parameter of argon2id: the letter in PHC strings and UserAdminPasswordHash, and the bounds.
struct Argon2idParameter {
    char letter;
    std::string_view unit;
    std::uint32_t Argon2id::*value;
    std::uint32_t min;
    std::uint32_t max;
};
inline constexpr Argon2idParameter argon2id_parameters[] = {
    {'m', "KiB", &Argon2id::memory_kib, 8, 262144},
    {'t', "N", &Argon2id::passes, 1, 10},
    {'p', "N", &Argon2id::lanes, 1, 16},
};
/// The minimum memory per lane, in KiB.
inline constexpr std::uint32_t min_lane_memory_kib = 8;

/// scrypt with better-auth's parameters: N=16384, r=16, p=1 and a 64-byte key, stored as
/// "salt:hex(key)". The salt is the hexadecimal text of 16 random bytes. The password is normalized
/// to NFKC.
struct Scrypt {
    friend bool operator==(const Scrypt&, const Scrypt&) = default;
};

/// bcrypt, used by older applications. It hashes only the first 72 bytes of a password. New
/// passwords are never stored in this format.
struct Bcrypt {
    /// The binary logarithm of the number of rounds.
    std::uint32_t cost = 10;

    friend bool operator==(const Bcrypt&, const Bcrypt&) = default;
};
inline constexpr std::uint32_t min_bcrypt_cost = 4;
inline constexpr std::uint32_t max_bcrypt_cost = 14;
inline constexpr std::size_t max_bcrypt_bytes = 72;

/// A hash format with its parameters. Equal values have the same cost.
using Format = std::variant<Argon2id, Scrypt, Bcrypt>;

/// Parses the arguments of UserAdminPasswordHash and `useradminctl --hash`: "scrypt", or "argon2id"
/// with any of "m=KiB", "t=N" and "p=N". On error, returns the valid forms, worded to follow "must
/// be ".
std::variant<Format, std::string> parse_format(std::span<const std::string_view> words);

} // namespace useradmin::password
