// check --url: whether the running server replies as it should.
#pragma once

#include "ctl/check/findings.hpp"

#include <apr_pools.h>

#include <string_view>

namespace useradmin::ctl {

/// Sends a request without credentials to the base address of the service. Its reply must be 401
/// with the service's JSON; any other is a problem. Throws CommandError if the address is not
/// valid.
void check_running_server(std::string_view url, apr_pool_t* pool, Findings& findings);

} // namespace useradmin::ctl
