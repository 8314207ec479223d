#pragma once

#include "httpd/httpd.hpp"

#include <optional>

namespace useradmin::httpd {

/// Returns std::nullopt for GET and HEAD, otherwise the handler's result: OPTIONS gets 204, and
/// other methods get 405. Both replies have an Allow header.
std::optional<int> reject_unless_get(request_rec* request) noexcept;

} // namespace useradmin::httpd
