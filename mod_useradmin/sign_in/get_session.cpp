// GET /get-session
#include "sign_in/cookies.hpp"
#include "sign_in/endpoints.hpp"
#include "sign_in/identity.hpp"
#include "sign_in/responses.hpp"
#include "text/unicode.hpp"
#include "text/url.hpp"

namespace useradmin::sign_in {

namespace {

Response no_session() {
    return {200, "null"};
}

Response ended_session(const Service& service) {
    Response response = no_session();
    service.cookies.expire_session(response);
    return response;
}

/// Returns whether the session expires sooner after its creation than httpd's own sessions.
bool is_short(const model::Session& session) {
    // better-auth determines the two times one after the other.
    constexpr std::chrono::minutes tolerance(1);
    return session.created_at &&
           *session.expires_at - *session.created_at + tolerance < session_lifetime;
}

bool needs_refresh(const model::Session& session, text::Timestamp now) {
    return !is_short(session) &&
           *session.expires_at - session_lifetime + session_refresh_age <= now;
}

Response extend(store::SessionWithUser& session_with_user, const Service& service) {
    model::Session& session = session_with_user.session;
    const text::Timestamp expires_at = service.now + session_lifetime;
    const auto extended = service.store.extend_session(session.token, expires_at, service.now);
    if (extended.is_not_found()) {
        // The session ended in the meantime.
        Response response = error(401, "Failed to get session", "FAILED_TO_GET_SESSION");
        service.cookies.expire_session(response);
        return response;
    }
    // For example, the database is read-only. The store has logged why.
    if (!extended)
        return sign_in::session(session_with_user);
    session.expires_at = expires_at;
    session.updated_at = service.now;
    Response response = sign_in::session(session_with_user);
    service.cookies.set_session(response, session.token, true);
    return response;
}

Response session_response(const Request& request, const Client& client, const Service& service) {
    if (client.token.empty() || !text::is_clean_utf8(client.token))
        return no_session();
    const auto found = service.store.find_session(client.token);
    if (!found)
        return found.is_not_found() ? ended_session(service) : store_error(found.failure());
    store::SessionWithUser session_with_user = *found;
    if (!session_with_user.session.expires_at ||
        *session_with_user.session.expires_at <= service.now) {
        // If this fails, the store logs why. The session is invalid anyway.
        static_cast<void>(service.store.delete_session(client.token));
        return ended_session(service);
    }
    // A banned user's session is invalid, but keep it: the ban may expire before the session.
    if (is_banned(session_with_user.user, service.now))
        return no_session();
    const bool is_impersonated = !session_with_user.session.impersonated_by.value_or("").empty();
    if (service.rejects_impersonated && is_impersonated)
        return no_session();
    switch (impersonator_status(service.store, session_with_user, service.now)) {
    case CredentialStatus::valid:
        break;
    case CredentialStatus::unavailable:
        return store_error(store::Failure::unavailable);
    case CredentialStatus::failed:
        return store_error(store::Failure::failed);
    default:
        return no_session();
    }
    const bool may_extend =
        !client.has_dont_remember && !is_impersonated &&
        text::query_parameter(request.query, "disableRefresh").value_or("").empty();
    return may_extend && needs_refresh(session_with_user.session, service.now)
               ? extend(session_with_user, service)
               : sign_in::session(session_with_user);
}

} // namespace

Response get_session(const Request& request, const Client& client, const Service& service) {
    Response response = session_response(request, client, service);
    response.headers.push_back({"Pragma", "no-cache"});
    return response;
}

} // namespace useradmin::sign_in
