// Which address nobody deletes where the configuration names none (specification 4.4.1, check 5).
#pragma once

namespace useradmin::api {

/// The variable of the environment that may hold it.
inline constexpr const char* protected_email_variable = "ADMIN_EMAIL";
/// The address where the variable is absent or empty too.
inline constexpr const char* default_protected_email = "admin@example.com";

} // namespace useradmin::api
