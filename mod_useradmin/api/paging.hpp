// The paging headers Link (RFC 8288) and X-Total-Count.
#pragma once

#include "api/envelope.hpp"
#include "http/message.hpp"

#include <optional>
#include <string>

namespace useradmin::api {

/// The pages next to a page.
struct Neighbours {
    bool has_next = false;
    /// Their cursors; nothing: they have none and are found by their numbers.
    std::optional<std::string> previous;
    std::optional<std::string> next;
};

/// Adds both headers: links to the first, previous, next and last page, which repeat the request's
/// own address with another page or cursor. Omits links that are too long for a header.
void add_links(http::Reply& reply, const http::Request& request, const Pagination& pagination,
               const Neighbours& neighbours);

} // namespace useradmin::api
