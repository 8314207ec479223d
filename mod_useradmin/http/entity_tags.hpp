#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace useradmin::http {

/// The suffixes that mod_deflate and mod_brotli add to the tag of a compressed reply.
inline constexpr std::string_view compression_suffixes[] = {"-gzip", "-br"};

/// The value of If-Match (RFC 9110, section 13.1.1).
struct EntityTagList {
    /// Whether the value is "*", which matches any current representation.
    bool is_any = false;
    /// The strong tags without quotes, as views of the parsed string. Weak tags never match.
    std::vector<std::string_view> strong = {};
};

/// Parses a list of entity tags (RFC 9110, section 8.8.3). Returns no tags if the list is
/// malformed.
EntityTagList parse_entity_tags(std::string_view list);

/// Returns a strong tag: the text in quotes. The text must not contain blanks or quotes.
std::string make_strong_tag(std::string_view text);

} // namespace useradmin::http
