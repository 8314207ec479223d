#include "crypto/totp.hpp"

#include "crypto/secret.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <new>

namespace useradmin::crypto {

namespace {

constexpr std::size_t digits = 6;

/// Returns the code for a time step (RFC 4226, section 5.3).
Secret code_of(std::string_view key, std::uint64_t step) {
    std::array<unsigned char, 8> message;
    for (std::size_t index = message.size(); index-- > 0; step >>= 8)
        message[index] = static_cast<unsigned char>(step & 0xff);
    SecretBytes<20> digest;
    if (key.size() > INT_MAX ||
        HMAC(EVP_sha1(), key.data(), static_cast<int>(key.size()), message.data(), message.size(),
             digest.data(), nullptr) == nullptr)
        throw std::bad_alloc();
    const unsigned char* const chosen = digest.data() + (digest.data()[19] & 0x0f);
    const std::uint32_t number = (std::uint32_t{chosen[0]} & 0x7f) << 24 |
                                 std::uint32_t{chosen[1]} << 16 | std::uint32_t{chosen[2]} << 8 |
                                 std::uint32_t{chosen[3]};
    std::string code(digits + 1, '\0');
    std::snprintf(code.data(), code.size(), "%06u", number % 1000000);
    code.resize(digits);
    return Secret(std::move(code));
}

/// Decodes base32 (RFC 4648) in either case, with or without padding. Returns an empty secret if
/// the text is invalid.
Secret decode_base32(std::string_view text) {
    constexpr std::string_view upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    constexpr std::string_view lower = "abcdefghijklmnopqrstuvwxyz234567";
    std::string bytes;
    bytes.reserve(text.size()); // avoids copies left by reallocation
    std::uint32_t bits = 0;
    unsigned count = 0;
    for (const char character : text.substr(0, text.find('='))) {
        const std::size_t value = std::min(upper.find(character), lower.find(character));
        if (value == upper.npos)
            return {};
        bits = bits << 5 | static_cast<std::uint32_t>(value);
        count += 5;
        if (count >= 8) {
            count -= 8;
            bytes += static_cast<char>(bits >> count & 0xff);
        }
    }
    return Secret(std::move(bytes));
}

} // namespace

std::optional<std::uint64_t> verify_totp(std::string_view code, std::string_view secret,
                                         text::Timestamp now) {
    constexpr std::string_view base32 = "base32:";
    Secret decoded;
    if (secret.starts_with(base32))
        decoded = decode_base32(secret.substr(base32.size()));
    const std::string_view key = secret.starts_with(base32) ? decoded.view() : secret;
    if (key.empty())
        return std::nullopt;
    constexpr std::chrono::seconds step_length(30);
    const auto step = static_cast<std::uint64_t>(now.time_since_epoch() / step_length);
    std::optional<std::uint64_t> found;
    for (const std::uint64_t each : {step - 1, step, step + 1})
        if (constant_time_equal(code, code_of(key, each).view()))
            found = each;
    return found;
}

} // namespace useradmin::crypto
