// The protected administrator address (specification 4.4.1, check 5).
#pragma once

namespace useradmin::api {

inline constexpr const char* protected_email_variable = "ADMIN_EMAIL";
/// Used if the variable is unset or empty.
inline constexpr const char* default_protected_email = "admin@example.com";

} // namespace useradmin::api
