// Cleans strings from a client for storage in a session row.
#pragma once

#include <string>
#include <string_view>

namespace useradmin::sign_in {

/// Returns a client's string as a session row stores it: clean UTF-8 of at most 512 bytes.
std::string client_text(std::string_view text);

} // namespace useradmin::sign_in
