// Keeps other sites from signing a browser in or out, as better-auth does.
#pragma once

#include "http/origin.hpp"

#include <optional>
#include <string_view>

namespace useradmin::sign_in {

/// What refuses a sign-in that another site made; nothing where it may go on.
std::optional<http::Reply> reject_cross_site_sign_in(const http::Headers& headers,
                                                     http::Origins trusted);

/// The same for a request that counts for its cookies alone.
std::optional<http::Reply> reject_cross_site_cookies(const http::Headers& headers,
                                                     http::Origins trusted);

/// Returns whether a redirect to the URL is allowed: a path, or a URL of the own or a trusted
/// origin.
bool may_redirect_to(std::string_view url, const http::Headers& headers, http::Origins trusted);

} // namespace useradmin::sign_in
