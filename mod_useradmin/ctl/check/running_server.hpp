#pragma once

#include "ctl/check/findings.hpp"

#include <string>

namespace useradmin::ctl {

/// check --url: sends a request without credentials to the service's base URL. Reports a problem
/// unless the reply is 401 with the service's JSON and, with HTTPS, the certificate is valid.
/// Throws CommandError if the URL is invalid.
void check_running_server(const std::string& url, Findings& findings);

} // namespace useradmin::ctl
