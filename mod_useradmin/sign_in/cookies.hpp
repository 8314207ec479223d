// The cookies that better-auth keeps a session in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace useradmin::sign_in {

/// The prefixes of a cookie's name that browsers enforce (RFC 6265bis, section 4.1.3).
inline constexpr std::string_view host_prefix = "__Host-";
inline constexpr std::string_view secure_prefix = "__Secure-";

/// Returns whether a cookie's name has one of them.
constexpr bool has_prefix(std::string_view name) noexcept {
    return name.starts_with(host_prefix) || name.starts_with(secure_prefix);
}

/// How better-auth names, signs and dresses its cookies. The texts live as long as their owner.
class Cookies {
  public:
    /// Without a secret (an empty text) nothing is signed. Secure: the request came by https.
    Cookies(std::string_view name, std::string_view secret, bool is_secure) noexcept
        : name_(name), secret_(secret), is_secure_(is_secure) {}

    /// The token as it is handed out: with its signature where there is a secret, and
    /// percent-encoded, which every version of better-auth takes.
    std::string encode_token(std::string_view token) const;

    /// The values of the Set-Cookie headers that open a session. One that is not remembered ends
    /// with the browser.
    std::vector<std::string> session_cookies(std::string_view token, bool is_remembered) const;
    /// The values of the Set-Cookie headers that end it.
    std::vector<std::string> expired_cookies() const;

    /// The value of the Set-Cookie header that ends what said that a session is not to be
    /// remembered.
    std::string expired_dont_remember_cookie() const;

    /// The name of the cookie that says that a session is not to be remembered, without a prefix.
    std::string dont_remember_name() const;

  private:
    std::string name_with_prefix_of_session(std::string_view name) const;
    std::string header(std::string_view name, std::string_view value,
                       std::string_view max_age) const;

    std::string_view name_;
    std::string_view secret_;
    bool is_secure_;
};

} // namespace useradmin::sign_in
