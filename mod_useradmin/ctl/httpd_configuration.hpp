// Reads mod_dbd's directives from an httpd configuration file.
#pragma once

#include <string>
#include <string_view>

namespace useradmin::ctl {

/// The value of the first such directive in the file, unquoted. Neither Include nor ${VARIABLE} is
/// followed. A CommandError where the file or the directive is missing.
std::string directive_in(std::string_view file, std::string_view name);

} // namespace useradmin::ctl
