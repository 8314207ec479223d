#include "auth/session_token.hpp"

#include "apr/pool.hpp"
#include "auth/token.hpp"
#include "crypto/signature.hpp"

#include <optional>
#include <string>

namespace useradmin::auth {

crypto::Secret credential_of(const request_rec* request, const AuthSettings& settings) {
    std::optional<std::string> token;
    if (settings.get<ReadsBearer>())
        token = token_in_authorization(
            apr::view_of(apr_table_get(request->headers_in, "Authorization")));
    if (!token)
        token = token_in_cookie(apr::view_of(apr_table_get(request->headers_in, "Cookie")),
                                settings.get<CookieName>());
    return crypto::Secret(std::move(token).value_or(""));
}

crypto::Secret api_key_of(const request_rec* request, const AuthSettings& settings) {
    if (const char* const key = apr_table_get(request->headers_in, "x-api-key"))
        return crypto::Secret(std::string(apr::view_of(key).substr(0, max_token_length)));
    // Only its signature distinguishes a session token from an API key, and without a secret,
    // tokens are unsigned.
    if (!settings.get<ReadsBearer>() || settings.get<SigningSecrets>().secrets.empty())
        return crypto::Secret("");
    auto token =
        token_in_authorization(apr::view_of(apr_table_get(request->headers_in, "Authorization")));
    return crypto::Secret(token && token->find('.') == token->npos ? *std::move(token) : "");
}

Token token_of(std::string_view credential, const AuthSettings& settings) {
    const crypto::SigningSecrets secrets = settings.get<SigningSecrets>().secrets;
    if (secrets.empty())
        return {credential.substr(0, credential.find('.'))};
    if (credential.empty())
        return {};
    if (credential.find('.') == credential.npos)
        return {{}, Signature::missing};
    if (const auto token = crypto::verify_signature(credential, secrets))
        return {*token};
    return {{}, Signature::wrong};
}

crypto::Secret signed_cookie(const request_rec* request, const AuthSettings& settings,
                             const std::string& name) {
    const auto value =
        token_in_cookie(apr::view_of(apr_table_get(request->headers_in, "Cookie")), name);
    return crypto::Secret(std::string(value ? token_of(*value, settings).text : ""));
}

NoCredential missing_credential(const request_rec* request, const AuthSettings& settings) {
    const auto header = [request](const char* name) {
        return apr::view_of(apr_table_get(request->headers_in, name));
    };
    if (!settings.get<ReadsBearer>() && token_in_authorization(header("Authorization")))
        return NoCredential::bearer_off;
    if (!settings.get<ReadsApiKeys>() && !header("x-api-key").empty())
        return NoCredential::api_key_off;
    // better-auth's cookie names end like this. The application chooses the prefix.
    const bool has_cookie = header("Cookie").find("session_token=") != std::string_view::npos;
    const bool has_own = header("Cookie").find(settings.get<CookieName>() + std::string("=")) !=
                         std::string_view::npos;
    return has_cookie && !has_own ? NoCredential::other_cookie : NoCredential::not_sent;
}

} // namespace useradmin::auth
