#pragma once

#include <cstddef>

namespace useradmin::password {

// better-auth's default limits for a new password, in UTF-16 code units as JavaScript counts them.
inline constexpr std::size_t min_length = 8;
inline constexpr std::size_t max_length = 128;

} // namespace useradmin::password
