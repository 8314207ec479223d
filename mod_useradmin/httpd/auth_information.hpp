// Information from an auth module for the service.
#pragma once

#include "api/openapi.hpp"
#include "crypto/secret.hpp"
#include "httpd/httpd.hpp"

#include <optional>
#include <string_view>

/// Returns the base address of the first sign-in Location in the request's virtual host, or
/// nullptr. Valid as long as the configuration.
APR_DECLARE_OPTIONAL_FN(const char*, useradmin_sign_in_address, (request_rec * request));

namespace useradmin::httpd {

using TokenCarriers = std::optional<api::TokenCarriers>;

} // namespace useradmin::httpd

/// Returns what carries a session's token under a per-directory configuration, or nothing if no
/// session is looked up there. Valid as long as the configuration.
APR_DECLARE_OPTIONAL_FN(useradmin::httpd::TokenCarriers, useradmin_token_carriers,
                        (const ap_conf_vector_t* configuration));

namespace useradmin::httpd {

/// What better-auth's cookies hold of a request's session.
struct SessionCredentials {
    /// The name of the session cookie, and the secret that signs it. Valid as long as the
    /// configuration.
    std::string_view cookie_name;
    std::string_view signing_secret;
    /// The token of the session, with a verified signature; empty if there is none.
    crypto::Secret token;
    /// The value of the cookie admin_session, likewise.
    crypto::Secret admin_session;
    /// Whether the session ends with the browser.
    bool is_not_remembered = false;
};
using OptionalCredentials = std::optional<SessionCredentials>;

} // namespace useradmin::httpd

/// Returns what the request's cookies hold, or nothing if they are not signed.
APR_DECLARE_OPTIONAL_FN(useradmin::httpd::OptionalCredentials, useradmin_session_credentials,
                        (const request_rec* request));

/// Returns the secret that signs tokens under a per-directory configuration; empty if they are not
/// signed. Valid as long as the configuration.
APR_DECLARE_OPTIONAL_FN(std::string_view, useradmin_signing_secret,
                        (const ap_conf_vector_t* configuration));

namespace useradmin::httpd {

/// As above; also empty without an auth module.
inline std::string_view signing_secret(const ap_conf_vector_t* configuration) {
    auto* const find = APR_RETRIEVE_OPTIONAL_FN(useradmin_signing_secret);
    return find != nullptr ? find(configuration) : std::string_view();
}

/// As above; also nothing without an auth module.
inline OptionalCredentials session_credentials(const request_rec* request) {
    auto* const find = APR_RETRIEVE_OPTIONAL_FN(useradmin_session_credentials);
    return find != nullptr ? find(request) : std::nullopt;
}

/// As above; also nullptr without an auth module.
inline const char* sign_in_address(request_rec* request) {
    auto* const find = APR_RETRIEVE_OPTIONAL_FN(useradmin_sign_in_address);
    return find != nullptr ? find(request) : nullptr;
}

/// As above; also nothing without an auth module.
inline TokenCarriers token_carriers(const ap_conf_vector_t* configuration) {
    auto* const find = APR_RETRIEVE_OPTIONAL_FN(useradmin_token_carriers);
    return find != nullptr ? find(configuration) : std::nullopt;
}

} // namespace useradmin::httpd
