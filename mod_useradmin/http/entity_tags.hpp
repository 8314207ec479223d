// Entity tags (RFC 9110, section 8.8.3).
#pragma once

#include <string>
#include <string_view>

namespace useradmin::http {

/// The suffixes that mod_deflate and mod_brotli add to the tag of a compressed response.
inline constexpr std::string_view compression_suffixes[] = {"-gzip", "-br"};

/// Returns a strong tag: the text in quotes. The text must not contain spaces or quotes.
inline std::string make_strong_tag(std::string_view text) {
    return (std::string("\"") += text) += '"';
}

} // namespace useradmin::http
