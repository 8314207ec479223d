// The e-mail addresses that better-auth accepts.
#pragma once

#include <string_view>

namespace useradmin::sign_in {

/// Returns whether better-auth accepts the string as an address (zod's regular expression).
bool is_email(std::string_view text) noexcept;

} // namespace useradmin::sign_in
