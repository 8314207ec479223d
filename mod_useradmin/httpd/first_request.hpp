#pragma once

#include "httpd/httpd.hpp"

namespace useradmin::httpd {

/// Returns the client's original request, following subrequests and internal redirects back to it.
inline request_rec* first_request(request_rec* request) noexcept {
    while (request->prev != nullptr || request->main != nullptr)
        request = request->prev != nullptr ? request->prev : request->main;
    return request;
}

} // namespace useradmin::httpd
