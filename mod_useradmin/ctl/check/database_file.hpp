#pragma once

#include "ctl/check/findings.hpp"
#include "ctl/file_access.hpp"

#include <optional>
#include <string>

namespace useradmin::ctl {

/// Reports a problem if the account of httpd's children may not read and write the database file
/// and its directory. Does nothing if the database is not a file or the access cannot be
/// determined.
void check_database_file(const std::string& file, const std::optional<Account>& children,
                         Findings& findings);

} // namespace useradmin::ctl
