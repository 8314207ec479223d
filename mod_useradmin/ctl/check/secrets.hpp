// Whether AuthUserAdminSecret is the application's secret.
#pragma once

#include "ctl/check/configuration.hpp"
#include "ctl/check/database_facts.hpp"
#include "ctl/check/findings.hpp"
#include "ctl/context.hpp"

namespace useradmin::ctl {

/// Reads the configured secrets, and tries them on the second factors that the application
/// encrypted and on the signature of --cookie. The session table has no signatures.
void check_secrets(const CheckedConfiguration& configuration, Context& context,
                   const DatabaseFacts& found, Findings& findings);

} // namespace useradmin::ctl
