#include "sign_in/open_session.hpp"

#include "crypto/random.hpp"
#include "model/roles.hpp"

namespace useradmin::sign_in {

store::Result<crypto::Secret> open_session(const SignInResult& result, bool is_remembered,
                                           const http::Request& request, const Client& client,
                                           const Service& service) {
    const std::string id = crypto::random_uuid();
    crypto::Secret token(crypto::random_token());
    model::Session session;
    session.id = id;
    session.token = token.view();
    session.user_id = result.user.id;
    session.created_at = session.updated_at = service.now;
    session.expires_at = service.now + (is_remembered ? session_lifetime : short_session_lifetime);
    session.ip_address = client.ip;
    session.user_agent = user_agent_of(request.headers);
    store::SessionTerms terms;
    terms.verified = &result.user;
    terms.now = text::now();
    if (!result.password_hash.empty())
        terms.password_hash = result.password_hash;
    terms.max_sessions = service.max_sessions;
    service.event.caller = service.event.target;
    service.event.role = result.user.role.value_or(model::user_role);
    const auto opened = service.store.create_session(session, terms);
    if (opened)
        return token;
    if (opened.failure() == store::Failure::version_mismatch) {
        service.event.caller.clear();
        service.event.role.clear();
    }
    return opened.failure();
}

} // namespace useradmin::sign_in
