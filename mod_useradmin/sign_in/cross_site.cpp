#include "sign_in/cross_site.hpp"

#include "sign_in/responses.hpp"

#include <algorithm>

namespace useradmin::sign_in {

namespace {

bool holds_text(std::string_view value) noexcept {
    return value.find_first_not_of(" \t") != value.npos;
}

bool is_own_origin(std::string_view url, const http::Headers& headers, http::Origins trusted) {
    const auto origin = http::origin_of_url(url);
    return origin &&
           (http::is_own_origin(*origin, headers) || http::is_trusted_origin(*origin, trusted));
}

bool holds_control(std::string_view text) noexcept {
    return std::ranges::any_of(
        text,
        [](char character) {
            return static_cast<unsigned char>(character) < 0x20 || character == 0x7f;
        });
}

bool holds_encoded_separator(std::string_view path) noexcept {
    constexpr std::string_view separators[] = {"%2f", "%2F", "%5c", "%5C"};
    return std::ranges::any_of(separators, [path](std::string_view separator) {
        return path.find(separator) != path.npos;
    });
}

/// Rejects cross-site requests and, like better-auth, requests without an origin.
std::optional<Response> reject_cross_site(const http::Headers& headers, http::Origins trusted) {
    const std::string_view origin = headers.find("Origin");
    // With Referrer-Policy: no-referrer, Origin is "null", but Sec-Fetch-Site is still reliable.
    if (origin == "null" && headers.find("Sec-Fetch-Site") == "same-origin")
        return std::nullopt;
    const std::string_view source = origin.empty() ? headers.find("Referer") : origin;
    if (source.empty() || source == "null")
        return error(403, "Missing or null Origin", "MISSING_OR_NULL_ORIGIN");
    if (http::is_cross_site(headers, trusted) ||
        (origin.empty() && !is_own_origin(source, headers, trusted)))
        return error(403, "Invalid origin", "INVALID_ORIGIN");
    return std::nullopt;
}

} // namespace

std::optional<Response> reject_cross_site_sign_in(const http::Headers& headers,
                                                  http::Origins trusted) {
    if (!headers.find("Cookie").empty())
        return reject_cross_site(headers, trusted);
    if (headers.find("Sec-Fetch-Site") == "cross-site" &&
        headers.find("Sec-Fetch-Mode") == "navigate")
        return error(403,
                     "Cross-site navigation login blocked. This request appears to be a CSRF "
                     "attack.",
                     "CROSS_SITE_NAVIGATION_LOGIN_BLOCKED");
    // Browsers send at least one of these headers.
    constexpr const char* marks[] = {"Sec-Fetch-Site", "Sec-Fetch-Mode", "Sec-Fetch-Dest", "Origin",
                                     "Referer"};
    const bool is_browser = std::ranges::any_of(
        marks, [&](const char* name) { return holds_text(headers.find(name)); });
    return is_browser ? reject_cross_site(headers, trusted) : std::nullopt;
}

std::optional<Response> reject_cross_site_cookies(const http::Headers& headers,
                                                  http::Origins trusted) {
    return headers.find("Cookie").empty() ? std::nullopt : reject_cross_site(headers, trusted);
}

bool may_redirect_to(std::string_view url, const http::Headers& headers, http::Origins trusted) {
    if (url.find('\\') != url.npos || holds_control(url))
        return false;
    if (!url.starts_with('/'))
        return is_own_origin(url, headers, trusted);
    return !url.starts_with("//") &&
           !holds_encoded_separator(url.substr(0, url.find_first_of("?#")));
}

} // namespace useradmin::sign_in
