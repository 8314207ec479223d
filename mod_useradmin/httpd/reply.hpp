// Sends replies.
#pragma once

#include "api/service.hpp"
#include "httpd/httpd.hpp"

namespace useradmin::httpd {

/// Puts the reply into the brigade and sets its headers. The reply then lives in the request's
/// pool.
void fill(request_rec* request, api::Reply&& made, apr_bucket_brigade* brigade);

/// Sends the reply and ends the response; OK for the handler to return.
int send(request_rec* request, api::Reply reply);

} // namespace useradmin::httpd
