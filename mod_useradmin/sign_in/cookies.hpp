// better-auth's session cookies.
#pragma once

#include <chrono>
#include <optional>
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

/// Names, signatures and attributes of better-auth's cookies. The strings must outlive the object.
class Cookies {
  public:
    /// If the secret is empty, cookies are not signed. is_secure: whether the request used https.
    Cookies(std::string_view name, std::string_view secret, bool is_secure) noexcept
        : name_(name), secret_(secret), is_secure_(is_secure) {}

    /// Returns the token for a client, signed if there is a secret, and percent-encoded. Every
    /// version of better-auth accepts this encoding.
    std::string encode_token(std::string_view token) const;

    /// Returns the Set-Cookie values that open a session. A session that is not remembered ends
    /// when the browser closes.
    std::vector<std::string> session_cookies(std::string_view token, bool is_remembered) const;
    /// Returns the Set-Cookie values that end a session.
    std::vector<std::string> expired_cookies() const;
    /// As above, but keeps the cookie "dont_remember", which applies to the next session.
    std::vector<std::string> expired_session_cookies() const;

    /// Returns the Set-Cookie value of another cookie of better-auth, such as "dont_remember".
    /// Without an age, the cookie expires when the browser closes.
    std::string cookie(std::string_view name, std::string_view value,
                       std::optional<std::chrono::seconds> age = {}) const;
    /// Returns the Set-Cookie value that deletes such a cookie.
    std::string expired_cookie(std::string_view name) const;

    /// Returns the full name of such a cookie: with the session cookie's prefix, or with
    /// better-auth's default prefix if the session cookie has a custom name.
    std::string name_of(std::string_view name) const;

  private:
    std::string header(std::string_view name, std::string_view value,
                       std::string_view max_age) const;

    std::string_view name_;
    std::string_view secret_;
    bool is_secure_;
};

} // namespace useradmin::sign_in
