// Texts of requests and replies.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace useradmin::test {

/// The text between the first and the next occurrence of the second; nothing where one of
/// them is missing.
std::optional<std::string> between(std::string_view text, std::string_view before,
                                   std::string_view after);

/// The text with every byte of it percent-encoded.
std::string percent_encoded(std::string_view text);

/// A signed token as encodeURIComponent has it.
std::string component_encoded(std::string_view text);

} // namespace useradmin::test
