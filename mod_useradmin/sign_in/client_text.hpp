// What a session row stores of the client.
#pragma once

#include <string>
#include <string_view>

namespace useradmin::sign_in {

/// Returns the part of a client's text that a session row stores: clean UTF-8 of bounded length.
std::string client_text(std::string_view text);

} // namespace useradmin::sign_in
