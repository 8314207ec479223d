// POST admin/impersonate-user and stop-impersonating
#include "admin/endpoints.hpp"
#include "api/access.hpp"
#include "crypto/random.hpp"
#include "sign_in/identity.hpp"
#include "sign_in/open_session.hpp"
#include "sign_in/responses.hpp"
#include "text/split.hpp"
#include "text/timestamp.hpp"
#include "json/record.hpp"

#include <chrono>

namespace useradmin::admin {

namespace {

constexpr std::string_view admin_session = "admin_session";
// better-auth's defaults.
constexpr std::chrono::hours impersonation_lifetime(1);
constexpr std::chrono::days admin_session_lifetime(7);

constexpr Problem cannot_impersonate_admins = {403, "YOU_CANNOT_IMPERSONATE_ADMINS",
                                               "You cannot impersonate admins"};

/// Returns the error response if the caller may not impersonate the user, otherwise std::nullopt.
std::optional<Response> rejection_of(const Call& call, const model::User& user) {
    const std::string_view roles = user.role.value_or(model::user_role);
    const bool is_higher =
        model::is_super_admin(roles) && !model::is_super_admin(call.caller.roles);
    // Every role in UserAdminBetterAuthRole is privileged, even one without actions. So is the
    // admin role, because the API gives it permissions.
    const bool has_rights =
        has_listed_role(call.service.roles, roles) || model::has_role(roles, model::admin_role);
    if (is_higher || call.service.settings.protected_email.matches(user.email) ||
        (has_rights && !call.may(Action::impersonate_admins)))
        return error(cannot_impersonate_admins);
    if (sign_in::is_banned(user, text::now()))
        return sign_in::rejection_of({sign_in::Outcome::banned});
    return std::nullopt;
}

Response no_admin_session() {
    return sign_in::error(500, "Failed to find admin session");
}

Response impersonation_response(const model::Session& session, const model::User& user) {
    Response response;
    json::Writer writer(response.body);
    json::write_record(writer.begin_object().key("session"), session);
    write_user(writer.key("user"), user);
    writer.end_object();
    return response;
}

} // namespace

Response impersonate_user(Call& call) {
    const SessionCookies& own = *call.service.session_cookies;
    // A caller without a session token could not return to the original session. In an impersonated
    // session, the new session would name the wrong administrator.
    if (own.token.empty() || !call.caller.impersonated_by.empty())
        return error(call.forbidden);
    const auto user = call.service.store.find(call.event.target, store::UserColumns::all);
    if (!user)
        return failure_response(user.failure(), call.forbidden);
    if (auto rejection = rejection_of(call, *user))
        return *std::move(rejection);
    const std::string id = crypto::random_uuid();
    const crypto::Secret token(crypto::random_token());
    model::Session session;
    session.id = id;
    session.token = token.view();
    session.user_id = user->id;
    session.created_at = session.updated_at = text::now();
    session.expires_at = *session.created_at + impersonation_lifetime;
    session.ip_address = own.client_address;
    session.user_agent = sign_in::user_agent_of(call.request.headers);
    session.impersonated_by = call.caller.id;
    // Fail if the user or the caller has been banned or given a new role in the meantime.
    store::SessionTerms terms;
    terms.verified = &*user;
    terms.now = text::now();
    terms.actor = actor_of(call);
    const auto opened = call.service.store.create_session(session, terms);
    if (!opened && opened.failure() == store::Failure::version_mismatch)
        return error(user_not_found);
    if (!opened)
        return failure_response(opened.failure(), call.forbidden);
    session.id = *opened;
    Response response = impersonation_response(session, *user);
    own.cookies.expire_session(response);
    const crypto::Secret kept(std::string(own.token) + (own.has_dont_remember ? ":true" : ":"));
    own.cookies.set(response, admin_session, kept.view(), admin_session_lifetime);
    own.cookies.set_session(response, token.view(), false);
    return response;
}

Response stop_impersonating(Call& call) {
    const SessionCookies& own = *call.service.session_cookies;
    if (own.token.empty())
        return error(call.forbidden);
    if (call.caller.impersonated_by.empty())
        return sign_in::error(400, "You are not impersonating anyone");
    call.event.target = call.caller.id;
    const auto administrator =
        call.service.store.find(call.caller.impersonated_by, store::UserColumns::all);
    if (administrator.is_not_found())
        return sign_in::error(500, "Failed to find user");
    if (!administrator)
        return failure_response(administrator.failure(), call.forbidden);
    std::string_view rest = own.admin_session;
    const std::string_view token = text::take_until(rest, ':');
    const bool has_dont_remember = !rest.empty();
    if (token.empty())
        return no_admin_session();
    const auto found = call.service.store.find_session(token);
    if (!found && !found.is_not_found())
        return failure_response(found.failure(), call.forbidden);
    if (!found || found->user.id != administrator->id || !found->session.expires_at ||
        *found->session.expires_at <= text::now())
        return no_admin_session();
    const auto ended = call.service.store.delete_session(own.token);
    if (!ended && !ended.is_not_found())
        return failure_response(ended.failure(), call.forbidden);
    model::Session session = found->session;
    session.token = token;
    Response response = impersonation_response(session, *administrator);
    own.cookies.set_session(response, token, !has_dont_remember);
    if (!has_dont_remember)
        own.cookies.expire(response, "dont_remember");
    own.cookies.expire(response, admin_session);
    return response;
}

} // namespace useradmin::admin
