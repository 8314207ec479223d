#include "crypto/encryption.hpp"

#include "crypto/random.hpp"
#include "text/hex.hpp"

#include <sodium.h>

#include <new>

namespace useradmin::crypto {

namespace {

constexpr std::size_t nonce_size = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t tag_size = crypto_aead_xchacha20poly1305_ietf_ABYTES;
using Key = SecretBytes<crypto_aead_xchacha20poly1305_ietf_KEYBYTES>;

const unsigned char* bytes_of(std::string_view text) noexcept {
    return reinterpret_cast<const unsigned char*>(text.data());
}

/// Derives the key: the SHA-256 of the secret.
void set_key(Key& key, std::string_view secret) {
    static_assert(Key::size() == crypto_hash_sha256_BYTES);
    crypto_hash_sha256(key.data(), bytes_of(secret), secret.size());
}

/// Returns the prefix with the version of the secret, or an empty view if there is none.
std::string_view prefix_of(std::string_view encrypted) noexcept {
    constexpr std::string_view mark = "$ba$";
    if (!encrypted.starts_with(mark))
        return {};
    const std::size_t end = encrypted.find('$', mark.size());
    return end != encrypted.npos ? encrypted.substr(0, end + 1) : std::string_view();
}

std::optional<Secret> decrypt_bytes(std::string_view bytes, std::string_view secret) {
    Key key;
    set_key(key, secret);
    const std::string_view nonce = bytes.substr(0, nonce_size);
    const std::string_view rest = bytes.substr(nonce_size);
    std::string text(rest.size() - tag_size, '\0');
    const bool fits =
        crypto_aead_xchacha20poly1305_ietf_decrypt(reinterpret_cast<unsigned char*>(text.data()),
                                                   nullptr, nullptr, bytes_of(rest), rest.size(),
                                                   nullptr, 0, bytes_of(nonce), key.data()) == 0;
    Secret decrypted(std::move(text));
    return fits ? std::optional(std::move(decrypted)) : std::nullopt;
}

} // namespace

std::optional<Decrypted> decrypt(std::string_view encrypted, SigningSecrets secrets) {
    const std::string_view prefix = prefix_of(encrypted);
    const auto bytes = text::from_hex(encrypted.substr(prefix.size()));
    if (!bytes || bytes->size() < nonce_size + tag_size)
        return std::nullopt;
    for (const std::string_view secret : secrets)
        if (auto text = decrypt_bytes(*bytes, secret))
            return Decrypted{*std::move(text), secret, prefix};
    return std::nullopt;
}

std::string encrypt(std::string_view text, const Decrypted& like) {
    Key key;
    set_key(key, like.secret);
    std::string bytes(nonce_size + text.size() + tag_size, '\0');
    auto* const nonce = reinterpret_cast<unsigned char*>(bytes.data());
    random_bytes({nonce, nonce_size});
    if (crypto_aead_xchacha20poly1305_ietf_encrypt(nonce + nonce_size, nullptr, bytes_of(text),
                                                   text.size(), nullptr, 0, nullptr, nonce,
                                                   key.data()) != 0)
        throw std::bad_alloc();
    return std::string(like.prefix) += text::hex(bytes);
}

} // namespace useradmin::crypto
