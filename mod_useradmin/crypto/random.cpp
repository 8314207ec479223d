#include "crypto/random.hpp"

#include "crypto/secret.hpp"
#include "text/hex.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string_view>

namespace useradmin::crypto {

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

std::string random_token() {
    constexpr std::string_view alphabet =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    constexpr std::size_t length = 32;
    // Bytes from this value up would favour the first characters of the alphabet.
    constexpr std::size_t biased = 256 / alphabet.size() * alphabet.size();

    std::string token;
    token.reserve(length);
    std::array<unsigned char, 48> bytes;
    while (token.size() < length) {
        random_bytes(bytes);
        for (const auto byte : bytes)
            if (byte < biased && token.size() < length)
                token += alphabet[byte % alphabet.size()];
    }
    wipe(bytes.data(), bytes.size());
    return token;
}

} // namespace useradmin::crypto
