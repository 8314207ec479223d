// better-auth's session cookies.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace useradmin::sign_in {

/// The prefixes of a cookie's name that browsers enforce (RFC 6265bis, section 4.1.3).
inline constexpr std::string_view host_prefix = "__Host-";
inline constexpr std::string_view secure_prefix = "__Secure-";

/// Returns whether a cookie's name has one of these prefixes.
constexpr bool has_prefix(std::string_view name) noexcept {
    return name.starts_with(host_prefix) || name.starts_with(secure_prefix);
}

/// Names, signatures and attributes of better-auth's cookies. The texts must outlive the object.
class Cookies {
  public:
    /// If the secret is empty, cookies are not signed. is_secure: whether the request used https.
    Cookies(std::string_view name, std::string_view secret, bool is_secure) noexcept
        : name_(name), secret_(secret), is_secure_(is_secure) {}

    /// Returns the token for a client: signed if there is a secret, and percent-encoded, which
    /// every version of better-auth accepts.
    std::string encode_token(std::string_view token) const;

    /// Returns the Set-Cookie values that open a session. A session that is not remembered ends
    /// when the browser closes.
    std::vector<std::string> session_cookies(std::string_view token, bool is_remembered) const;
    /// Returns the Set-Cookie values that end a session.
    std::vector<std::string> expired_cookies() const;

    /// Returns the Set-Cookie value that deletes the dont_remember cookie.
    std::string expired_dont_remember_cookie() const;

    /// Returns the unprefixed name of the cookie that marks a session as not remembered.
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
