#include "sign_in/cookies.hpp"

#include "crypto/secret.hpp"
#include "crypto/signature.hpp"
#include "text/url.hpp"

#include <utility>

namespace useradmin::sign_in {

namespace {

/// Percent-encodes like encodeURIComponent().
std::string encoded(std::string_view text) {
    std::string out;
    out.reserve(3 * text.size()); // reallocation would leave copies of secrets in memory
    text::append_percent_encoded(out, text, "!*'()");
    return out;
}

} // namespace

std::string Cookies::encode_token(std::string_view token) const {
    if (secret_.empty())
        return encoded(token);
    const crypto::Secret value(crypto::sign(token, secret_));
    return encoded(value.view());
}

void Cookies::set_session(http::Response& response, std::string_view token,
                          bool is_remembered) const {
    const auto seconds = std::to_string(std::chrono::seconds(session_lifetime).count());
    const crypto::Secret value(encode_token(token));
    add(response, name_, value.view(), is_remembered ? seconds : "");
    // better-auth 1.4 and 1.6 would continue to use the session in this cookie.
    if (sent_.find(name_of("session_data")) != sent_.npos)
        expire_session_data(response);
    if (!is_remembered)
        set(response, "dont_remember", "true");
    if (!accepts_bearer_)
        return;
    // For clients without cookies, as in better-auth's bearer plugin.
    response.headers.push_back({"set-auth-token", std::string(value.view())});
    response.headers.push_back({"Access-Control-Expose-Headers", "set-auth-token"});
}

void Cookies::expire_session(http::Response& response) const {
    expire_session_token(response);
    expire(response, "dont_remember");
}

void Cookies::expire_session_token(http::Response& response) const {
    add(response, name_, "", "0");
    expire_session_data(response);
}

void Cookies::expire_session_data(http::Response& response) const {
    expire(response, "session_data");
    // better-auth splits long data into session_data.0, session_data.1 and so on.
    for (int index = 0;; ++index) {
        const std::string name = "session_data." + std::to_string(index);
        if (sent_.find(name_of(name) + "=") == sent_.npos)
            return;
        expire(response, name);
    }
}

void Cookies::set(http::Response& response, std::string_view name, std::string_view value,
                  std::optional<std::chrono::seconds> max_age) const {
    add(response, name_of(name), encode_token(value),
        max_age ? std::to_string(max_age->count()) : "");
}

void Cookies::expire(http::Response& response, std::string_view name) const {
    add(response, name_of(name), "", "0");
}

std::string Cookies::name_of(std::string_view name) const {
    constexpr std::string_view own = "session_token";
    const std::string_view prefix =
        name_.ends_with(own) ? name_.substr(0, name_.size() - own.size()) : "better-auth.";
    return std::string(prefix) += name;
}

void Cookies::add(http::Response& response, std::string_view name, std::string_view value,
                  std::string_view max_age) const {
    const bool is_prefixed = has_prefix(name);
    constexpr std::size_t max_attributes_length = 128;
    std::string text;
    text.reserve(name.size() + value.size() + max_attributes_length); // see encoded()
    if (is_secure_ && !is_prefixed)
        text += secure_prefix;
    text += name;
    text += '=';
    text += value;
    if (!max_age.empty())
        text += "; Max-Age=";
    text += max_age;
    text += "; Path=/; HttpOnly";
    if (is_secure_ || is_prefixed)
        text += "; Secure";
    text += "; SameSite=Lax";
    response.headers.push_back({"Set-Cookie", std::move(text)});
}

} // namespace useradmin::sign_in
