#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::sign_in {

/// Prefixes of cookie names that browsers enforce (RFC 6265bis, section 4.1.3).
inline constexpr std::string_view host_prefix = "__Host-";
inline constexpr std::string_view secure_prefix = "__Secure-";

constexpr bool has_prefix(std::string_view name) noexcept {
    return name.starts_with(host_prefix) || name.starts_with(secure_prefix);
}

/// Names, signs and formats better-auth's cookies. The strings must outlive the object.
class Cookies {
  public:
    /// name: the session cookie's name. secret: if empty, cookies are not signed. is_secure:
    /// whether the request used https. sent: the request's Cookie header.
    Cookies(std::string_view name, std::string_view secret, bool is_secure,
            std::string_view sent = {}) noexcept
        : name_(name), secret_(secret), is_secure_(is_secure), sent_(sent) {}

    /// Returns the token, signed if there is a secret, and percent-encoded. All versions of
    /// better-auth accept this encoding.
    std::string encode_token(std::string_view token) const;

    /// Returns the Set-Cookie values for a new session. Unless is_remembered is set, the session
    /// ends when the browser closes. The values also expire a session that the application keeps in
    /// a cookie (cookieCache).
    std::vector<std::string> session_cookies(std::string_view token, bool is_remembered) const;
    /// Returns the Set-Cookie values that end a session.
    std::vector<std::string> expired_cookies() const;
    /// Same as expired_cookies(), but keeps the cookie "dont_remember" for the next session.
    std::vector<std::string> expired_session_cookies() const;

    /// Returns the Set-Cookie value for another cookie of better-auth, such as "dont_remember".
    /// Without an age, the cookie expires when the browser closes.
    std::string cookie(std::string_view name, std::string_view value,
                       std::optional<std::chrono::seconds> age = {}) const;
    /// Returns the Set-Cookie value that deletes the cookie.
    std::string expired_cookie(std::string_view name) const;

    /// Returns the full name of one of better-auth's other cookies. It gets the session cookie's
    /// prefix, or better-auth's default prefix if the session cookie has a custom name.
    std::string name_of(std::string_view name) const;

  private:
    /// Returns the Set-Cookie values that expire a session that the application keeps in cookies.
    std::vector<std::string> expired_session_data() const;
    std::string header(std::string_view name, std::string_view value,
                       std::string_view max_age) const;

    std::string_view name_;
    std::string_view secret_;
    bool is_secure_;
    std::string_view sent_;
};

} // namespace useradmin::sign_in
