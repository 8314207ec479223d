// Optional functions of the auth module that the service calls.
#pragma once

#include "api/openapi.hpp"
#include "crypto/secret.hpp"
#include "httpd/httpd.hpp"

#include <optional>
#include <string_view>

/// Returns the base address of the first sign-in Location in the request's virtual host, or nullptr
/// if there is none. Valid for the lifetime of the configuration.
APR_DECLARE_OPTIONAL_FN(const char*, useradmin_sign_in_address, (request_rec * request));

/// Returns whether a directive names the module's authentication provider. Call it after httpd has
/// read the configuration.
APR_DECLARE_OPTIONAL_FN(bool, useradmin_is_password_provider_configured, (apr_pool_t * pool));

namespace useradmin::httpd {

/// The token and sign-in settings of a per-directory configuration. Valid for the lifetime of the
/// configuration.
struct TokenSettings {
    /// How requests identify their caller, or std::nullopt if the auth module does not look up
    /// sessions.
    std::optional<api::TokenCarriers> carriers;
    /// The secret that signs tokens. Set even if carriers is std::nullopt. Empty if tokens are
    /// unsigned.
    std::string_view signing_secret;
    /// The base address of sign-in, or empty if sign-in is off.
    std::string_view sign_in_base;
};

/// A request's session token and better-auth cookies. The token may also be a bearer token.
struct SessionCredentials {
    /// The name of the session cookie and the secret that signs it. Both are valid for the lifetime
    /// of the configuration.
    std::string_view cookie_name;
    std::string_view signing_secret;
    /// The session token, if its signature is valid. Otherwise empty.
    crypto::Secret token;
    /// The value of the admin_session cookie, if its signature is valid. Otherwise empty.
    crypto::Secret admin_session;
    /// Whether the session ends when the browser closes (the dont_remember cookie).
    bool has_dont_remember = false;
    /// Whether `Authorization: Bearer` is also accepted.
    bool accepts_bearer = false;
};
using OptionalCredentials = std::optional<SessionCredentials>;

} // namespace useradmin::httpd

/// Returns the request's session token and cookies, or std::nullopt if AuthUserAdmin is off or
/// there is no secret.
APR_DECLARE_OPTIONAL_FN(useradmin::httpd::OptionalCredentials, useradmin_session_credentials,
                        (const request_rec* request));

APR_DECLARE_OPTIONAL_FN(useradmin::httpd::TokenSettings, useradmin_token_settings,
                        (const ap_conf_vector_t* configuration));

namespace useradmin::httpd {

/// Calls an optional function. Returns a default-constructed result if it is nullptr, because no
/// auth module is loaded.
template <class Result, class... Parameters>
Result call_or_default(Result (*function)(Parameters...), Parameters... arguments) {
    return function != nullptr ? function(arguments...) : Result();
}

/// Calls useradmin_token_settings. Returns no carriers and no secret if no auth module is loaded.
inline TokenSettings token_settings(const ap_conf_vector_t* configuration) {
    return call_or_default(APR_RETRIEVE_OPTIONAL_FN(useradmin_token_settings), configuration);
}

/// Calls useradmin_session_credentials. Returns std::nullopt if no auth module is loaded.
inline OptionalCredentials session_credentials(const request_rec* request) {
    return call_or_default(APR_RETRIEVE_OPTIONAL_FN(useradmin_session_credentials), request);
}

/// Calls useradmin_is_password_provider_configured. Returns false if no auth module is loaded.
inline bool is_password_provider_configured(apr_pool_t* pool) {
    return call_or_default(APR_RETRIEVE_OPTIONAL_FN(useradmin_is_password_provider_configured),
                           pool);
}

/// Calls useradmin_sign_in_address. Returns nullptr if no auth module is loaded.
inline const char* sign_in_address(request_rec* request) {
    return call_or_default(APR_RETRIEVE_OPTIONAL_FN(useradmin_sign_in_address), request);
}

} // namespace useradmin::httpd
