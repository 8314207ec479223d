// Request notes. The auth module passes the caller to the service, and the service passes its
// events to CustomLog.
#pragma once

#include "apr/pool.hpp"
#include "audit/event.hpp"
#include "httpd/httpd.hpp"

#include <string_view>
#include <utility>

namespace useradmin::httpd {

/// An auth module sets these notes to identify the caller. A request without an id has no session.
/// A caller without a role has the `user` role.
inline constexpr const char* id_note = "session-user-id";
inline constexpr const char* role_note = "session-user-role";
/// The user table that contains the id and the role, as named in UserAdminTables. Unset if they
/// have another source. If the note names the service's user table, a change rechecks the caller's
/// row.
inline constexpr const char* table_note = "session-user-table";
inline constexpr const char* impersonator_note = "session-impersonated-by";
/// Set if the request's credential was rejected. The callers of the requests that led to this one
/// then do not apply. Not set if the credential was valid or its lookup failed.
inline constexpr const char* rejected_note = "session-rejected";
/// The id and the permissions (as JSON) of the API key that identified the caller.
inline constexpr const char* api_key_note = "session-api-key";
inline constexpr const char* permissions_note = "session-permissions";

/// Sets a note, or removes it if the text is empty.
inline void set_note(request_rec* request, const char* name, std::string_view text) {
    if (text.empty())
        apr_table_unset(request->notes, name);
    else
        apr_table_setn(request->notes, name, apr::copy_c_string(request->pool, text));
}

/// Sets the notes about the caller and, if there is one, the administrator who impersonates the
/// caller. Removes those about an API key.
inline void note_caller(request_rec* request, std::string_view id, std::string_view role,
                        std::string_view table, std::string_view impersonated_by = {}) {
    apr_table_setn(request->notes, id_note, apr::copy_c_string(request->pool, id));
    apr_table_setn(request->notes, role_note, apr::copy_c_string(request->pool, role));
    apr_table_setn(request->notes, table_note, apr::copy_c_string(request->pool, table));
    set_note(request, impersonator_note, impersonated_by);
    apr_table_unset(request->notes, api_key_note);
    apr_table_unset(request->notes, permissions_note);
}

/// Notes for access logs, such as `%{useradmin-action}n`.
inline constexpr const char* action_note = "useradmin-action";
inline constexpr const char* target_note = "useradmin-target";
inline constexpr const char* caller_note = "useradmin-caller";
inline constexpr const char* event_impersonator_note = "useradmin-impersonated-by";
inline constexpr const char* result_note = "useradmin-result";

/// Replaces the notes about a request's event, unless the event has no operation. If a value is
/// empty, removes its note.
inline void note_event(request_rec* request, const audit::Event& event) {
    const std::pair<const char*, std::string_view> notes[] = {
        {action_note, event.operation},
        {target_note, event.target},
        {caller_note, event.caller},
        {event_impersonator_note, event.impersonated_by},
        {result_note, text_of(event.result())},
    };
    if (event.operation.empty())
        return;
    for (const auto& [name, text] : notes)
        set_note(request, name, text);
}

} // namespace useradmin::httpd
