// Origins (RFC 6454) and CORS headers.
#pragma once

#include "http/message.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace useradmin::http {

/// Origins in the form that browsers send, such as "https://app.example.com".
using Origins = std::span<const std::string_view>;

/// Parses an origin: http:// or https://, a host and an optional port. Returns it as browsers send
/// it, in lower case and without the default port, or nothing for any other string.
std::optional<std::string> parse_origin(std::string_view text);

/// Returns the origin of an absolute URL in the same form, or nothing.
std::optional<std::string> origin_of_url(std::string_view url);

/// Returns whether the origin (as parse_origin returns it) is that of the request's Host, with http
/// or https, since a proxy may terminate TLS.
bool is_own_origin(std::string_view origin, const Headers& headers);

/// Returns whether the origin is in the list.
bool is_trusted_origin(std::string_view origin, Origins trusted) noexcept;

/// Returns whether the headers show that the request comes from a page whose origin is neither the
/// server's own nor trusted. A request without such headers does not count as coming from a page.
bool is_of_another_site(const Headers& headers, Origins trusted);

/// Adds CORS headers for a trusted origin to the reply. For OPTIONS, also adds those of a
/// preflight, with the methods in the reply's Allow header.
void add_cors_headers(Reply& reply, std::string_view method, const Headers& headers,
                      Origins trusted);

} // namespace useradmin::http
