// Where users sign in, as mod_auth_useradmin tells mod_useradmin.
#pragma once

#include "httpd/httpd.hpp"

/// The base address of the first Location with AuthUserAdminSignIn On in the request's virtual host
/// that no later one switches off; nullptr where there is none. It lives as long as the
/// configuration.
APR_DECLARE_OPTIONAL_FN(const char*, useradmin_sign_in_address, (request_rec * request));

namespace useradmin::httpd {

/// The same; nullptr too where mod_auth_useradmin is not loaded.
inline const char* sign_in_address(request_rec* request) {
    auto* const find = APR_RETRIEVE_OPTIONAL_FN(useradmin_sign_in_address);
    return find != nullptr ? find(request) : nullptr;
}

} // namespace useradmin::httpd
