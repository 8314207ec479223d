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
    // Without a secret, session tokens have no signature either.
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
        return {{}, "it is not signed, but AuthUserAdminSecret is set"};
    if (const auto token = crypto::verify_signature(credential, secrets))
        return {*token};
    return {{}, "its signature does not match AuthUserAdminSecret"};
}

} // namespace useradmin::auth
