// Texts of others, fit for a terminal and for a log that is read on one.
#pragma once

#include <string>
#include <string_view>

namespace useradmin::text {

/// Returns the text with what is not UTF-8 and what would move the cursor, colour, hide or reorder
/// (control characters, line ends, bidirectional overrides) as \x1b, \u202e and the like.
std::string printable(std::string_view text);

/// Returns a JSON document with such characters as JSON escapes them: it has the same value.
std::string printable_json(std::string_view document);

} // namespace useradmin::text
