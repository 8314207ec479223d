#include "password/algorithms.hpp"

#include "crypto/random.hpp"
#include "crypto/secret.hpp"
#include "crypto/sha256.hpp"
#include "password/argon2id_key.hpp"
#include "text/split.hpp"

#include <openssl/evp.h>

#include <charconv>
#include <utility>

namespace useradmin::password {

namespace {

constexpr std::size_t new_salt_size = 16;
constexpr std::size_t new_hash_size = 32;
// Limits for the fields of a stored hash.
constexpr std::size_t min_salt_size = 8;
constexpr std::size_t min_hash_size = 16;
constexpr std::size_t max_field_size = 64;

struct Phc {
    Argon2id work;
    crypto::Secret salt;
    crypto::Secret hash;
};

/// Encodes bytes in base64 without padding, as PHC strings require.
crypto::Secret base64(std::string_view bytes) {
    std::string text = crypto::base64_of(bytes);
    text.resize((4 * bytes.size() + 2) / 3);
    return crypto::Secret(std::move(text));
}

/// Decodes base64 without padding. The result for invalid text is unspecified.
crypto::Secret from_base64(std::string_view text) {
    std::string padded;
    padded.reserve(text.size() + 4);
    (padded += text).append((4 - text.size() % 4) % 4, '=');
    std::string bytes(3 * padded.size() / 4, '\0');
    EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                    reinterpret_cast<const unsigned char*>(padded.data()),
                    static_cast<int>(padded.size()));
    bytes.resize(3 * text.size() / 4);
    crypto::wipe(padded);
    return crypto::Secret(std::move(bytes));
}

crypto::Secret encode_phc(const Argon2id& work, std::string_view salt, std::string_view hash) {
    std::string text = "$argon2id$v=19";
    char before = '$';
    for (const auto& parameter : argon2id_parameters) {
        (((text += before) += parameter.letter) += '=') += std::to_string(work.*parameter.value);
        before = ',';
    }
    const crypto::Secret fields[] = {base64(salt), base64(hash)};
    text.reserve(text.size() + fields[0].view().size() + fields[1].view().size() + 2);
    for (const crypto::Secret& field : fields)
        (text += '$') += field.view();
    return crypto::Secret(std::move(text));
}

bool is_within(std::size_t value, std::size_t min, std::size_t max) noexcept {
    return value >= min && value <= max;
}

/// Parses a PHC string. Returns std::nullopt if it is invalid or its parameters are out of bounds.
/// libargon2 itself would accept 4 TiB and 4 billion passes.
std::optional<Phc> parse_phc(std::string_view stored) {
    std::string_view rest = stored;
    Phc phc;
    text::take_until(rest, '='); // skip the version
    for (const auto& parameter : argon2id_parameters) {
        text::take_until(rest, '=');
        std::uint32_t& value = phc.work.*parameter.value;
        std::from_chars(rest.data(), rest.data() + rest.size(), value);
        if (value < parameter.min || value > parameter.max)
            return std::nullopt;
    }
    text::take_until(rest, '$');
    phc.salt = from_base64(text::take_until(rest, '$'));
    phc.hash = from_base64(rest);
    // Encode the result again to reject strings that were parsed too leniently.
    const bool is_valid = phc.work.memory_kib >= min_lane_memory_kib * phc.work.lanes &&
                          is_within(phc.salt.view().size(), min_salt_size, max_field_size) &&
                          is_within(phc.hash.view().size(), min_hash_size, max_field_size) &&
                          encode_phc(phc.work, phc.salt.view(), phc.hash.view()).view() == stored;
    return is_valid ? std::optional(std::move(phc)) : std::nullopt;
}

} // namespace

std::optional<crypto::Secret> hash_argon2id(const Argon2id& work, std::string_view password) {
    crypto::SecretBytes<new_salt_size> salt;
    crypto::random_bytes({salt.data(), salt.size()});
    const auto hash = derive_argon2id_key(work, salt.view(), new_hash_size, password);
    return hash ? std::optional(encode_phc(work, salt.view(), hash->view())) : std::nullopt;
}

Verdict verify_argon2id(std::string_view stored, std::string_view password) {
    const auto expected = parse_phc(stored);
    if (!expected)
        return Verdict::unsupported;
    const auto hash = derive_argon2id_key(expected->work, expected->salt.view(),
                                          expected->hash.view().size(), password);
    if (!hash)
        return Verdict::unsupported;
    return crypto::constant_time_equal(hash->view(), expected->hash.view()) ? Verdict::match
                                                                            : Verdict::mismatch;
}

std::optional<Argon2id> argon2id_format_of(std::string_view stored) {
    const auto phc = parse_phc(stored);
    return phc ? std::optional(phc->work) : std::nullopt;
}

} // namespace useradmin::password
