// UserAdminExtras: GET and DELETE /api/users/{id}/sessions, DELETE
// /api/users/{id}/sessions/{session id}
#include "api/envelope.hpp"
#include "api/guard_rules.hpp"
#include "api/operations.hpp"
#include "api/texts.hpp"
#include "text/timestamp.hpp"
#include "text/unicode.hpp"

namespace useradmin::api {

namespace {

/// Checks the session, the role and that the user exists, in this order. Returns the error reply,
/// or std::nullopt if all checks pass.
std::optional<Reply> refusal(const Call& call, const Service& service, const Text& failure_text) {
    if (auto refused = refuse_extras(call, texts.sessions_forbidden))
        return refused;
    if (!text::is_clean_utf8(call.id))
        return error(404, texts.not_found);
    const auto user = service.store.find(call.id);
    if (!user)
        return failure_reply(user.failure(), failure_text);
    return std::nullopt;
}

} // namespace

Reply list_sessions(const Call& call, const Service& service) {
    if (auto refused = refusal(call, service, texts.sessions_failed))
        return *std::move(refused);
    const auto found =
        service.store.list_active_sessions(call.id, text::now(), service.settings.max_limit);
    return found ? sessions(*found) : failure_reply(found.failure(), texts.sessions_failed);
}

Reply end_sessions(const Call& call, const Service& service) {
    if (auto refused = refusal(call, service, texts.end_sessions_failed))
        return *std::move(refused);
    const auto ended = service.store.delete_sessions_of_user(call.id, actor_of(call));
    return ended ? confirmation(texts.sessions_ended)
                 : failure_reply(ended.failure(), texts.end_sessions_failed,
                                 texts.sessions_forbidden);
}

Reply end_session(const Call& call, const Service& service) {
    if (auto refused = refusal(call, service, texts.end_sessions_failed))
        return *std::move(refused);
    // An id with invalid UTF-8 or U+0000 matches no session.
    if (!text::is_clean_utf8(call.item_id))
        return error(404, texts.session_not_found);
    const auto ended = service.store.delete_session_of_user(call.id, call.item_id, actor_of(call));
    if (ended.is_not_found())
        return error(404, texts.session_not_found);
    return ended ? confirmation(texts.session_ended)
                 : failure_reply(ended.failure(), texts.end_sessions_failed,
                                 texts.sessions_forbidden);
}

} // namespace useradmin::api
