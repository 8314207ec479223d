#include "auth/header_tokens.hpp"

#include "sign_in/cookies.hpp"
#include "text/split.hpp"
#include "text/unicode.hpp"
#include "text/url.hpp"

#include <algorithm>
#include <span>

namespace useradmin::auth {

namespace {

std::optional<std::string> decoded(std::string_view token) {
    if (token.empty() || token.size() > max_token_length)
        return std::nullopt;
    return text::decode_path_segment(token);
}

/// Returns the value of the first cookie with this name, or std::nullopt.
std::optional<std::string_view> cookie_value(std::string_view header, std::string_view prefix,
                                             std::string_view name) {
    while (!header.empty()) {
        const std::size_t end = header.find(';');
        const std::string_view pair = header.substr(0, end);
        const std::size_t equals = pair.find('=');
        const std::string_view cookie = text::trim(pair.substr(0, std::min(equals, pair.size())));
        if (equals != pair.npos && cookie.size() == prefix.size() + name.size() &&
            cookie.starts_with(prefix) && cookie.ends_with(name)) {
            const std::string_view value = text::trim(pair.substr(equals + 1));
            const bool is_quoted = value.size() >= 2 && value.front() == '"' && value.back() == '"';
            return is_quoted ? value.substr(1, value.size() - 2) : value;
        }
        header = end == header.npos ? std::string_view() : header.substr(end + 1);
    }
    return std::nullopt;
}

} // namespace

std::optional<std::string> token_in_cookie(std::string_view header, std::string_view name) {
    // Any page of the site can set a cookie without a prefix, but only https pages can set one with
    // a prefix.
    constexpr std::string_view prefixes[] = {sign_in::host_prefix, sign_in::secure_prefix, ""};
    // Any subdomain can set __Secure-__Host-name, but only the host itself can set __Host-name.
    const bool is_exact = sign_in::has_prefix(name);
    for (const std::string_view prefix : std::span(prefixes).subspan(is_exact ? 2 : 0))
        if (const auto value = cookie_value(header, prefix, name))
            return decoded(*value);
    return std::nullopt;
}

std::optional<std::string> token_in_authorization(std::string_view header) {
    constexpr std::string_view scheme = "Bearer ";
    if (header.size() == scheme.size() || !text::starts_with_ignoring_case(header, scheme))
        return std::nullopt;
    return decoded(text::trim(header.substr(scheme.size())));
}

} // namespace useradmin::auth
