// Where a request began.
#pragma once

#include "httpd/httpd.hpp"

namespace useradmin::httpd {

/// The request of the client that a subrequest or an internal redirect comes from, or the request
/// itself.
inline request_rec* first_request(request_rec* request) noexcept {
    while (request->prev != nullptr || request->main != nullptr)
        request = request->prev != nullptr ? request->prev : request->main;
    return request;
}

} // namespace useradmin::httpd
