#include "sign_in/identity.hpp"

#include "text/unicode.hpp"

namespace useradmin::sign_in {

store::Result<Identity> identify(store::Store& store, std::string_view token,
                                 store::Timestamp now) {
    if (token.empty() || !text::is_clean_utf8(token))
        return store::Failure::not_found;
    const auto session = store.session(token);
    if (!session)
        return session.failure();
    const store::Session& found = session->session;
    const store::User& user = session->user;
    const bool has_expired = !found.expires_at || *found.expires_at <= now;
    if (has_expired || is_banned(user, now))
        return store::Failure::not_found;
    return Identity{user.id, user.role.value_or("")};
}

bool is_banned(const store::User& user, store::Timestamp now) {
    return user.banned && (!user.ban_expires || *user.ban_expires > now);
}

} // namespace useradmin::sign_in
