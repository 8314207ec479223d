// The allowed lengths of a chosen password.
#pragma once

#include <cstddef>

namespace useradmin::password {

// What better-auth takes unless it is told otherwise, in the units that JavaScript counts: those of
// UTF-16.
inline constexpr std::size_t min_length = 8;
inline constexpr std::size_t max_length = 128;

} // namespace useradmin::password
