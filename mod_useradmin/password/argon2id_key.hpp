// Derives raw argon2id keys from passwords (RFC 9106).
#pragma once

#include "password/hash.hpp"

#include <cstddef>

namespace useradmin::password {

/// Derives a key of `size` bytes with libsodium or, if that fails, with libargon2. Returns
/// std::nullopt if both fail (out of memory).
std::optional<crypto::Secret> derive_argon2id_key(const Argon2id& work, std::string_view salt,
                                                  std::size_t size, std::string_view password);

/// Derives the key with libargon2, which wipes its working memory.
std::optional<crypto::Secret> derive_with_libargon2(const Argon2id& work, std::string_view salt,
                                                    std::size_t size, std::string_view password);

/// Derives the key with libsodium, which uses AVX2 or AVX-512 and maps new memory for each key.
/// Returns std::nullopt on failure, or if libsodium does not support the parameters: more than one
/// lane, or a salt that is not 16 bytes long.
std::optional<crypto::Secret> derive_with_libsodium(const Argon2id& work, std::string_view salt,
                                                    std::size_t size, std::string_view password);

} // namespace useradmin::password
