#pragma once

#include <algorithm>
#include <string_view>

namespace useradmin::text {

/// Removes the text up to and including the first separator, or all of it if there is none. Returns
/// the removed text without the separator.
constexpr std::string_view take_until(std::string_view& text, char separator) noexcept {
    const std::string_view before = text.substr(0, text.find(separator));
    text.remove_prefix(std::min(before.size() + 1, text.size()));
    return before;
}

/// Returns the text without the leading and trailing characters in `blanks`.
constexpr std::string_view trim(std::string_view text, std::string_view blanks = " \t") noexcept {
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    return text.substr(0, text.find_last_not_of(blanks) + 1);
}

} // namespace useradmin::text
