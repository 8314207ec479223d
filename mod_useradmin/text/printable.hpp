// Makes untrusted text safe for terminals and logs.
#pragma once

#include <string>
#include <string_view>

namespace useradmin::text {

/// Escapes invalid UTF-8 and characters that move the cursor, change colours, or hide or reorder
/// text (control characters, line ends, bidirectional overrides) as \x1b, \u202e and the like.
std::string printable(std::string_view text);

/// Replaces the same characters in a JSON document with JSON escapes. Its value stays the same.
std::string printable_json(std::string_view document);

} // namespace useradmin::text
