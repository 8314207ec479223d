#pragma once

#include <string_view>

namespace useradmin::admin {

/// Returns whether better-auth accepts the address. Equivalent to zod's regular expression.
bool is_email(std::string_view text) noexcept;

} // namespace useradmin::admin
