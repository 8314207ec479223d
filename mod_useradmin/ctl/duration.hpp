// Lengths of time, as people write them.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace useradmin::ctl {

/// A length of time: "30m", "12h", "7d", "2w". Nothing for any other text, for none, and for more
/// than a hundred years.
std::optional<std::chrono::seconds> parse_duration(std::string_view text);

} // namespace useradmin::ctl
