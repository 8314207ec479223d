#pragma once

#include "http/message.hpp"
#include "httpd/httpd.hpp"

#include <optional>

namespace useradmin::httpd {

/// Whether a response contains a secret, such as a token. If so, the response is wiped when the
/// request's pool is destroyed.
enum class Content { plain, secret };

/// Adds X-Content-Type-Options: nosniff to the response, even if an ErrorDocument replaces it.
void set_nosniff(request_rec* request) noexcept;

/// Returns std::nullopt for GET and HEAD, otherwise the handler's result: OPTIONS gets 204, and
/// other methods get 405. Both responses have an Allow header.
std::optional<int> reject_unless_get(request_rec* request) noexcept;

/// Appends the response to the brigade and sets the status and the headers. Replaces existing
/// headers of the same name, except Vary. The request's pool then owns the response.
void write_to_brigade(request_rec* request, http::Response&& response, apr_bucket_brigade* brigade,
                      Content content = Content::plain);

/// Sends the response to the output filters. Returns OK.
int send(request_rec* request, http::Response response, Content content = Content::plain);

} // namespace useradmin::httpd
