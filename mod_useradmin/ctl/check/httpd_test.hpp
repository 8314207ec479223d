#pragma once

#include "ctl/file_access.hpp"

#include <apr_pools.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::ctl {

/// The result of httpd -t.
struct HttpdTest {
    /// Why the test did not run. Empty if it ran.
    std::string failure;
    /// Whether only the account that starts httpd can test the configuration.
    bool needs_other_account = false;
    /// Why httpd rejects the configuration. Empty if httpd accepts it.
    std::string error;
    /// The warnings of this project's modules, without the log line's prefix.
    std::vector<std::string> warnings;
    /// The names of the loaded modules, such as "useradmin_module".
    std::vector<std::string> modules;
    /// httpd's account: User and Group. Empty if unknown.
    std::optional<Account> child_account;
};

/// Runs httpd -t on the file, with the program and the environment that apachectl would use.
HttpdTest test_with_httpd(const std::string& file, apr_pool_t* pool);

} // namespace useradmin::ctl
