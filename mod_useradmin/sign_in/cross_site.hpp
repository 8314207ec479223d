// Protects sign-in and sign-out from cross-site requests, as better-auth does.
#pragma once

#include "http/origin.hpp"

#include <optional>
#include <string_view>

namespace useradmin::sign_in {

/// Returns the error response to a cross-site sign-in, or std::nullopt if the request is allowed.
std::optional<http::Response> reject_cross_site_sign_in(const http::Headers& headers,
                                                        http::Origins trusted);

/// Like reject_cross_site_sign_in(), but allows every request without cookies.
std::optional<http::Response> reject_cross_site_cookies(const http::Headers& headers,
                                                        http::Origins trusted);

/// Returns whether a redirect to the URL is allowed. The URL must be a path, or its origin must be
/// the server's own or a trusted one.
bool may_redirect_to(std::string_view url, const http::Headers& headers, http::Origins trusted);

} // namespace useradmin::sign_in
