// Makes untrusted text safe to print on terminals and in logs.
#pragma once

#include <string>
#include <string_view>

namespace useradmin::text {

/// Escapes invalid UTF-8 and characters that move the cursor, change colours, or hide or reorder
/// text. Such characters are control characters, line ends and bidirectional overrides. The escapes
/// look like \x1b or \u202e.
std::string printable(std::string_view text);

/// Escapes the same characters in a JSON document, in JSON's own syntax, and replaces invalid UTF-8
/// with U+FFFD. If the document is valid, its value stays the same.
std::string printable_json(std::string_view document);

} // namespace useradmin::text
