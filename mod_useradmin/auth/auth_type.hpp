// Whether the session or an AuthType determines the user.
#pragma once

#include "apr/pool.hpp"
#include "httpd/httpd.hpp"
#include "httpd/notes.hpp"

#include <strings.h>

namespace useradmin::auth {

/// Returns whether the request has the AuthType, ignoring case.
inline bool is_auth_type(request_rec* request, const char* name) noexcept {
    const char* const type = ap_auth_type(request);
    return type != nullptr && strcasecmp(type, name) == 0;
}

/// Returns whether the AuthType takes r->user from the session. Other types determine the user
/// themselves; httpd does not call them if r->user is set or a Require passes without a user.
inline bool takes_user_from_session(request_rec* request) noexcept {
    return apr::view_of(ap_auth_type(request)).empty() || is_auth_type(request, "UserAdmin");
}

/// The note with the session's user id if another AuthType determines the user. It equals
/// httpd::id_note until another module sets that note.
inline constexpr const char* session_note = "auth-useradmin-session";

/// Returns whether the caller in the notes of source is the user of the request.
inline bool has_session_user(request_rec* request, const request_rec* source) noexcept {
    return takes_user_from_session(request) || apr_table_get(source->notes, httpd::id_note) !=
                                                   apr_table_get(source->notes, session_note);
}

} // namespace useradmin::auth
