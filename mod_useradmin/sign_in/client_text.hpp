#pragma once

#include <string>
#include <string_view>

namespace useradmin::sign_in {

/// Sanitizes a client's string for a session row: removes invalid UTF-8 and U+0000, and truncates
/// to 512 bytes.
std::string client_text(std::string_view text);

} // namespace useradmin::sign_in
