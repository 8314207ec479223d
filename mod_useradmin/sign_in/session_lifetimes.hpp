// Lifetimes of sessions. These are better-auth's defaults.
#pragma once

#include <chrono>

namespace useradmin::sign_in {

inline constexpr std::chrono::days session_lifetime(7);
/// The lifetime of a session that ends when the browser closes.
inline constexpr std::chrono::days short_session_lifetime(1);
/// The age at which a session is extended.
inline constexpr std::chrono::days session_refresh_age(1);

} // namespace useradmin::sign_in
