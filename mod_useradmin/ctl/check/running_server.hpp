#pragma once

#include "ctl/check/findings.hpp"

#include <apr_pools.h>

#include <string_view>

namespace useradmin::ctl {

/// check --url: sends a request without credentials to the service's base URL. Reports a problem
/// unless the reply is 401 with the service's JSON. Throws CommandError if the URL is invalid.
void check_running_server(std::string_view url, apr_pool_t* pool, Findings& findings);

} // namespace useradmin::ctl
