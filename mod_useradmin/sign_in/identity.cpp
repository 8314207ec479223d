#include "sign_in/identity.hpp"

#include "model/roles.hpp"
#include "text/unicode.hpp"

namespace useradmin::sign_in {

namespace {

Identity identity_of(const store::SessionWithUser& session, text::Timestamp now) {
    const model::Session& found = session.session;
    const model::User& user = session.user;
    if (!found.expires_at || *found.expires_at <= now)
        return {CredentialStatus::expired};
    if (is_banned(user, now))
        return {CredentialStatus::banned};
    return {CredentialStatus::valid, user.id, user.role.value_or(""),
            found.impersonated_by.value_or("")};
}

} // namespace

CredentialStatus status_of(store::Failure failure) noexcept {
    return failure == store::Failure::not_found     ? CredentialStatus::unknown
           : failure == store::Failure::unavailable ? CredentialStatus::unavailable
                                                    : CredentialStatus::failed;
}

std::optional<Identity> find_cached(store::Store& store, CachedSessions& cached,
                                    text::Timestamp now) {
    const auto requested_at = store::SessionCache::Clock::now();
    if (cached.cache.catch_up(store, cached.tables_id, requested_at))
        cached.found =
            cached.cache.find(cached.tables_id, cached.credential, cached.age, requested_at);
    if (!cached.found)
        return std::nullopt;
    const Identity identity = identity_of(cached.found->session_with_user(), now);
    // An expired session may have been extended in the database.
    return identity.status == CredentialStatus::valid ? std::optional(identity) : std::nullopt;
}

Identity identify(store::Store& store, std::string_view token, text::Timestamp now,
                  const CachedSessions* cached) {
    if (token.empty() || !text::is_clean_utf8(token))
        return {CredentialStatus::malformed};
    // Read the time and the generation before the lookup, so the cache detects an invalidation
    // during the lookup.
    const auto requested_at = store::SessionCache::Clock::now();
    const auto generation =
        cached != nullptr ? cached->cache.generation() : store::SessionCache::Generation();
    const auto session = store.find_caller(token);
    if (!session)
        return {status_of(session.failure())};
    Identity identity = identity_of(*session, now);
    if (identity.status == CredentialStatus::valid)
        identity.status = impersonator_status(store, *session, now);
    if (cached != nullptr && identity.status == CredentialStatus::valid)
        cached->cache.put(cached->tables_id, cached->credential, token, *session, generation,
                          requested_at);
    return identity;
}

CredentialStatus impersonator_status(store::Store& store, const store::SessionWithUser& session,
                                     text::Timestamp now) {
    const std::string_view id = session.session.impersonated_by.value_or("");
    if (id.empty())
        return CredentialStatus::valid;
    const auto found = store.find(id);
    if (!found)
        return status_of(found.failure());
    const std::string_view role = found->role.value_or("");
    const bool is_demoted = role.empty() || role == model::user_role;
    const bool is_higher =
        model::is_super_admin(session.user.role.value_or("")) && !model::is_super_admin(role);
    return is_banned(*found, now)    ? CredentialStatus::banned
           : is_demoted || is_higher ? CredentialStatus::unknown
                                     : CredentialStatus::valid;
}

bool is_banned(const model::User& user, text::Timestamp now) {
    return user.banned && (!user.ban_expires || *user.ban_expires > now);
}

} // namespace useradmin::sign_in
