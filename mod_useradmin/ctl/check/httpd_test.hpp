// httpd's own test of a configuration: httpd -t.
#pragma once

#include "ctl/file_access.hpp"

#include <apr_pools.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::ctl {

/// The result of a test.
struct HttpdTest {
    /// Why httpd could not be run; otherwise empty.
    std::string failure;
    /// Whether only the account that starts httpd can test the configuration.
    bool needs_other_account = false;
    /// Why it rejects the configuration; otherwise empty.
    std::string error;
    /// The modules' warnings, without time and process.
    std::vector<std::string> warnings;
    /// The loaded modules: "useradmin_module".
    std::vector<std::string> modules;
    /// The defined variables: "WORK".
    std::vector<std::string> defines;
    /// The account of its children: User and Group.
    std::optional<Account> children;
};

/// Returns whether an error is due to a file that the account that starts httpd may read.
bool lacks_right(std::string_view error) noexcept;

/// Runs httpd -t on the file, with the program and the environment that apachectl would use.
HttpdTest test_with_httpd(const std::string& file, apr_pool_t* pool);

} // namespace useradmin::ctl
