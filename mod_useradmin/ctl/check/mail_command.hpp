// Checks UserAdminMailCommand.
#pragma once

#include "ctl/check/configuration.hpp"
#include "ctl/check/findings.hpp"

namespace useradmin::ctl {

/// Checks that httpd's children may run the commands that send links by mail.
void check_mail_commands(const CheckedConfiguration& configuration, Findings& findings);

} // namespace useradmin::ctl
