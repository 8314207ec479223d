// The formats that passwords are hashed in, and the bounds of the work that a hash may ask for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace useradmin::password {

/// argon2id; the defaults are OWASP's.
struct Argon2id {
    std::uint32_t memory_kib = 19456;
    std::uint32_t passes = 2;
    std::uint32_t lanes = 1;

    friend bool operator==(const Argon2id&, const Argon2id&) = default;
};

/// The bounds of one of argon2id's parameters, under the letter that PHC strings and
/// UserAdminPasswordHash give it.
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
/// How many KiB each lane needs at least.
inline constexpr std::uint32_t min_lane_memory_kib = 8;

/// scrypt as better-auth writes it by default: N=16384 r=16 p=1, a key of 64 bytes,
/// "hex(salt):hex(key)", the hex text of 16 random bytes being the salt, the password in NFKC.
struct Scrypt {
    friend bool operator==(const Scrypt&, const Scrypt&) = default;
};

/// bcrypt, which applications wrote before; no format of new hashes. The password's first 72 bytes
/// count.
struct Bcrypt {
    /// The binary logarithm of its rounds.
    std::uint32_t cost = 10;

    friend bool operator==(const Bcrypt&, const Bcrypt&) = default;
};
inline constexpr std::uint32_t min_bcrypt_cost = 4;
inline constexpr std::uint32_t max_bcrypt_cost = 14;
inline constexpr std::size_t max_bcrypt_bytes = 72;

/// Equal formats ask for the same work.
using Format = std::variant<Argon2id, Scrypt, Bcrypt>;

/// Reads a format as UserAdminPasswordHash and `useradminctl --hash` have it: "scrypt", or
/// "argon2id" with any of "m=KiB", "t=N", "p=N". Where the words are not that, says what would be
/// right, to be put behind "must be ".
std::variant<Format, std::string> parse_format(std::span<const std::string_view> words);

} // namespace useradmin::password
