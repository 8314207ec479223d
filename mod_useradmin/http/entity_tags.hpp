// The entity tags of conditional requests (RFC 9110, section 8.8.3).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace useradmin::http {

/// What mod_deflate and mod_brotli put behind the tag of a reply that they compress.
inline constexpr std::string_view compression_suffixes[] = {"-gzip", "-br"};

/// What If-Match asks for (RFC 9110, section 13.1.1).
struct EntityTagList {
    /// "*": whatever there is.
    bool is_any = false;
    /// The strong tags without their quotes; weak ones never match. They live as long as the text
    /// that was read.
    std::vector<std::string_view> strong = {};
};

/// Reads a list of entity tags. In a malformed one there is none.
EntityTagList parse_entity_tags(std::string_view list);

/// The strong tag of a text, which has neither blanks nor quotes.
std::string make_strong_tag(std::string_view text);

} // namespace useradmin::http
