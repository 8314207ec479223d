#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace useradmin::text {

inline constexpr std::string_view lower_hex_digits = "0123456789abcdef";
inline constexpr std::string_view upper_hex_digits = "0123456789ABCDEF";

/// Returns the value of a hexadecimal digit of either case, or -1.
constexpr int hex_value(char digit) noexcept {
    for (const std::string_view digits : {lower_hex_digits, upper_hex_digits})
        if (const auto value = digits.find(digit); value != digits.npos)
            return static_cast<int>(value);
    return -1;
}

/// Returns whether the string consists of exactly `size` lower-case hexadecimal digits.
constexpr bool is_lower_hex(std::string_view text, std::size_t size) noexcept {
    return text.size() == size && text.find_first_not_of(lower_hex_digits) == text.npos;
}

/// Appends the two hexadecimal digits of a byte.
inline void append_hex(std::string& out, unsigned char byte,
                       std::string_view digits = lower_hex_digits) {
    out += digits[byte >> 4];
    out += digits[byte & 0xf];
}

/// Returns the bytes as lower-case hexadecimal digits.
inline std::string hex(std::string_view bytes) {
    std::string text;
    text.reserve(2 * bytes.size()); // avoids copies of a secret left by reallocation
    for (const char byte : bytes)
        append_hex(text, static_cast<unsigned char>(byte));
    return text;
}

/// Decodes an even number of digits in either case. Returns std::nullopt for any other string.
inline std::optional<std::string> from_hex(std::string_view digits) {
    if (digits.size() % 2 != 0)
        return std::nullopt;
    std::string bytes;
    for (std::size_t at = 0; at < digits.size(); at += 2) {
        const int high = hex_value(digits[at]);
        const int low = hex_value(digits[at + 1]);
        if (high < 0 || low < 0)
            return std::nullopt;
        bytes += static_cast<char>(high * 16 + low);
    }
    return bytes;
}

/// Formats 16 bytes as a UUID (RFC 9562).
inline std::string uuid(std::string_view bytes) {
    std::string text;
    text.reserve(36);
    for (const char byte : bytes) {
        if (text.size() == 8 || text.size() == 13 || text.size() == 18 || text.size() == 23)
            text += '-';
        append_hex(text, static_cast<unsigned char>(byte));
    }
    return text;
}

} // namespace useradmin::text
