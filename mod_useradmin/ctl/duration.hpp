// Durations.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace useradmin::ctl {

/// Parses a duration: "30m", "12h", "7d", "2w". Returns nothing for other texts, zero, and more
/// than a hundred years.
std::optional<std::chrono::seconds> parse_duration(std::string_view text);

} // namespace useradmin::ctl
