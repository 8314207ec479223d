#pragma once

#include "text/timestamp.hpp"

#include <chrono>
#include <optional>
#include <string_view>

namespace useradmin::ctl {

/// Parses a duration such as "30m", "12h", "7d" or "2w". Returns std::nullopt for any other
/// string, for zero, and for more than a hundred years.
std::optional<std::chrono::seconds> parse_duration(std::string_view text);

/// Returns the time of --expires: a date, or a duration from now. Throws CommandError if it is
/// neither, or if it is in the past.
text::Timestamp parse_expiry(std::string_view text, text::Timestamp now);

} // namespace useradmin::ctl
