// Encrypts and decrypts strings as better-auth does, with the application's secret.
#pragma once

#include "crypto/secret.hpp"
#include "crypto/signature.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace useradmin::crypto {

/// A decrypted string and how it was encrypted. The views point into the arguments of decrypt().
struct Decrypted {
    Secret text;
    /// The secret that decrypted the string.
    std::string_view secret;
    /// "$ba$", the version of the secret and "$" if the application has several secrets. Otherwise
    /// empty.
    std::string_view prefix;
};

/// Decrypts hexadecimal text that consists of a nonce, the ciphertext and a tag, after an optional
/// prefix. The cipher is XChaCha20-Poly1305, and the key is the SHA-256 of a secret. Returns
/// std::nullopt if the text is malformed or no secret matches. Throws std::bad_alloc.
std::optional<Decrypted> decrypt(std::string_view encrypted, SigningSecrets secrets);

/// Encrypts a string with the secret and the prefix of `like`. Throws std::bad_alloc.
std::string encrypt(std::string_view text, const Decrypted& like);

} // namespace useradmin::crypto
