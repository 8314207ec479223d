// Who says who the user of a Location is.
#pragma once

#include "apr/pool.hpp"
#include "httpd/httpd.hpp"

#include <strings.h>

namespace useradmin::auth {

/// Whether a Location has that AuthType, in any case.
inline bool is_auth_type(request_rec* request, const char* name) noexcept {
    const char* const type = ap_auth_type(request);
    return type != nullptr && strcasecmp(type, name) == 0;
}

/// Whether the AuthType leaves that to a session. Any other has a way of its own to find the user,
/// which httpd does not ask where there is one already, or where a Require passes without.
inline bool is_user_of_session(request_rec* request) noexcept {
    return apr::view_of(ap_auth_type(request)).empty() || is_auth_type(request, "UserAdmin");
}

} // namespace useradmin::auth
