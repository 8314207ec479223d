// Strings that better-auth encrypts with the application's secret.
#pragma once

#include "crypto/secret.hpp"
#include "crypto/signature.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace useradmin::crypto {

/// A decrypted string, and how it was encrypted. The views point into the arguments of decrypt().
struct Decrypted {
    Secret text;
    /// The secret that decrypted it.
    std::string_view secret;
    /// "$ba$", the secret's version and "$" if the application has several secrets; otherwise
    /// empty.
    std::string_view prefix;
};

/// Decrypts an optional prefix followed by the nonce, the ciphertext and the tag in hexadecimal.
/// The cipher is XChaCha20-Poly1305; the key is the SHA-256 of one of the secrets. Returns nothing
/// if none of the secrets fits. Throws std::bad_alloc.
std::optional<Decrypted> decrypt(std::string_view encrypted, SigningSecrets secrets);

/// Encrypts a string with the secret and the prefix of a decrypted one. Throws std::bad_alloc.
std::string encrypt(std::string_view text, const Decrypted& like);

} // namespace useradmin::crypto
