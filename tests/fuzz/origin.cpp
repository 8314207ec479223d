// The origin of a request and its redirect address. The input has one line each for Origin, Host
// and the address.
#include "targets.hpp"

#include "http/origin.hpp"
#include "sign_in/cross_site.hpp"

#include <algorithm>
#include <string>

namespace useradmin::fuzz {

namespace {

std::string_view next_line(std::string_view& lines) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    return line;
}

class SentHeaders final : public http::Headers {
  public:
    SentHeaders(std::string_view origin, std::string_view host) noexcept
        : origin_(origin), host_(host) {}

    std::string_view find(const char* name) const noexcept override {
        const std::string_view wanted = name;
        return wanted == "Origin" || wanted == "Cookie" ? origin_ : wanted == "Host" ? host_ : "";
    }
    bool has(const char* name) const noexcept override { return !find(name).empty(); }

  private:
    std::string_view origin_;
    std::string_view host_;
};

void require_origin(const std::string& origin) {
    require(http::parse_origin(origin) == origin,
            "parsing a parsed origin returns the same origin");
    const std::size_t host = origin.find("://") + 3;
    require(origin.find_first_of("/?#@\\% ", host) == origin.npos && origin.size() > host,
            "an origin is a scheme, a host and a port");
    require(std::none_of(origin.begin(), origin.end(),
                         [](char character) {
                             return character <= ' ' || character >= 0x7f ||
                                    (character >= 'A' && character <= 'Z');
                         }),
            "an origin is in lower case");
}

} // namespace

void fuzz_origin(std::string_view lines) {
    const std::string_view origin = next_line(lines);
    const std::string_view host = next_line(lines);
    const std::string_view target = lines;
    const SentHeaders headers(origin, host);
    constexpr std::string_view trusted[] = {"https://app.example.org", "http://localhost:3000"};
    const auto is_allowed = [&](const std::string& of) {
        return http::is_own_origin(of, headers) || of == trusted[0] || of == trusted[1];
    };

    const auto parsed = http::parse_origin(origin);
    if (parsed)
        require_origin(*parsed);
    const auto of_address = http::origin_of_url(target);
    if (of_address)
        require_origin(*of_address);

    if (parsed && http::is_own_origin(*parsed, headers)) {
        std::string with_port(host);
        with_port += ":1"; // not the scheme's default
        require(!http::is_own_origin(*parsed, SentHeaders(origin, with_port)),
                "an origin with another port differs");
    }
    const auto rejection = sign_in::reject_cross_site_cookies(headers, trusted);
    if (!origin.empty()) // otherwise, there is no cookie
        require(rejection.has_value() == !(origin == trusted[0] || origin == trusted[1] ||
                                           (parsed && http::is_own_origin(*parsed, headers))),
                "cookies are accepted from the own and from trusted origins only");
    if (sign_in::may_redirect_to(target, headers, trusted)) {
        require(target.find('\\') == target.npos &&
                    std::none_of(target.begin(), target.end(),
                                 [](char byte) { return static_cast<unsigned char>(byte) < 0x20; }),
                "a callback address is interpreted alike by all browsers");
        require(target.starts_with('/') ? !target.starts_with("//")
                                        : of_address && is_allowed(*of_address),
                "a callback address is on the own or a trusted site");
    }
}

} // namespace useradmin::fuzz
