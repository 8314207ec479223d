#include "auth/request_credentials.hpp"

#include "auth/header_tokens.hpp"
#include "crypto/signature.hpp"
#include "httpd/headers.hpp"

#include <optional>
#include <string>

namespace useradmin::auth {

crypto::Secret credential_of(const request_rec* request, const AuthSettings& settings) {
    const httpd::RequestHeaders headers(request);
    std::optional<std::string> token;
    if (settings.get<ReadsBearer>())
        token = token_in_authorization(headers.find("Authorization"));
    if (!token)
        token = token_in_cookie(headers.find("Cookie"), settings.get<CookieName>());
    return crypto::Secret(std::move(token).value_or(""));
}

crypto::Secret api_key_of(const request_rec* request, const AuthSettings& settings) {
    const httpd::RequestHeaders headers(request);
    if (const auto key = headers.find("x-api-key"); !key.empty())
        return crypto::Secret(std::string(key.substr(0, max_token_length)));
    // Only the signature distinguishes a session token from an API key. Without a secret, tokens
    // are not signed.
    if (!settings.get<ReadsBearer>() || settings.get<SigningSecrets>().secrets.empty())
        return crypto::Secret("");
    auto token = token_in_authorization(headers.find("Authorization"));
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
    const auto value = token_in_cookie(httpd::RequestHeaders(request).find("Cookie"), name);
    return crypto::Secret(std::string(value ? token_of(*value, settings).text : ""));
}

} // namespace useradmin::auth
