#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::test {

/// Returns the text between `before` and the next `after`, or std::nullopt if one of them is
/// missing.
std::optional<std::string> between(std::string_view text, std::string_view before,
                                   std::string_view after);

/// Returns the lines of the text without their newlines.
std::vector<std::string> lines_of(const std::string& text);

/// Returns the words of the text, which are separated by spaces or newlines.
std::vector<std::string> words_of(const std::string& text);

/// Returns the text with every occurrence of `what` replaced.
std::string replace_all(std::string text, std::string_view what, std::string_view with);

/// Returns the string with every byte percent-encoded.
std::string percent_encoded(std::string_view text);

/// Encodes a signed token like encodeURIComponent in JavaScript.
std::string component_encoded(std::string_view text);

/// Encodes bytes in base64 with padding.
std::string to_base64(std::string_view bytes);

/// Decodes base64 with or without padding.
std::string from_base64(std::string text);

} // namespace useradmin::test
