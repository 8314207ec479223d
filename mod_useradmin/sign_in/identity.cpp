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

Identity identity_of(const store::SessionWithUser& session, text::Timestamp now) {
    const model::Session& found = session.session;
    const model::User& user = session.user;
    if (!found.expires_at || *found.expires_at <= now)
        return {Standing::expired};
    if (is_banned(user, now))
        return {Standing::banned};
    return {Standing::recognised, user.id, user.role.value_or(""),
            found.impersonated_by.value_or("")};
}

} // namespace

std::optional<Identity> recall(KeptSessions& kept, text::Timestamp now) {
    kept.found = kept.cache.find(kept.place, kept.credential, kept.age, SessionCache::Clock::now());
    if (!kept.found)
        return std::nullopt;
    const Identity identity = identity_of(kept.found->signed_in(), now);
    // Of a session that has ended the database may know by now that it goes on.
    return identity.standing == Standing::recognised ? std::optional(identity) : std::nullopt;
}

Identity identify(store::Store& store, std::string_view token, text::Timestamp now,
                  const KeptSessions* kept) {
    if (token.empty() || !text::is_clean_utf8(token))
        return {Standing::malformed};
    // Both as they were before the session is looked up.
    const auto asked_at = SessionCache::Clock::now();
    const auto generation = kept != nullptr ? kept->cache.generation() : SessionCache::Generation();
    const auto session = store.find_caller(token);
    if (!session)
        return {standing_of(session.failure())};
    const Identity identity = identity_of(*session, now);
    if (kept != nullptr && identity.standing == Standing::recognised)
        kept->cache.keep(kept->place, kept->credential, token, *session, generation, asked_at);
    return identity;
}

bool is_banned(const model::User& user, text::Timestamp now) {
    return user.banned && (!user.ban_expires || *user.ban_expires > now);
}

} // namespace useradmin::sign_in
