// Makes untrusted text safe to print on terminals and in logs.
#pragma once

#include <string>
#include <string_view>

namespace useradmin::text {

/// Escapes invalid UTF-8, control characters, line and paragraph separators, format characters such
/// as bidirectional overrides, and private-use and unassigned code points. Such characters could
/// move the cursor, change colors, or hide or reorder text. Keeps zero-width joiners and
/// non-joiners, because emoji and some scripts need them. The escapes look like \x1b or \u202e.
std::string printable(std::string_view text);

/// Escapes the same characters in a JSON document, in JSON's own syntax, and replaces invalid UTF-8
/// with U+FFFD. The value of a valid document stays the same if there are no line breaks or tabs
/// between its tokens.
std::string printable_json(std::string_view document);

} // namespace useradmin::text
