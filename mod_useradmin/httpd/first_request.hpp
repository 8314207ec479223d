// The first request of a chain of subrequests and internal redirects.
#pragma once

#include "httpd/httpd.hpp"

namespace useradmin::httpd {

/// Returns the original client request of a subrequest or internal redirect, or the request itself.
inline request_rec* first_request(request_rec* request) noexcept {
    while (request->prev != nullptr || request->main != nullptr)
        request = request->prev != nullptr ? request->prev : request->main;
    return request;
}

} // namespace useradmin::httpd
