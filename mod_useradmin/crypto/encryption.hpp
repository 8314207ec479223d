// Texts that better-auth has encrypted with the application's secret.
#pragma once

#include "crypto/secret.hpp"
#include "crypto/signature.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace useradmin::crypto {

/// A decrypted text, and how it was encrypted. The views are parts of the arguments of decrypt().
struct Decrypted {
    Secret text;
    /// The secret that decrypted it.
    std::string_view secret;
    /// "$ba$", the secret's version and "$" if the application has several secrets; otherwise
    /// empty.
    std::string_view prefix;
};

/// Decrypts a text with one of the secrets: XChaCha20-Poly1305 under the secret's SHA-256, as the
/// nonce, the ciphertext and the tag in hexadecimal, after an optional prefix. Returns nothing if
/// none of the secrets fits. Throws std::bad_alloc.
std::optional<Decrypted> decrypt(std::string_view encrypted, SigningSecrets secrets);

/// Encrypts another text as one was encrypted. Throws std::bad_alloc.
std::string encrypt(std::string_view text, const Decrypted& like);

} // namespace useradmin::crypto
