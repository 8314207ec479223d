// Protects sign-in and sign-out from cross-site requests, as better-auth does.
#pragma once

#include "http/origin.hpp"

#include <optional>
#include <string_view>

namespace useradmin::sign_in {

/// Returns the error reply to a cross-site sign-in, or nothing if the request may proceed.
std::optional<http::Reply> reject_cross_site_sign_in(const http::Headers& headers,
                                                     http::Origins trusted);

/// As above, but accepts any request without cookies.
std::optional<http::Reply> reject_cross_site_cookies(const http::Headers& headers,
                                                     http::Origins trusted);

/// Returns whether a redirect to the URL is allowed: to a path, or to a URL with the server's own
/// or a trusted origin.
bool may_redirect_to(std::string_view url, const http::Headers& headers, http::Origins trusted);

} // namespace useradmin::sign_in
