// The Cookie and Authorization headers, and the tokens in them.
#include "targets.hpp"

#include "auth/header_tokens.hpp"
#include "crypto/signature.hpp"
#include "sign_in/cookies.hpp"

#include <algorithm>
#include <string>

namespace useradmin::fuzz {

namespace {

constexpr std::string_view cookie_name = "better-auth.session_token";
constexpr std::string_view secret = "the secret of the corpus' tokens";
/// The only token with a signature by this secret.
constexpr std::string_view signed_token = "a-token-that-was-signed";
constexpr std::size_t longest_token = 1024;

/// Checks a header from a client.
void check_header(std::string_view header) {
    for (const auto& carried :
         {auth::token_in_cookie(header, cookie_name), auth::token_in_authorization(header)}) {
        if (!carried)
            continue;
        require(carried->size() <= std::min(header.size(), longest_token), "a token is bounded");
        const auto token = crypto::verify_signature(*carried, secret);
        require(!token || *token == signed_token, "a verified token is the signed token");
    }
    const std::string name(cookie_name);
    const std::string host_first = "__Host-" + name + "=of the host; " + std::string(header);
    require(auth::token_in_cookie(host_first, cookie_name) == "of the host",
            "the cookie with the prefix __Host- is preferred");
    const std::string subdomain_first =
        "__Secure-__Host-" + name + "=of a subdomain; " + host_first;
    require(auth::token_in_cookie(subdomain_first, "__Host-" + name) == "of the host",
            "a name with a prefix is matched exactly");
}

bool is_printable(std::string_view text) {
    return std::all_of(
        text.begin(), text.end(),
        [](char character) { return character >= ' ' && character < 0x7f; });
}

/// Checks a token that the service issues and later receives.
void check_issued_token(std::string_view token) {
    std::string value = crypto::sign(token, secret);
    require(crypto::verify_signature(value, secret) == token, "a signed value verifies");
    const sign_in::Cookies cookies(cookie_name, secret, /* is_secure */ true);
    const std::string handed_out = cookies.encode_token(token);
    for (const bool is_remembered : {false, true}) {
        http::Response response;
        cookies.set_session(response, token, is_remembered);
        for (const auto& [name, header] : response.headers)
            require(is_printable(header) && std::ranges::count(header, ';') <= 5,
                    "a token adds nothing to a header");
    }
    if (handed_out.size() <= longest_token) {
        const std::string cookie = "a=b; " + std::string(cookie_name) + "=" + handed_out + "; c";
        require(auth::token_in_cookie(cookie, cookie_name) == value,
                "the token in the cookie is the token that was issued");
        require(auth::token_in_authorization("bearer  " + handed_out) == value,
                "the bearer token is the token that was issued");
    }
    char& changed = value[(token.size() * 7) % value.size()];
    changed = static_cast<char>(changed ^ 1);
    require(!crypto::verify_signature(value, secret), "a changed value does not verify");
}

} // namespace

void fuzz_token(std::string_view header) {
    constexpr std::size_t long_enough = 512; // longer inputs take longer and show no more
    check_header(header);
    check_issued_token(header.substr(0, long_enough));
}

} // namespace useradmin::fuzz
