// Where a browser's request comes from (RFC 6454), and what pages of other origins may read (CORS).
#pragma once

#include "http/message.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace useradmin::http {

/// Origins to the letter as browsers send them: "https://app.example.com".
using Origins = std::span<const std::string_view>;

/// The origin as a browser writes it, in lower case and without its scheme's own port; nothing
/// where the text is anything else than http:// or https://, a host and perhaps a port.
std::optional<std::string> parse_origin(std::string_view text);

/// The origin of an absolute address, written likewise; nothing where it has none.
std::optional<std::string> origin_of_url(std::string_view url);

/// Whether the origin (as parse_origin writes it) is the one that the request was sent to: that of
/// the Host, on http or https, since a proxy may end TLS.
bool is_own_origin(std::string_view origin, const Headers& headers);

/// Whether the origin is in the list.
bool is_trusted_origin(std::string_view origin, Origins trusted) noexcept;

/// Returns whether a browser marks the request as sent by a page that is neither of this server nor
/// of a trusted origin. A request without such marks is sent by no page.
bool is_of_another_site(const Headers& headers, Origins trusted);

/// Adds the headers of CORS to a reply: for a page of a trusted origin, the right to read it; for
/// OPTIONS, the methods that the reply allows, too.
void add_cors_headers(Reply& reply, std::string_view method, const Headers& headers,
                      Origins trusted);

} // namespace useradmin::http
