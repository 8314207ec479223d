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

/// Parses an origin: http:// or https://, a host and an optional port. Returns it in the form that
/// browsers send: in lower case and without the default port. Returns std::nullopt for any other
/// string.
std::optional<std::string> parse_origin(std::string_view text);

/// Returns the origin of an absolute URL in the form of parse_origin(), or std::nullopt if it has
/// none.
std::optional<std::string> origin_of_url(std::string_view url);

/// Returns whether the origin matches the request's Host header. The origin must be in the form of
/// parse_origin(). The scheme may be http or https, because a proxy may terminate TLS.
bool is_own_origin(std::string_view origin, const Headers& headers);

bool is_trusted_origin(std::string_view origin, Origins trusted) noexcept;

/// Returns whether the request comes from a page whose origin is neither the server's own nor
/// trusted. Returns false if both Origin and Sec-Fetch-Site are missing, because such a request
/// does not come from a page.
bool is_cross_site(const Headers& headers, Origins trusted);

/// Adds the CORS headers for a trusted origin to the response. Adds Vary for every origin, unless
/// trusted is empty. For OPTIONS, also adds the preflight headers, with the methods in the
/// response's Allow header.
void add_cors_headers(Response& response, std::string_view method, const Headers& headers,
                      Origins trusted);

} // namespace useradmin::http
