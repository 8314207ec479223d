#pragma once

#include "ctl/check/configuration.hpp"
#include "ctl/check/findings.hpp"

namespace useradmin::ctl {

/// Reports a problem if httpd's children may not run the program of UserAdminMailCommand. Does
/// nothing if that cannot be determined.
void check_mail_commands(const CheckedConfiguration& configuration, Findings& findings);

} // namespace useradmin::ctl
