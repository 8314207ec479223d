// How long a session lasts: better-auth's defaults.
#pragma once

#include <chrono>

namespace useradmin::sign_in {

inline constexpr std::chrono::days session_lifetime(7);
/// Of a session that is not to be remembered.
inline constexpr std::chrono::days short_session_lifetime(1);
/// How old a session gets before it is extended.
inline constexpr std::chrono::days session_refresh_age(1);

} // namespace useradmin::sign_in
