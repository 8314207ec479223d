// Whether httpd would serve what a configuration says.
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

/// The lines of a configuration that apply.
struct CheckedConfiguration {
    std::vector<ConfigLine> lines;
    /// The base of relative paths.
    std::string server_root;
    /// Whether httpd accepted it.
    bool is_accepted = false;
    /// Whether only the account that starts httpd can test it.
    bool needs_other_account = false;
    /// The account of httpd's children, if httpd accepted it.
    std::optional<Account> children;
};

/// Tests the configuration file of the settings with httpd, and checks its modules and Locations.
/// If the file is only a part, checks httpd's own configuration that includes it. Without a file,
/// checks nothing.
CheckedConfiguration check_configuration(const CommandSettings& settings, apr_pool_t* pool,
                                         Findings& findings);

} // namespace useradmin::ctl
