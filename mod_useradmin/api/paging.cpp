#include "api/paging.hpp"

#include "text/number.hpp"
#include "text/url.hpp"

#include <algorithm>
#include <string>

namespace useradmin::api {

namespace {

// Proxies accept at least 4 KiB of headers.
constexpr std::size_t max_links_length = 3000;

/// Characters to keep in a query (RFC 3986). Includes "%" because the query is already encoded.
constexpr std::string_view query_characters = "/?!$&'()*+,;=:@%";

} // namespace

std::int64_t positive_number(const std::optional<std::string>& text, std::int64_t default_value,
                             std::int64_t max) {
    return text ? text::parse_integer<std::int64_t>(*text, 1, max).value_or(default_value)
                : default_value;
}

void add_links(http::Response& response, const http::Request& request, const Pagination& pagination,
               const Neighbors& neighbors) {
    response.headers.push_back({"X-Total-Count", std::to_string(pagination.total)});
    const std::string kept =
        text::remove_query_parameter(text::remove_query_parameter(request.query, "page"), "cursor");
    std::string start = "<";
    text::append_percent_encoded(start, request.base, text::path_characters);
    start += '?';
    text::append_percent_encoded(start, kept, query_characters);
    start += kept.empty() ? "" : "&";
    std::string links;
    const auto link = [&](const char* relation, std::int64_t page,
                          const std::optional<std::string>& cursor = {}) {
        links.append(links.empty() ? "" : ", ").append(start);
        links.append(cursor ? "cursor=" + *cursor : "page=" + std::to_string(page));
        links.append(">; rel=\"").append(relation).append("\"");
    };
    const std::int64_t last = std::max<std::int64_t>(total_pages(pagination), 1);
    link("first", 1);
    if (pagination.page > 1)
        link("prev", std::min(pagination.page - 1, last), neighbors.previous);
    if (neighbors.has_next)
        link("next", pagination.page + 1, neighbors.next);
    link("last", last);
    if (links.size() <= max_links_length)
        response.headers.push_back({"Link", std::move(links)});
}

} // namespace useradmin::api
