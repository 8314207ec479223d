#include "password/algorithms.hpp"

#include "crypto/random.hpp"
#include "crypto/secret.hpp"
#include "text/hex.hpp"
#include "text/unicode.hpp"

#include <openssl/err.h>
#include <openssl/evp.h>

#include <algorithm>

namespace useradmin::password {

namespace {

constexpr std::size_t scrypt_salt_size = 16;
constexpr std::size_t scrypt_key_size = 64;
constexpr std::size_t scrypt_salt_text_size = 2 * scrypt_salt_size;
constexpr std::size_t scrypt_stored_size = scrypt_salt_text_size + 1 + 2 * scrypt_key_size;

/// Returns the key in hexadecimal, or std::nullopt if OpenSSL fails.
std::optional<crypto::Secret> derive_scrypt(std::string_view salt_text, std::string_view password) {
    constexpr std::uint64_t cost = 16384;
    constexpr std::uint64_t block_size = 16;
    constexpr std::uint64_t lanes = 1;
    // Twice what the algorithm needs. OpenSSL's default limit of 32 MiB leaves no room for other
    // buffers.
    constexpr std::uint64_t max_memory = 128 * cost * block_size * lanes * 2;

    const crypto::Secret normalized(text::nfkc(password));
    crypto::SecretBytes<scrypt_key_size> key;
    // Keep errors out of OpenSSL's error queue, because mod_ssl reads the queue.
    ERR_set_mark();
    const int derived =
        EVP_PBE_scrypt(normalized.view().data(), normalized.view().size(),
                       reinterpret_cast<const unsigned char*>(salt_text.data()), salt_text.size(),
                       cost, block_size, lanes, max_memory, key.data(), key.size());
    ERR_pop_to_mark();
    return derived == 1 ? std::optional(crypto::Secret(text::hex(key.view()))) : std::nullopt;
}

} // namespace

std::optional<crypto::Secret> hash_scrypt(std::string_view password) {
    crypto::SecretBytes<scrypt_salt_size> salt;
    crypto::random_bytes({salt.data(), salt.size()});
    std::string made = text::hex(salt.view());
    made.reserve(scrypt_stored_size); // avoids reallocation
    const auto key = derive_scrypt(made, password);
    if (!key)
        return std::nullopt;
    return crypto::Secret(std::move((made += ':') += key->view()));
}

Verdict verify_scrypt(std::string_view stored, std::string_view password) {
    if (!is_scrypt(stored))
        return Verdict::unsupported;
    const auto key = derive_scrypt(stored.substr(0, scrypt_salt_text_size), password);
    if (!key)
        return Verdict::unsupported;
    const crypto::Secret wanted(text::lower(stored.substr(scrypt_salt_text_size + 1)));
    return crypto::constant_time_equal(key->view(), wanted.view()) ? Verdict::match
                                                                   : Verdict::mismatch;
}

bool is_scrypt(std::string_view stored) noexcept {
    const auto is_hex = [](std::string_view text) {
        return std::ranges::all_of(text, [](char digit) { return text::hex_value(digit) >= 0; });
    };
    return stored.size() == scrypt_stored_size && stored[scrypt_salt_text_size] == ':' &&
           is_hex(stored.substr(0, scrypt_salt_text_size)) &&
           is_hex(stored.substr(scrypt_salt_text_size + 1));
}

} // namespace useradmin::password
