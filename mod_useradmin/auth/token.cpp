#include "auth/token.hpp"

#include "text/url.hpp"

#include <strings.h>

namespace useradmin::auth {

namespace {

// Longer than any token that better-auth signs and encodes; what is longer is none.
constexpr std::size_t longest_token = 1024;

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == text.npos)
        return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::optional<std::string> decoded(std::string_view token) {
    if (token.empty() || token.size() > longest_token)
        return std::nullopt;
    return text::decode_path_segment(token);
}

bool is_named(std::string_view cookie, std::string_view name) {
    for (std::string_view prefix : {"", "__Secure-", "__Host-"})
        if (cookie.size() == prefix.size() + name.size() && cookie.starts_with(prefix) &&
            cookie.ends_with(name))
            return true;
    return false;
}

} // namespace

std::optional<std::string> token_in_cookie(std::string_view header, std::string_view name) {
    while (!header.empty()) {
        const std::size_t end = header.find(';');
        const std::string_view pair = header.substr(0, end);
        const std::size_t equals = pair.find('=');
        if (equals != pair.npos && is_named(trimmed(pair.substr(0, equals)), name)) {
            std::string_view value = trimmed(pair.substr(equals + 1));
            if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
                value = value.substr(1, value.size() - 2);
            return decoded(value);
        }
        header = end == header.npos ? std::string_view() : header.substr(end + 1);
    }
    return std::nullopt;
}

std::optional<std::string> token_in_authorization(std::string_view header) {
    constexpr std::string_view scheme = "Bearer ";
    if (header.size() <= scheme.size() ||
        strncasecmp(header.data(), scheme.data(), scheme.size()) != 0)
        return std::nullopt;
    return decoded(trimmed(header.substr(scheme.size())));
}

} // namespace useradmin::auth
