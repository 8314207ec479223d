#include "sign_in/identity.hpp"

#include "text/unicode.hpp"

namespace useradmin::sign_in {

namespace {

Standing standing_of(store::Failure failure) noexcept {
    switch (failure) {
    case store::Failure::not_found:
        return Standing::unknown;
    case store::Failure::unavailable:
        return Standing::unavailable;
    default:
        return Standing::failed;
    }
}

} // namespace

Identity identify(store::Store& store, std::string_view token, store::Timestamp now) {
    if (token.empty() || !text::is_clean_utf8(token))
        return {Standing::malformed};
    const auto session = store.session(token);
    if (!session)
        return {standing_of(session.failure())};
    const store::Session& found = session->session;
    const store::User& user = session->user;
    if (!found.expires_at || *found.expires_at <= now)
        return {Standing::expired};
    if (is_banned(user, now))
        return {Standing::banned};
    return {Standing::recognised, user.id, user.role.value_or("")};
}

bool is_banned(const store::User& user, store::Timestamp now) {
    return user.banned && (!user.ban_expires || *user.ban_expires > now);
}

} // namespace useradmin::sign_in
