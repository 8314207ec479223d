// Entity tags of conditional requests (RFC 9110, section 8.8.3).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace useradmin::http {

/// The suffixes that mod_deflate and mod_brotli add to the tag of a compressed reply.
inline constexpr std::string_view compression_suffixes[] = {"-gzip", "-br"};

/// The value of If-Match (RFC 9110, section 13.1.1).
struct EntityTagList {
    /// The value is "*" and matches any current representation.
    bool is_any = false;
    /// The strong tags without their quotes, as views of the parsed string. Weak tags never match.
    std::vector<std::string_view> strong = {};
};

/// Parses a list of entity tags. A malformed list yields no tags.
EntityTagList parse_entity_tags(std::string_view list);

/// Returns the text in quotes, as a strong tag. The text must not contain blanks or quotes.
std::string make_strong_tag(std::string_view text);

} // namespace useradmin::http
