#pragma once

#include "httpd/httpd.hpp"

namespace useradmin::httpd {

/// Returns the request that caused this internal redirect or subrequest, or nullptr.
inline request_rec* parent_of(const request_rec* request) noexcept {
    return request->prev != nullptr ? request->prev : request->main;
}

/// Returns whether httpd redirected a failed request to this one, its ErrorDocument.
inline bool is_error_document(const request_rec* request) noexcept {
    return request->prev != nullptr && ap_is_HTTP_ERROR(request->prev->status);
}

/// Returns the client's original request, following subrequests and internal redirects back to it.
inline request_rec* first_request(request_rec* request) noexcept {
    while (request_rec* const parent = parent_of(request))
        request = parent;
    return request;
}

} // namespace useradmin::httpd
