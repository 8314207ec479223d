// Whether AuthUserAdmin or an AuthType sets r->user.
#pragma once

#include "apr/pool.hpp"
#include "httpd/httpd.hpp"
#include "httpd/notes.hpp"

#include <strings.h>

namespace useradmin::auth {

/// Returns whether mod_auth_useradmin sets r->user from the session. With another AuthType, its
/// module sets r->user. httpd does not call that module if r->user is already set or if a Require
/// directive passes without a user.
inline bool takes_user_from_session(request_rec* request) noexcept {
    const char* const type = ap_auth_type(request);
    return apr::view_of(type).empty() || strcasecmp(type, "UserAdmin") == 0;
}

/// Holds the session's user id if another AuthType sets r->user. Points to the same string as
/// httpd::id_note until another module replaces that note. has_session_user() compares the
/// pointers.
inline constexpr const char* session_note = "auth-useradmin-session";

/// Returns whether the session notes of `source` identify the same user as r->user.
inline bool has_session_user(request_rec* request, const request_rec* source) noexcept {
    return takes_user_from_session(request) || apr_table_get(source->notes, httpd::id_note) !=
                                                   apr_table_get(source->notes, session_note);
}

} // namespace useradmin::auth
