// The paging headers Link (RFC 8288) and X-Total-Count.
#pragma once

#include "api/envelope.hpp"
#include "http/message.hpp"

namespace useradmin::api {

/// Adds both headers: links to the first, previous, next and last page, which repeat the request's
/// own address with another page. Omits links that are too long for a header.
void add_links(http::Reply& reply, const http::Request& request, const Pagination& pagination);

} // namespace useradmin::api
