// Who says who the user of a Location is.
#pragma once

#include "apr/pool.hpp"
#include "httpd/httpd.hpp"
#include "httpd/notes.hpp"

#include <strings.h>

namespace useradmin::auth {

/// Whether a Location has that AuthType, in any case.
inline bool is_auth_type(request_rec* request, const char* name) noexcept {
    const char* const type = ap_auth_type(request);
    return type != nullptr && strcasecmp(type, name) == 0;
}

/// Whether the AuthType leaves that to a session. Any other has a way of its own to find the user,
/// which httpd does not ask where there is one already, or where a Require passes without.
inline bool takes_user_from_session(request_rec* request) noexcept {
    return apr::view_of(ap_auth_type(request)).empty() || is_auth_type(request, "UserAdmin");
}

/// The note with the id of who a session says is calling, where the user is another one to find:
/// the text that httpd::id_note has until somebody else names the caller.
inline constexpr const char* session_note = "auth-useradmin-session";

/// Whether the caller whom a request's notes name is the user of the Location.
inline bool has_session_user(request_rec* request, const request_rec* source) noexcept {
    return takes_user_from_session(request) || apr_table_get(source->notes, httpd::id_note) !=
                                                   apr_table_get(source->notes, session_note);
}

} // namespace useradmin::auth
