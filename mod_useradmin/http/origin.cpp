#include "http/origin.hpp"

#include "text/number.hpp"
#include "text/unicode.hpp"

#include <algorithm>

namespace useradmin::http {

namespace {

struct Scheme {
    std::string_view prefix;
    std::string_view port;
};
constexpr Scheme schemes[] = {{"http://", ":80"}, {"https://", ":443"}};

// The request headers that a trusted origin may send in addition to the safelisted ones.
constexpr const char* allowed_headers =
    "Content-Type, Authorization, x-api-key, Idempotency-Key, If-Match, If-None-Match, "
    "traceparent, tracestate";
// The response headers that a trusted origin may read in addition to the safelisted ones.
constexpr const char* exposed_headers = "ETag, Link, Retry-After, Warning, X-Total-Count";
// Two hours is the maximum in Chromium.
constexpr const char* preflight_max_age = "7200";

bool consists_of(std::string_view text, std::string_view characters) noexcept {
    return !text.empty() && text.find_first_not_of(characters) == text.npos;
}

/// Returns whether the lower-case text consists of the characters of a host name, an IPv4 address,
/// or an IPv6 address in brackets.
bool is_host(std::string_view text) noexcept {
    if (text.starts_with('[') && text.ends_with(']'))
        return consists_of(text.substr(1, text.size() - 2), "0123456789abcdef:.");
    return consists_of(text, "abcdefghijklmnopqrstuvwxyz0123456789-._") && text.front() != '.' &&
           text.find("..") == text.npos;
}

/// Returns a port such as ":8080", with its colon and without leading zeros, or std::nullopt if it
/// is not from 1 to 65535. The text must start with the colon.
std::optional<std::string> parse_port(std::string_view text) {
    const auto port = text::parse_integer(text.substr(1), 1, 65535);
    return port ? std::optional(":" + std::to_string(*port)) : std::nullopt;
}

} // namespace

std::optional<std::string> parse_origin(std::string_view text) {
    const std::string origin = text::lower_ascii(std::string(text));
    const std::string_view whole = origin;
    for (const auto& [prefix, own_port] : schemes) {
        if (!whole.starts_with(prefix))
            continue;
        const std::string_view authority = whole.substr(prefix.size());
        const std::size_t host_end =
            authority.find(':', authority.starts_with('[') ? authority.find(']') : 0);
        const std::string_view host = authority.substr(0, host_end);
        if (!is_host(host))
            return std::nullopt;
        std::string parsed = std::string(prefix) += host;
        if (host_end == authority.npos)
            return parsed;
        const auto port = parse_port(authority.substr(host_end));
        if (!port)
            return std::nullopt;
        return *port == own_port ? parsed : parsed + *port;
    }
    return std::nullopt;
}

std::optional<std::string> origin_of_url(std::string_view url) {
    const std::size_t scheme_end = url.find("//");
    if (scheme_end == url.npos)
        return std::nullopt;
    return parse_origin(url.substr(0, url.find_first_of("/?#", scheme_end + 2)));
}

bool is_own_origin(std::string_view origin, const Headers& headers) {
    const std::string_view host = headers.find("Host");
    return std::ranges::any_of(schemes, [&](const Scheme& scheme) {
        return origin.starts_with(scheme.prefix) &&
               parse_origin(std::string(scheme.prefix) += host) == origin;
    });
}

bool is_trusted_origin(std::string_view origin, Origins trusted) noexcept {
    return std::ranges::find(trusted, origin) != trusted.end();
}

bool is_cross_site(const Headers& headers, Origins trusted) {
    const std::string_view origin = headers.find("Origin");
    if (is_trusted_origin(origin, trusted))
        return false;
    const std::string_view site = headers.find("Sec-Fetch-Site");
    if (!site.empty() && site != "same-origin" && site != "none")
        return true;
    if (origin.empty())
        return false;
    const auto parsed = parse_origin(origin);
    return !parsed || !is_own_origin(*parsed, headers);
}

void add_cors_headers(Response& response, std::string_view method, const Headers& headers,
                      Origins trusted) {
    if (trusted.empty())
        return;
    // Otherwise, caches might serve this response to another origin.
    response.headers.push_back({"Vary", "Origin"});
    const std::string_view origin = headers.find("Origin");
    if (!is_trusted_origin(origin, trusted))
        return;
    response.headers.push_back({"Access-Control-Allow-Origin", std::string(origin)});
    response.headers.push_back({"Access-Control-Allow-Credentials", "true"});
    response.headers.push_back({"Access-Control-Expose-Headers", exposed_headers});
    const auto allow =
        std::ranges::find(response.headers, std::string_view("Allow"), &Header::name);
    if (method != "OPTIONS" || allow == response.headers.end())
        return;
    const std::string methods = allow->value;
    response.headers.push_back({"Access-Control-Allow-Methods", methods});
    response.headers.push_back({"Access-Control-Allow-Headers", allowed_headers});
    response.headers.push_back({"Access-Control-Max-Age", preflight_max_age});
}

} // namespace useradmin::http
