// The methods of read-only resources.
#pragma once

#include "httpd/httpd.hpp"

#include <optional>

namespace useradmin::httpd {

/// Returns nothing for GET and HEAD; otherwise the handler's result. OPTIONS is left to httpd's
/// default handler. Other methods get 405. Both replies set Allow.
std::optional<int> reject_unless_get(request_rec* request) noexcept;

} // namespace useradmin::httpd
