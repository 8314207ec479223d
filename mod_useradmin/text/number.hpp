#pragma once

#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

namespace useradmin::text {

/// JavaScript's Number.MAX_SAFE_INTEGER.
inline constexpr std::int64_t max_safe_integer = 9007199254740991;

/// Parses text that consists of a decimal integer. Returns std::nullopt for any other text, and for
/// a number that is out of bounds.
template <class Integer>
std::optional<Integer> parse_integer(std::string_view text,
                                     Integer min = std::numeric_limits<Integer>::min(),
                                     Integer max = std::numeric_limits<Integer>::max()) noexcept {
    Integer number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || stop != end || number < min || number > max)
        return std::nullopt;
    return number;
}

} // namespace useradmin::text
