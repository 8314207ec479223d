// The default protected address (specification 4.4.1, check 5).
#pragma once

namespace useradmin::api {

/// The environment variable that overrides it.
inline constexpr const char* protected_email_variable = "ADMIN_EMAIL";
/// The address if the variable is unset or empty.
inline constexpr const char* default_protected_email = "admin@example.com";

} // namespace useradmin::api
