#pragma once

#include <cstddef>
#include <string_view>

namespace useradmin::ctl {

/// Returns the Levenshtein distance in bytes.
std::size_t edit_distance(std::string_view from, std::string_view to);

} // namespace useradmin::ctl
