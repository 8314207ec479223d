// Sends replies.
#pragma once

#include "http/message.hpp"
#include "httpd/httpd.hpp"

namespace useradmin::httpd {

/// What a reply holds: where that is a token, its memory is wiped when it goes.
enum class Content { plain, secret };

/// Adds X-Content-Type-Options: nosniff to the response, whether it succeeds or fails, and to the
/// ErrorDocument that takes its place.
void forbid_sniffing(request_rec* request) noexcept;

/// Puts the reply into the brigade and sets its headers, in place of others of the same names. The
/// reply then lives in the request's pool.
void write_to_brigade(request_rec* request, http::Reply&& made, apr_bucket_brigade* brigade,
                      Content content = Content::plain);

/// Sends the reply and ends the response; OK for the handler to return.
int send(request_rec* request, http::Reply reply, Content content = Content::plain);

} // namespace useradmin::httpd
