#pragma once

#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace useradmin::crypto {

using Digest = std::array<unsigned char, 32>;

/// Returns the digest of a list of strings. Hashes each string's length before its bytes, so
/// different lists are never hashed as the same input. Throws std::bad_alloc.
Digest digest(std::span<const std::string_view> texts);
inline Digest digest(std::initializer_list<std::string_view> texts) {
    return digest(std::span(texts.begin(), texts.size()));
}

/// Returns 64 lower-case hexadecimal digits.
std::string hex(const Digest& digest);

/// Returns the digest in hexadecimal, as sha256sum prints it. Throws std::bad_alloc.
std::string sha256_hex(std::string_view bytes);

/// Returns the digest in base64, as in a hash source of a Content-Security-Policy. Throws
/// std::bad_alloc.
std::string sha256_base64(std::string_view bytes);

/// Converts base64 to base64url and removes the padding.
std::string base64url_of(std::string base64);

/// Returns the bytes in base64. Throws std::bad_alloc.
std::string base64_of(std::string_view bytes);
/// Returns the digest in base64url without padding. Throws std::bad_alloc.
std::string sha256_base64url(std::string_view bytes);

} // namespace useradmin::crypto
