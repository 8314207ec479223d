// String functions for requests and replies.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace useradmin::test {

/// Returns the part of the text between `before` and the next `after`; nothing if one of them is
/// missing.
std::optional<std::string> between(std::string_view text, std::string_view before,
                                   std::string_view after);

/// Returns the string with every byte percent-encoded.
std::string percent_encoded(std::string_view text);

/// Returns a signed token as encoded by encodeURIComponent.
std::string component_encoded(std::string_view text);

} // namespace useradmin::test
