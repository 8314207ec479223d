// Where the other pages of a list are: the headers Link (RFC 8288) and X-Total-Count.
#pragma once

#include "api/envelope.hpp"
#include "http/message.hpp"

namespace useradmin::api {

/// Adds both to the reply to a request for a page: links to the first page, the one before, the
/// next and the last, which are the request's own address with another page. They are left out
/// where they would be too long for a header.
void add_links(http::Reply& reply, const http::Request& request, const Pagination& pagination);

} // namespace useradmin::api
