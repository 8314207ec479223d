#include "password/hash.hpp"

#include "secret/random.hpp"
#include "secret/secret.hpp"
#include "text/hex.hpp"
#include "text/unicode.hpp"

#include <argon2.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#include <array>
#include <charconv>

namespace useradmin::password {

namespace {

constexpr std::size_t longest_password = 1'048'576; // keeps clear of the libraries' 32-bit sizes

// argon2id: what a made hash holds, and what a stored one may ask for.
constexpr std::size_t argon2_salt_size = 16;
constexpr std::size_t argon2_hash_size = 32;
constexpr std::size_t shortest_salt_text = 11; // 8 bytes in base64
constexpr std::size_t shortest_hash_text = 22; // 16 bytes
constexpr std::size_t longest_field_text = 86; // 64 bytes

// scrypt as better-auth writes it.
constexpr std::size_t scrypt_salt_size = 16;
constexpr std::size_t scrypt_key_size = 64;
constexpr std::size_t scrypt_salt_text = 2 * scrypt_salt_size;
constexpr std::size_t scrypt_text = scrypt_salt_text + 1 + 2 * scrypt_key_size;

using Key = secret::Bytes<scrypt_key_size>;

std::string to_hex(std::string_view bytes) {
    std::string text;
    text.reserve(2 * bytes.size());
    for (const char byte : bytes)
        text::append_hex(text, static_cast<unsigned char>(byte));
    return text;
}

/// Reads hexadecimal text, of either case, that fills the bytes to the last.
template <std::size_t Size>
bool from_hex(std::string_view text, secret::Bytes<Size>& bytes) noexcept {
    if (text.size() != 2 * Size)
        return false;
    for (std::size_t i = 0; i < Size; ++i) {
        const int high = text::hex_value(text[2 * i]);
        const int low = text::hex_value(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        bytes.data()[i] = static_cast<unsigned char>(high * 16 + low);
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

/// Takes a number off the front of the text, if one within the bounds is there.
std::optional<std::uint32_t> take_number(std::string_view& text, std::uint32_t least,
                                         std::uint32_t most) noexcept {
    std::uint32_t value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    if (error != std::errc() || value < least || value > most)
        return std::nullopt;
    return value;
}

bool is_base64(std::string_view text) noexcept {
    return text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                  "0123456789+/") == std::string_view::npos;
}

/// The work of a PHC string of argon2id; nothing where it is none, or its work is out of bounds.
/// libargon2 would do any work that the text asks for: 4 TiB and 4 billion passes.
std::optional<Argon2id> argon2id_of(std::string_view text) noexcept {
    if (!skip(text, "$argon2id$v=19"))
        return std::nullopt;
    Argon2id work;
    char before = '$';
    for (const auto& parameter : argon2id_parameters) {
        const char name[] = {before, parameter.letter, '='};
        if (!skip(text, {name, sizeof name}))
            return std::nullopt;
        const auto value = take_number(text, parameter.least, parameter.most);
        if (!value)
            return std::nullopt;
        work.*parameter.value = *value;
        before = ',';
    }
    if (work.memory_kib < least_memory_of_lane * work.lanes || !skip(text, "$"))
        return std::nullopt;
    const auto dollar = text.find('$');
    if (dollar == std::string_view::npos)
        return std::nullopt;
    const auto salt = text.substr(0, dollar);
    const auto hash = text.substr(dollar + 1);
    if (salt.size() < shortest_salt_text || salt.size() > longest_field_text ||
        hash.size() < shortest_hash_text || hash.size() > longest_field_text || !is_base64(salt) ||
        !is_base64(hash))
        return std::nullopt;
    return work;
}

Verdict verify_argon2id(std::string_view stored, std::string_view password) {
    if (!argon2id_of(stored))
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
                       cost, block_size, lanes, most_memory, key.data(), key.size());
    ERR_pop_to_mark();
    return derived == 1;
}

std::optional<std::string> hash_scrypt(std::string_view password) {
    secret::Bytes<scrypt_salt_size> salt;
    secret::random_bytes({salt.data(), salt.size()});
    const auto salt_text = to_hex(salt.view());
    Key key;
    if (!derive_scrypt(salt_text, password, key))
        return std::nullopt;
    return salt_text + ':' + to_hex(key.view());
}

/// A stored hash of scrypt: the salt's text, and the key.
struct StoredScrypt {
    std::string_view salt_text;
    Key key;
};

/// Reads a stored hash of scrypt; false where it is none.
bool read_scrypt(std::string_view text, StoredScrypt& stored) noexcept {
    if (text.size() != scrypt_text || text[scrypt_salt_text] != ':')
        return false;
    stored.salt_text = text.substr(0, scrypt_salt_text);
    secret::Bytes<scrypt_salt_size> salt; // only to see that the text is hexadecimal
    return from_hex(stored.salt_text, salt) &&
           from_hex(text.substr(scrypt_salt_text + 1), stored.key);
}

Verdict verify_scrypt(std::string_view text, std::string_view password) {
    StoredScrypt stored;
    Key key;
    if (!read_scrypt(text, stored) || !derive_scrypt(stored.salt_text, password, key))
        return Verdict::refused;
    return secret::equal_secrets(key.view(), stored.key.view()) ? Verdict::match
                                                                : Verdict::mismatch;
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

std::optional<Format> work_of(std::string_view stored) noexcept {
    if (const auto argon2id = argon2id_of(stored))
        return *argon2id;
    StoredScrypt scrypt;
    return read_scrypt(stored, scrypt) ? std::optional<Format>(Scrypt()) : std::nullopt;
}

void spend(const Format& work, std::string_view password) {
    static_cast<void>(hash(work, password));
}

} // namespace useradmin::password
