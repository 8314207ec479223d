#pragma once

#include "ctl/check/findings.hpp"
#include "ctl/config/httpd_configuration.hpp"
#include "ctl/config/settings.hpp"
#include "ctl/file_access.hpp"

#include <apr_pools.h>

#include <optional>
#include <string>
#include <vector>

namespace useradmin::ctl {

/// The result of check_configuration().
struct CheckedConfiguration {
    /// If httpd accepted the configuration, the lines whose conditions are true. Otherwise all
    /// lines.
    std::vector<ConfigLine> lines;
    /// ServerRoot, the base of relative paths.
    std::string server_root;
    /// Whether httpd -t ran and accepted the configuration.
    bool is_accepted = false;
    /// Whether only the account that starts httpd can test the configuration.
    bool needs_other_account = false;
    /// The account of httpd's children. Empty if unknown or if the configuration was not accepted.
    std::optional<Account> children;
};

/// Tests the configuration file in the settings with httpd -t, and checks its modules and
/// Locations. If httpd's default configuration includes the file, checks the default configuration
/// instead. Does nothing if the settings name no file.
CheckedConfiguration check_configuration(const CommandSettings& settings, apr_pool_t* pool,
                                         Findings& findings);

} // namespace useradmin::ctl
