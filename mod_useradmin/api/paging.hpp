// The parameters of lists, and the Link (RFC 8288) and X-Total-Count response headers.
#pragma once

#include "api/envelope.hpp"
#include "http/message.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace useradmin::api {

/// Parses a positive integer. Returns default_value if it is absent, invalid or greater than max.
std::int64_t positive_number(const std::optional<std::string>& text, std::int64_t default_value,
                             std::int64_t max = std::numeric_limits<std::int32_t>::max());

/// Returns the order for a value of the sort parameter: createdAt, updatedAt, name, email or, if
/// allowed, lastSeen. Returns std::nullopt for any other value.
std::optional<store::Order> order_by(std::string_view name, bool allows_last_seen = false) noexcept;

struct Neighbors {
    bool has_next = false;
    /// The cursors of the previous and the next page. Without a cursor, the link has a page number.
    std::optional<std::string> previous;
    std::optional<std::string> next;
};

/// Adds Link and X-Total-Count. The links are the request's URL with another page or cursor. Omits
/// Link if it would be too long.
void add_links(http::Response& response, const http::Request& request, const Pagination& pagination,
               const Neighbors& neighbors);

} // namespace useradmin::api
