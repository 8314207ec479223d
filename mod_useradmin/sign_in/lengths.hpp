// How long a session lasts: better-auth's defaults.
#pragma once

#include <chrono>

namespace useradmin::sign_in {

inline constexpr std::chrono::days session_length(7);
/// Of a session that is not to be remembered.
inline constexpr std::chrono::days short_session_length(1);
/// How old a session gets before it is extended.
inline constexpr std::chrono::days extension_age(1);

} // namespace useradmin::sign_in
