// POST admin/list-user-sessions, revoke-user-session and revoke-user-sessions
#include "admin/endpoints.hpp"
#include "text/unicode.hpp"

namespace useradmin::admin {

namespace {

// better-auth's default limit for queries.
constexpr std::int64_t max_sessions = 100;

} // namespace

Response list_user_sessions(Call& call) {
    const auto sessions = call.service.store.list_sessions(call.event.target, max_sessions);
    if (!sessions)
        return failure_response(sessions.failure(), call.forbidden);
    bool shows_tokens = call.service.shows_tokens;
    // Anyone who has the token can act as the user.
    if (shows_tokens && is_limited_by_rank(call)) {
        const auto user = call.service.store.find(call.event.target);
        if (!user && !user.is_not_found())
            return failure_response(user.failure(), call.forbidden);
        shows_tokens = user && !guard_forbids_change(call, *user);
    }
    return sessions_response(*sessions, shows_tokens);
}

Response revoke_user_session(Call& call) {
    // The client sends the token from list-user-sessions. With UserAdminBetterAuthTokens Off, this
    // token is the session's id.
    const std::string_view key = call.parameters.object()->text("sessionToken");
    const auto session = call.service.store.find_session_by_token_or_id(key);
    call.event.is_change = !session.is_not_found();
    if (session.is_not_found())
        return confirmation("success");
    if (!session)
        return failure_response(session.failure(), call.forbidden);
    call.event.target = session->user_id;
    const auto ended = call.service.store.delete_session_of_user(session->user_id, session->id,
                                                                 guard_of(call, false));
    const bool is_missing = !ended && (ended.failure() == store::Failure::no_session ||
                                       ended.failure() == store::Failure::not_found);
    call.event.is_change = !is_missing;
    return ended || is_missing ? confirmation("success")
                               : failure_response(ended.failure(), call.forbidden);
}

Response revoke_user_sessions(Call& call) {
    const auto ended =
        call.service.store.delete_sessions_of_user(call.event.target, guard_of(call, false));
    return ended || ended.is_not_found() ? confirmation("success")
                                         : failure_response(ended.failure(), call.forbidden);
}

} // namespace useradmin::admin
