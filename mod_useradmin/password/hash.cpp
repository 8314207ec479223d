#include "password/hash.hpp"

#include "secret/random.hpp"
#include "secret/secret.hpp"
#include "text/unicode.hpp"

#include <argon2.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#include <array>
#include <charconv>
#include <span>

namespace useradmin::password {

namespace {

constexpr std::size_t longest_password = 1'048'576; // keeps clear of the libraries' 32-bit sizes

// argon2id: what a made hash holds, and what a stored one may ask for.
constexpr std::size_t argon2_salt_size = 16;
constexpr std::size_t argon2_hash_size = 32;
constexpr std::uint32_t most_memory_kib = 256 * 1024;
constexpr std::uint32_t most_passes = 10;
constexpr std::uint32_t most_lanes = 16;
constexpr std::size_t shortest_salt_text = 11; // 8 bytes in base64
constexpr std::size_t shortest_hash_text = 22; // 16 bytes
constexpr std::size_t longest_field_text = 86; // 64 bytes

// scrypt as better-auth writes it.
constexpr std::size_t scrypt_salt_size = 16;
constexpr std::size_t scrypt_key_size = 64;
constexpr std::size_t scrypt_salt_text = 2 * scrypt_salt_size;
constexpr std::size_t scrypt_text = scrypt_salt_text + 1 + 2 * scrypt_key_size;

/// A derived key, wiped when it goes.
struct Key {
    std::array<unsigned char, scrypt_key_size> bytes{};

    Key() = default;
    Key(const Key&) = delete;
    Key& operator=(const Key&) = delete;
    ~Key() { secret::wipe(bytes.data(), bytes.size()); }

    std::string_view view() const noexcept {
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
};

std::string to_hex(std::span<const unsigned char> bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(2 * bytes.size());
    for (const auto byte : bytes) {
        text += digits[byte >> 4];
        text += digits[byte & 0xf];
    }
    return text;
}

/// Reads hexadecimal text, of either case, that fills the bytes to the last.
bool from_hex(std::string_view text, std::span<unsigned char> bytes) noexcept {
    if (text.size() != 2 * bytes.size())
        return false;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const char* const pair = text.data() + 2 * i;
        const auto [stop, error] = std::from_chars(pair, pair + 2, bytes[i], 16);
        if (error != std::errc() || stop != pair + 2)
            return false;
    }
    return true;
}

std::optional<std::string> hash_argon2id(const Argon2id& work, std::string_view password) {
    std::array<unsigned char, argon2_salt_size> salt;
    secret::random_bytes(salt);
    std::string encoded(argon2_encodedlen(work.passes, work.memory_kib, work.lanes, salt.size(),
                                          argon2_hash_size, Argon2_id),
                        '\0');
    if (argon2id_hash_encoded(work.passes, work.memory_kib, work.lanes, password.data(),
                              password.size(), salt.data(), salt.size(), argon2_hash_size,
                              encoded.data(), encoded.size()) != ARGON2_OK)
        return std::nullopt;
    encoded.resize(encoded.find('\0')); // the length given by the library counts the terminator
    return encoded;
}

/// Takes what is expected off the front of the text, if it is there.
bool skip(std::string_view& text, std::string_view expected) noexcept {
    const bool found = text.starts_with(expected);
    text.remove_prefix(found ? expected.size() : 0);
    return found;
}

/// Takes a number from 1 to the largest off the front of the text, if one is there.
bool skip_number(std::string_view& text, std::uint32_t largest) noexcept {
    std::uint32_t value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    return error == std::errc() && value >= 1 && value <= largest;
}

bool is_base64(std::string_view text) noexcept {
    return text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                  "0123456789+/") == std::string_view::npos;
}

/// Whether the text is a PHC string of argon2id whose work is within bounds. libargon2 would do any
/// work that the text asks for: 4 TiB and 4 billion passes.
bool is_bounded_argon2id(std::string_view text) noexcept {
    if (!skip(text, "$argon2id$v=19$m=") || !skip_number(text, most_memory_kib) ||
        !skip(text, ",t=") || !skip_number(text, most_passes) || !skip(text, ",p=") ||
        !skip_number(text, most_lanes) || !skip(text, "$"))
        return false;
    const auto dollar = text.find('$');
    if (dollar == std::string_view::npos)
        return false;
    const auto salt = text.substr(0, dollar);
    const auto hash = text.substr(dollar + 1);
    return salt.size() >= shortest_salt_text && salt.size() <= longest_field_text &&
           hash.size() >= shortest_hash_text && hash.size() <= longest_field_text &&
           is_base64(salt) && is_base64(hash);
}

Verdict verify_argon2id(std::string_view stored, std::string_view password) {
    if (!is_bounded_argon2id(stored))
        return Verdict::refused;
    const std::string terminated(stored);
    switch (argon2id_verify(terminated.c_str(), password.data(), password.size())) {
    case ARGON2_OK:
        return Verdict::match;
    case ARGON2_VERIFY_MISMATCH:
        return Verdict::mismatch;
    default:
        return Verdict::refused;
    }
}

bool derive_scrypt(std::string_view salt_text, std::string_view password, Key& key) {
    constexpr std::uint64_t cost = 16384;
    constexpr std::uint64_t block_size = 16;
    constexpr std::uint64_t lanes = 1;
    // Twice what the algorithm holds: OpenSSL allows 32 MiB by default, and counts its work space.
    constexpr std::uint64_t most_memory = 128 * cost * block_size * lanes * 2;

    const secret::Secret normalised(text::nfkc(password));
    // What fails here must not turn up in the error queue that mod_ssl reads.
    ERR_set_mark();
    const int derived =
        EVP_PBE_scrypt(normalised.view().data(), normalised.view().size(),
                       reinterpret_cast<const unsigned char*>(salt_text.data()), salt_text.size(),
                       cost, block_size, lanes, most_memory, key.bytes.data(), key.bytes.size());
    ERR_pop_to_mark();
    return derived == 1;
}

std::optional<std::string> hash_scrypt(std::string_view password) {
    std::array<unsigned char, scrypt_salt_size> salt;
    secret::random_bytes(salt);
    const auto salt_text = to_hex(salt);
    Key key;
    if (!derive_scrypt(salt_text, password, key))
        return std::nullopt;
    return salt_text + ':' + to_hex(key.bytes);
}

Verdict verify_scrypt(std::string_view stored, std::string_view password) {
    if (stored.size() != scrypt_text || stored[scrypt_salt_text] != ':')
        return Verdict::refused;
    const auto salt_text = stored.substr(0, scrypt_salt_text);
    std::array<unsigned char, scrypt_salt_size> salt; // only to see that the text is hexadecimal
    Key expected;
    if (!from_hex(salt_text, salt) ||
        !from_hex(stored.substr(scrypt_salt_text + 1), expected.bytes))
        return Verdict::refused;
    Key key;
    if (!derive_scrypt(salt_text, password, key))
        return Verdict::refused;
    return secret::equal_secrets(key.view(), expected.view()) ? Verdict::match : Verdict::mismatch;
}

} // namespace

std::optional<std::string> hash(const Format& format, std::string_view password) {
    if (password.size() > longest_password)
        return std::nullopt;
    if (const auto* const argon2id = std::get_if<Argon2id>(&format))
        return hash_argon2id(*argon2id, password);
    return hash_scrypt(password);
}

Verdict verify(std::string_view stored, std::string_view password) {
    if (password.size() > longest_password)
        return Verdict::mismatch; // none so long is ever hashed
    return stored.starts_with('$') ? verify_argon2id(stored, password)
                                   : verify_scrypt(stored, password);
}

} // namespace useradmin::password
