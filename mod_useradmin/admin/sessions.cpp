// POST admin/list-user-sessions, revoke-user-session and revoke-user-sessions
#include "admin/endpoints.hpp"
#include "text/unicode.hpp"

namespace useradmin::admin {

namespace {

// better-auth's default limit for queries.
constexpr std::int64_t max_sessions = 100;

/// Returns the error reply if UserAdminGuard forbids the caller from ending the user's sessions,
/// otherwise std::nullopt. Also returns std::nullopt if the user does not exist.
std::optional<Reply> refusal_to_end(const Call& call, std::string_view user_id) {
    const auto user = call.service.store.find(user_id);
    if (!user)
        return user.is_not_found() ? std::nullopt
                                   : std::optional(failure_reply(user.failure(), call.forbidden));
    return may_not_change(call, *user) ? std::optional(error(outranked)) : std::nullopt;
}

} // namespace

Reply list_user_sessions(Call& call) {
    const auto sessions = call.service.store.list_sessions(call.event.target, max_sessions);
    if (!sessions)
        return failure_reply(sessions.failure(), call.forbidden);
    return sessions_reply(*sessions, call.service.shows_tokens);
}

Reply revoke_user_session(Call& call) {
    // The client sends the token from list-user-sessions. With UserAdminBetterAuthTokens Off, that
    // is the session's id.
    const std::string_view key = call.parameters.object()->text("sessionToken");
    const auto session = call.service.store.find_session_of_any(key);
    call.event.is_change = !session.is_not_found();
    if (session.is_not_found())
        return confirmation("success");
    if (!session)
        return failure_reply(session.failure(), call.forbidden);
    call.event.target = session->user_id;
    if (auto refused = refusal_to_end(call, session->user_id))
        return *std::move(refused);
    const auto ended =
        call.service.store.delete_session_of_user(session->user_id, session->id, actor_of(call));
    call.event.is_change = !ended.is_not_found();
    return ended || ended.is_not_found() ? confirmation("success")
                                         : failure_reply(ended.failure(), call.forbidden);
}

Reply revoke_user_sessions(Call& call) {
    if (auto refused = refusal_to_end(call, call.event.target))
        return *std::move(refused);
    const auto ended =
        call.service.store.delete_sessions_of_user(call.event.target, actor_of(call));
    return ended ? confirmation("success") : failure_reply(ended.failure(), call.forbidden);
}

} // namespace useradmin::admin
