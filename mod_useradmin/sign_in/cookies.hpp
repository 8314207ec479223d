#pragma once

#include "http/message.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace useradmin::sign_in {

/// Prefixes of cookie names that browsers enforce (RFC 6265bis, section 4.1.3).
inline constexpr std::string_view host_prefix = "__Host-";
inline constexpr std::string_view secure_prefix = "__Secure-";

constexpr bool has_prefix(std::string_view name) noexcept {
    return name.starts_with(host_prefix) || name.starts_with(secure_prefix);
}

// Lifetimes of sessions. These are better-auth's defaults.
inline constexpr std::chrono::days session_lifetime(7);
/// The lifetime in the database of a session whose cookie expires when the browser closes.
inline constexpr std::chrono::days short_session_lifetime(1);
/// The age at which a session is extended.
inline constexpr std::chrono::days session_refresh_age(1);

/// Names, signs and formats better-auth's cookies. The strings must outlive the object.
class Cookies {
  public:
    /// name: the session cookie's name. secret: if empty, cookies are not signed. is_secure:
    /// whether the request used https. sent: the request's Cookie header. accepts_bearer: whether
    /// `Authorization: Bearer` is also accepted.
    Cookies(std::string_view name, std::string_view secret, bool is_secure,
            std::string_view sent = {}, bool accepts_bearer = false) noexcept
        : name_(name), secret_(secret), is_secure_(is_secure), sent_(sent),
          accepts_bearer_(accepts_bearer) {}

    /// Returns the token, signed if there is a secret, and percent-encoded. All versions of
    /// better-auth accept this encoding.
    std::string encode_token(std::string_view token) const;

    // The following functions add Set-Cookie headers to a response.

    /// Sets the cookies of a new session. Unless is_remembered is set, the session ends when the
    /// browser closes. Also expires the cookies that the application uses to cache an earlier
    /// session (cookieCache). If bearer tokens are accepted, also returns the token in
    /// set-auth-token.
    void set_session(http::Response& response, std::string_view token, bool is_remembered) const;
    void expire_session(http::Response& response) const;
    /// Like expire_session(), but keeps the "dont_remember" cookie for the next session.
    void expire_session_token(http::Response& response) const;
    /// Sets another cookie of better-auth, such as "dont_remember". Signs and encodes the value as
    /// encode_token() does. Without max_age, the cookie expires when the browser closes.
    void set(http::Response& response, std::string_view name, std::string_view value,
             std::optional<std::chrono::seconds> max_age = {}) const;
    void expire(http::Response& response, std::string_view name) const;

    /// Returns the name of one of better-auth's other cookies. The name has the session cookie's
    /// prefix, or better-auth's default prefix if the session cookie has a custom name.
    std::string name_of(std::string_view name) const;

  private:
    /// Expires the cookies that the application uses to cache the session.
    void expire_session_data(http::Response& response) const;
    /// Adds a Set-Cookie header. With https, puts "__Secure-" before a name that has neither that
    /// prefix nor "__Host-".
    void add(http::Response& response, std::string_view name, std::string_view value,
             std::string_view max_age) const;

    std::string_view name_;
    std::string_view secret_;
    bool is_secure_;
    std::string_view sent_;
    bool accepts_bearer_;
};

} // namespace useradmin::sign_in
