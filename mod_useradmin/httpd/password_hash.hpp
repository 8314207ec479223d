// UserAdminPasswordHash: the directive that both modules take.
#pragma once

#include "httpd/httpd.hpp"
#include "password/hash.hpp"

#include <optional>

namespace useradmin::httpd {

/// Reads the words of the directive; the sentence that refuses them, or nullptr.
const char* set_password_hash(const cmd_parms* command, std::optional<password::Format>& format,
                              int count, char* const words[]);

} // namespace useradmin::httpd
