// Hexadecimal digits.
#pragma once

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

/// Appends the two digits of a byte.
inline void append_hex(std::string& out, unsigned char byte,
                       std::string_view digits = lower_hex_digits) {
    out += digits[byte >> 4];
    out += digits[byte & 0xf];
}

/// Returns the bytes as lower-case digits.
inline std::string hex(std::string_view bytes) {
    std::string text;
    text.reserve(2 * bytes.size()); // avoids copies of a secret left by reallocation
    for (const char byte : bytes)
        append_hex(text, static_cast<unsigned char>(byte));
    return text;
}

/// Returns 16 bytes in the text form of a UUID (RFC 9562).
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
