// The two styles that the columns of a table are named in.
#pragma once

#include <string>
#include <string_view>

namespace useradmin::text {

/// A camelCase name in snake_case: "emailVerified" is "email_verified".
std::string snake_case(std::string_view camel_case);

} // namespace useradmin::text
