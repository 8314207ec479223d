#include "store/session_cache.hpp"

#include <algorithm>
#include <new>

namespace useradmin::store {

namespace {

constexpr std::chrono::seconds read_interval(1);
constexpr std::chrono::seconds max_unread_time(2);

bool fits(std::string_view text) noexcept {
    return text.size() <= SessionCache::max_text_length;
}

std::uint8_t copy(std::string_view text, std::array<char, SessionCache::max_text_length>& to) {
    std::copy(text.begin(), text.end(), to.begin());
    return static_cast<std::uint8_t>(text.size());
}

} // namespace

SessionWithUser SessionCache::CachedSession::signed_in() const noexcept {
    SessionWithUser session;
    session.session.expires_at = expires_at;
    session.user.id = {user_id.data(), user_id_size};
    if (has_role)
        session.user.role = std::string_view(role.data(), role_size);
    session.user.banned = banned;
    session.user.ban_expires = ban_expires;
    return session;
}

bool SessionCache::catch_up(Store& store, std::string_view place, Clock::time_point now) {
    const Places::Key key = places_.key(place);
    std::int64_t position = 0;
    {
        const auto bucket = places_.lock(key);
        Places::Entry* const entry = bucket.find();
        if (entry != nullptr) {
            if (entry->age(now) < read_interval)
                return true;
            Progress& progress = entry->value;
            if (now - progress.begun_at < read_interval)
                return entry->age(now) < max_unread_time;
            progress.begun_at = now;
            position = progress.position;
        }
    }
    const Result<Revocations> read = store.revocations_since(position);
    if (!read)
        return false;
    // Positions start again in a new database.
    if (read->is_partial || read->position < position)
        invalidate_all();
    else
        for (const Revocation& revocation : read->rows)
            invalidate_user(revocation.user_id);
    places_.lock(key).write(now, [&](Progress& progress) { progress = {read->position, now}; });
    return true;
}

std::optional<SessionCache::CachedSession> SessionCache::find(std::string_view place,
                                                              std::string_view credential,
                                                              std::chrono::seconds age,
                                                              Clock::time_point now) {
    const Sessions::Key key = sessions_.key(place, credential);
    const auto bucket = sessions_.lock(key);
    const Sessions::Entry* const entry = bucket.find();
    if (entry == nullptr || entry->value.generation < beginning_ || entry->age(now) >= age)
        return std::nullopt;
    return entry->value.session;
}

void SessionCache::put(std::string_view place, std::string_view credential, std::string_view token,
                       const SessionWithUser& session, Generation generation,
                       Clock::time_point now) {
    const model::User& user = session.user;
    // Impersonated sessions are not cached: an entry does not contain the impersonator.
    if (!fits(user.id) || !fits(user.role.value_or("")) ||
        !session.session.impersonated_by.value_or("").empty())
        return;
    const Sessions::Key token_key = key_of_token(token);
    const Sessions::Key key = sessions_.key(place, credential);
    const auto bucket = sessions_.lock(key);
    if (generation_ != generation)
        return;
    bucket.write(now, [&](Entry& entry) {
        entry.generation = generation;
        entry.token = token_key;
        CachedSession& cached = entry.session;
        cached.expires_at = session.session.expires_at;
        cached.banned = user.banned;
        cached.ban_expires = user.ban_expires;
        cached.has_role = user.role.has_value();
        cached.user_id_size = copy(user.id, cached.user_id);
        cached.role_size = copy(user.role.value_or(""), cached.role);
    });
}

// Both increment the generation first: a concurrent lookup is then either erased here or sees the
// new generation.
void SessionCache::invalidate_user(std::string_view id) noexcept {
    ++generation_;
    sessions_.erase_if(
        [id](const Entry& entry) { return entry.session.signed_in().user.id == id; });
}

void SessionCache::invalidate_session(std::string_view token) noexcept {
    ++generation_;
    try {
        sessions_.erase_if(
            [key = key_of_token(token)](const Entry& entry) { return entry.token == key; });
    } catch (const std::bad_alloc&) {
        invalidate_all(); // invalidating too much is safe
    }
}

void SessionCache::invalidate_all() noexcept {
    beginning_ = ++generation_;
}

} // namespace useradmin::store
