// Addresses as better-auth accepts them.
#pragma once

#include <string_view>

namespace useradmin::sign_in {

/// Returns whether better-auth accepts the text as an address (zod's regular expression).
bool is_email(std::string_view text) noexcept;

} // namespace useradmin::sign_in
