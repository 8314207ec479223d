// The parts of useradminctl check, and their results.
#pragma once

#include "ctl/check/database_facts.hpp"
#include "ctl/config/settings.hpp"
#include "ctl/file_access.hpp"

#include <apr_pools.h>

#include <optional>
#include <string>
#include <vector>

namespace useradmin::ctl {

struct Findings {
    /// Advice that is not a problem.
    std::vector<std::string> notes;
    /// What could not be checked, and why.
    std::vector<std::string> unchecked;
    /// Problems of the service or the application, each with a remedy.
    std::vector<std::string> problems;
    /// Suggested directives, derived from the application's tables and rows.
    std::vector<std::string> directives;
};

/// Evaluates the facts about the database's tables and rows.
Findings findings_of(const DatabaseFacts& found, const CommandSettings& settings,
                     const store::DatabaseProduct& product);

/// Tests the configuration file in the settings with httpd -t, and reports the warnings of this
/// project's modules. If httpd's default configuration includes the file, checks the default
/// configuration instead. Does nothing if the settings name no file. Returns the account of httpd's
/// children, or std::nullopt if it is unknown or httpd did not accept the configuration.
std::optional<Account> check_configuration(const CommandSettings& settings, apr_pool_t* pool,
                                           Findings& findings);

/// Reports a problem if httpd's account cannot read or cannot write the database file and its
/// directory. Does nothing if the database is not a file or the access cannot be determined.
void check_database_file(const std::string& file, const std::optional<Account>& child_account,
                         Findings& findings);

/// Implements check --url: sends a request without credentials to the service's base URL. Reports a
/// problem unless the response is 401 with the service's JSON. Throws CommandError if the URL is
/// invalid.
void check_running_server(const std::string& url, Findings& findings);

} // namespace useradmin::ctl
