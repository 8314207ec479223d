// The SHA-256 of texts.
#pragma once

#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace useradmin::crypto {

using Digest = std::array<unsigned char, 32>;

/// Of the texts one after another, each with its length: no two lists of texts are the same bytes.
/// Throws std::bad_alloc where there is no memory.
Digest digest(std::span<const std::string_view> texts);
inline Digest digest(std::initializer_list<std::string_view> texts) {
    return digest(std::span(texts.begin(), texts.size()));
}

/// As 64 digits in lower case.
std::string hex(const Digest& digest);

/// Of the bytes alone, as sha256sum prints it: 64 digits in lower case. Throws like the other.
std::string sha256_hex(std::string_view bytes);

/// The same as base64: what a Content-Security-Policy calls a hash. Throws like the others.
std::string sha256_base64(std::string_view bytes);

} // namespace useradmin::crypto
