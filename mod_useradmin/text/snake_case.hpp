#pragma once

#include <string>
#include <string_view>

namespace useradmin::text {

/// Converts camelCase to snake_case, for example "emailVerified" to "email_verified".
std::string snake_case(std::string_view camel_case);

} // namespace useradmin::text
