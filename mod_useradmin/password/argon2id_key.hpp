// The key that argon2id derives from a password (RFC 9106), without its text form.
#pragma once

#include "password/hash.hpp"

#include <cstddef>

namespace useradmin::password {

/// Derives a key of the given size with the faster library. Returns nothing if it fails (out of
/// memory).
std::optional<crypto::Secret> derive_argon2id_key(const Argon2id& work, std::string_view salt,
                                                  std::size_t size, std::string_view password);

/// Derives the key with libargon2, in HashMemory.
std::optional<crypto::Secret> derive_with_libargon2(const Argon2id& work, std::string_view salt,
                                                    std::size_t size, std::string_view password);

/// Derives the key with libsodium, which uses the processor's AVX2 or AVX-512 and maps its memory
/// for each key. Also returns nothing if libsodium does not support the parameters (more than one
/// lane, a salt of other than 16 bytes).
std::optional<crypto::Secret> derive_with_libsodium(const Argon2id& work, std::string_view salt,
                                                    std::size_t size, std::string_view password);

} // namespace useradmin::password
