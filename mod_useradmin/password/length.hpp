// The allowed lengths of a chosen password.
#pragma once

#include <cstddef>

namespace useradmin::password {

// better-auth's default limits, in UTF-16 code units, as JavaScript counts.
inline constexpr std::size_t min_length = 8;
inline constexpr std::size_t max_length = 128;

} // namespace useradmin::password
