// The methods of read-only resources.
#pragma once

#include "httpd/httpd.hpp"

#include <optional>

namespace useradmin::httpd {

/// Returns nothing for GET and HEAD; otherwise the handler's result. OPTIONS gets 204, and other
/// methods get 405. Both replies set Allow.
std::optional<int> reject_unless_get(request_rec* request) noexcept;

} // namespace useradmin::httpd
