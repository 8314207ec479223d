// UserAdminExtras: GET and DELETE /api/users/{id}/sessions, DELETE
// /api/users/{id}/sessions/{session id}
#include "api/envelope.hpp"
#include "api/guard_rules.hpp"
#include "api/operations.hpp"
#include "api/texts.hpp"
#include "text/timestamp.hpp"
#include "text/unicode.hpp"

namespace useradmin::api {

Response list_sessions(const Call& call, const Service& service) {
    if (const auto user = service.store.find(call.id); !user)
        return failure_response(user.failure(), call.operation);
    const auto found =
        service.store.list_active_sessions(call.id, text::now(), service.settings.max_limit);
    return found ? sessions(*found) : failure_response(found.failure(), call.operation);
}

Response end_sessions(const Call& call, const Service& service) {
    const auto ended = service.store.delete_sessions_of_user(call.id, guard_of(call));
    return ended ? confirmation(texts.sessions_ended)
                 : failure_response(ended.failure(), call.operation);
}

Response end_session(const Call& call, const Service& service) {
    // An id with invalid UTF-8 or U+0000 matches no session.
    if (!text::is_clean_utf8(call.item_id))
        return error(404, texts.session_not_found);
    const auto ended = service.store.delete_session_of_user(call.id, call.item_id, guard_of(call));
    return ended ? confirmation(texts.session_ended)
                 : failure_response(ended.failure(), call.operation);
}

} // namespace useradmin::api
