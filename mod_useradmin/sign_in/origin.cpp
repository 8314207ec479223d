#include "sign_in/origin.hpp"

#include "sign_in/replies.hpp"

#include <strings.h>

#include <algorithm>

namespace useradmin::sign_in {

namespace {

bool holds_text(std::string_view value) noexcept {
    return value.find_first_not_of(" \t") != value.npos;
}

/// Whether the address is of that origin. What a browser would read in another way is not.
bool is_of(std::string_view url, std::string_view origin) noexcept {
    return url.size() >= origin.size() &&
           strncasecmp(url.data(), origin.data(), origin.size()) == 0 &&
           (url.size() == origin.size() ||
            std::string_view("/?#").find(url[origin.size()]) != std::string_view::npos);
}

bool holds_control(std::string_view text) noexcept {
    return std::any_of(
        text.begin(), text.end(),
        [](char character) {
            return static_cast<unsigned char>(character) < 0x20 || character == 0x7f;
        });
}

/// Whether the path holds a slash or a backslash in disguise.
bool holds_encoded_separator(std::string_view path) noexcept {
    for (std::size_t at = path.find('%'); at != path.npos; at = path.find('%', at + 1)) {
        const std::string_view triple = path.substr(at, 3);
        if (triple == "%2f" || triple == "%2F" || triple == "%5c" || triple == "%5C")
            return true;
    }
    return false;
}

std::optional<Reply> refuse_foreign(const Request& request) {
    const std::string_view origin =
        request.provenance.origin.empty() ? request.provenance.referer : request.provenance.origin;
    // A page that hides its origin (Referrer-Policy: no-referrer) still has the browser's own word.
    if (origin == "null" && request.provenance.fetch_site == "same-origin")
        return std::nullopt;
    if (origin.empty() || origin == "null")
        return error(403, "Missing or null Origin", "MISSING_OR_NULL_ORIGIN");
    if (!is_of(origin, request.own_origin))
        return error(403, "Invalid origin", "INVALID_ORIGIN");
    return std::nullopt;
}

} // namespace

std::optional<Reply> refuse_foreign_sign_in(const Request& request) {
    const Provenance& from = request.provenance;
    if (from.has_cookies)
        return refuse_foreign(request);
    if (from.fetch_site == "cross-site" && from.fetch_mode == "navigate")
        return error(403,
                     "Cross-site navigation login blocked. This request appears to be a CSRF "
                     "attack.",
                     "CROSS_SITE_NAVIGATION_LOGIN_BLOCKED");
    // A browser says where a request comes from; what says nothing of it is none.
    const bool is_browser = holds_text(from.fetch_site) || holds_text(from.fetch_mode) ||
                            holds_text(from.fetch_dest) || !from.origin.empty() ||
                            !from.referer.empty();
    return is_browser ? refuse_foreign(request) : std::nullopt;
}

std::optional<Reply> refuse_foreign_cookies(const Request& request) {
    return request.provenance.has_cookies ? refuse_foreign(request) : std::nullopt;
}

bool may_redirect_to(std::string_view url, std::string_view own_origin) {
    if (url.find('\\') != url.npos || holds_control(url))
        return false;
    if (!url.starts_with('/'))
        return is_of(url, own_origin);
    return !url.starts_with("//") &&
           !holds_encoded_separator(url.substr(0, url.find_first_of("?#")));
}

} // namespace useradmin::sign_in
