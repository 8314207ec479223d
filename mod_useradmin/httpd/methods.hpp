// The methods of addresses that are there to be read.
#pragma once

#include "httpd/httpd.hpp"

#include <optional>

namespace useradmin::httpd {

/// The handler's result for a request that does not read: OPTIONS is left to httpd's own handler,
/// and any other is a 405. Both replies say in Allow what there is. Nothing for GET and HEAD.
std::optional<int> reject_unless_get(request_rec* request) noexcept;

} // namespace useradmin::httpd
