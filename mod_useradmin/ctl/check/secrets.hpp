#pragma once

#include "ctl/check/configuration.hpp"
#include "ctl/check/database_facts.hpp"
#include "ctl/check/findings.hpp"
#include "ctl/context.hpp"

namespace useradmin::ctl {

/// Checks whether the configured secrets decrypt the application's second factors and verify the
/// signature of the cookie in --cookie. Signatures are only in cookies, not in the session
/// table.
void check_secrets(const CheckedConfiguration& configuration, Context& context,
                   const DatabaseFacts& found, Findings& findings);

} // namespace useradmin::ctl
