// GET /get-session
#include "sign_in/endpoints.hpp"
#include "sign_in/identity.hpp"
#include "sign_in/lengths.hpp"
#include "sign_in/replies.hpp"
#include "text/unicode.hpp"
#include "text/url.hpp"

namespace useradmin::sign_in {

namespace {

Reply no_session() {
    return {200, "null"};
}

Reply ended_session(const Service& service) {
    Reply reply = no_session();
    close_session(reply, service);
    return reply;
}

bool is_due(const model::Session& session, text::Timestamp now) {
    return *session.expires_at - session_length + extension_age <= now;
}

Reply extended(store::SessionWithUser& signed_in, const Service& service) {
    model::Session& session = signed_in.session;
    session.expires_at = service.now + session_length;
    session.updated_at = service.now;
    const auto has_extended =
        service.store.extend_session(session.token, *session.expires_at, service.now);
    if (!has_extended && !has_extended.is_not_found())
        return failure(has_extended.failure());
    if (!has_extended) {
        // It ended in the meantime.
        Reply reply = error(401, "Failed to get session", "FAILED_TO_GET_SESSION");
        close_session(reply, service);
        return reply;
    }
    Reply reply = sign_in::session(signed_in);
    open_session(reply, session.token, true, service);
    return reply;
}

Reply answer_session(const Request& request, const Client& client, const Service& service) {
    if (client.token.empty() || !text::is_clean_utf8(client.token))
        return no_session();
    const auto found = service.store.find_session(client.token);
    if (!found)
        return found.is_not_found() ? ended_session(service) : failure(found.failure());
    store::SessionWithUser signed_in = *found;
    if (!signed_in.session.expires_at || *signed_in.session.expires_at <= service.now) {
        const auto closed = service.store.delete_session(client.token);
        return closed || closed.is_not_found() ? ended_session(service) : failure(closed.failure());
    }
    // The session of a banned user is none, but the ban may end before it.
    if (is_banned(signed_in.user, service.now))
        return no_session();
    if (service.refuses_impersonated && !signed_in.session.impersonated_by.value_or("").empty())
        return no_session();
    const bool may_extend =
        !client.is_not_remembered &&
        text::query_parameter(request.query, "disableRefresh").value_or("").empty();
    return may_extend && is_due(signed_in.session, service.now) ? extended(signed_in, service)
                                                                : sign_in::session(signed_in);
}

} // namespace

Reply get_session(const Request& request, const Client& client, const Service& service) {
    Reply reply = answer_session(request, client, service);
    reply.headers.push_back({"Pragma", "no-cache"});
    return reply;
}

} // namespace useradmin::sign_in
