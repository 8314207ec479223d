#include "crypto/random.hpp"

#include "crypto/secret.hpp"
#include "text/hex.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string_view>

namespace useradmin::crypto {

namespace {

constexpr std::string_view letters_and_digits =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
constexpr std::string_view letters = letters_and_digits.substr(0, 52);

/// Returns uniformly distributed characters of the alphabet.
std::string random_text(std::string_view alphabet, std::size_t length) {
    // Skip bytes greater than or equal to this value, because they would favor the first characters
    // of the alphabet.
    const std::size_t biased = 256 / alphabet.size() * alphabet.size();

    std::string text;
    text.reserve(length);
    std::array<unsigned char, 48> bytes;
    while (text.size() < length) {
        random_bytes(bytes);
        for (const auto byte : bytes)
            if (byte < biased && text.size() < length)
                text += alphabet[byte % alphabet.size()];
    }
    wipe(bytes.data(), bytes.size());
    return text;
}

} // namespace

void random_bytes(std::span<unsigned char> out) noexcept {
    if (getentropy(out.data(), out.size()) != 0)
        std::abort();
}

std::string random_uuid() {
    std::array<unsigned char, 16> bytes;
    random_bytes(bytes);
    bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0f) | 0x40); // version 4
    bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3f) | 0x80); // the variant of RFC 9562
    return text::uuid({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::string random_token(std::size_t length) {
    return random_text(letters_and_digits, length);
}

std::string random_api_key() {
    return random_text(letters, 64);
}

} // namespace useradmin::crypto
