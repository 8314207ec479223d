// Whether AuthUserAdmin or an AuthType sets r->user.
#pragma once

#include "apr/pool.hpp"
#include "httpd/httpd.hpp"
#include "httpd/notes.hpp"

#include <strings.h>

namespace useradmin::auth {

/// Returns whether r->user is taken from the session. Other AuthTypes set it themselves; httpd does
/// not call their modules if r->user is already set or a Require passes without a user.
inline bool takes_user_from_session(request_rec* request) noexcept {
    const char* const type = ap_auth_type(request);
    return apr::view_of(type).empty() || strcasecmp(type, "UserAdmin") == 0;
}

/// The note with the session's user id if another AuthType sets r->user. Until another module
/// changes httpd::id_note, both notes are the same pointer.
inline constexpr const char* session_note = "auth-useradmin-session";

/// Returns whether the session notes of `source` identify the same user as r->user.
inline bool has_session_user(request_rec* request, const request_rec* source) noexcept {
    return takes_user_from_session(request) || apr_table_get(source->notes, httpd::id_note) !=
                                                   apr_table_get(source->notes, session_note);
}

} // namespace useradmin::auth
