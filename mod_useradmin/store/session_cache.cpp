#include "store/session_cache.hpp"

#include <algorithm>
#include <new>
#include <vector>

namespace useradmin::store {

namespace {

constexpr std::chrono::seconds read_interval(1);
constexpr std::chrono::seconds max_unread_time(2);

bool fits(std::string_view text) noexcept {
    return text.size() <= SessionCache::max_text_length;
}

std::uint8_t copy(std::string_view text, std::array<char, SessionCache::max_text_length>& to) {
    std::ranges::copy(text, to.begin());
    return static_cast<std::uint8_t>(text.size());
}

} // namespace

SessionWithUser SessionCache::CachedSession::session_with_user() const noexcept {
    SessionWithUser session;
    session.session.expires_at = expires_at;
    session.user.id = {user_id.data(), user_id_size};
    if (has_role)
        session.user.role = std::string_view(role.data(), role_size);
    session.user.banned = banned;
    session.user.ban_expires = ban_expires;
    return session;
}

bool SessionCache::catch_up(Store& store, std::string_view tables_id, Clock::time_point now) {
    const ProgressTable::Key key = progress_.key(tables_id);
    Progress last = {0, {}, {}, true};
    {
        const auto bucket = progress_.lock(key);
        ProgressTable::Entry* const entry = bucket.find();
        if (entry != nullptr) {
            if (entry->age(now) < read_interval)
                return true;
            Progress& progress = entry->value;
            if (now - progress.begun_at < read_interval)
                return !progress.has_table || entry->age(now) < max_unread_time;
            progress.begun_at = now;
            last = progress;
        }
    }
    const Result<Revocations> read = store.revocations_since(last.position);
    if (!read) {
        // If there was no table, assume that there still is none while the database is unavailable.
        // After any other failure, a table may exist.
        const bool may_have_table = last.has_table || read.failure() != Failure::unavailable;
        const auto bucket = progress_.lock(key);
        if (ProgressTable::Entry* const entry = bucket.find())
            entry->value.has_table = may_have_table;
        return !may_have_table;
    }
    // No cached session can be trusted if there are too many revocations to read, or if another
    // name or a lower position shows that the database was replaced.
    const Sessions::Key database = sessions_.key(read->database);
    if (read->is_partial || read->position < last.position ||
        (last.position > 0 && database != last.database)) {
        invalidate_all();
    } else if (!read->rows.empty()) {
        // Invalidate all users in one pass: a long transaction holds the position back, so every
        // read returns the same revocations again.
        std::vector<std::string_view> ids;
        for (const Revocation& revocation : read->rows)
            ids.push_back(revocation.user_id);
        std::ranges::sort(ids);
        invalidate_users(ids);
    }
    progress_.lock(key).write(now, [&](Progress& progress) {
        progress = {read->position, database, now, read->has_table};
    });
    return true;
}

std::optional<SessionCache::CachedSession> SessionCache::find(std::string_view tables_id,
                                                              std::string_view credential,
                                                              std::chrono::seconds age,
                                                              Clock::time_point now) {
    const Sessions::Key key = sessions_.key(tables_id, credential);
    const auto bucket = sessions_.lock(key);
    const Sessions::Entry* const entry = bucket.find();
    if (entry == nullptr || entry->value.generation < oldest_valid_generation_ ||
        entry->age(now) >= age)
        return std::nullopt;
    return entry->value.session;
}

void SessionCache::put(std::string_view tables_id, std::string_view credential,
                       std::string_view token, const SessionWithUser& session,
                       Generation generation, Clock::time_point now) {
    const model::User& user = session.user;
    // Impersonated sessions are not cached, because an entry does not contain the impersonator.
    if (!fits(user.id) || !fits(user.role.value_or("")) ||
        !session.session.impersonated_by.value_or("").empty())
        return;
    const Sessions::Key token_key = key_of_token(token);
    const Sessions::Key key = sessions_.key(tables_id, credential);
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

void SessionCache::invalidate_user(std::string_view id) noexcept {
    invalidate_users({&id, 1});
}

// invalidate_users() and invalidate_session() increment the generation first. A concurrent put()
// then either sees the new generation, or its session is erased.
void SessionCache::invalidate_users(std::span<const std::string_view> ids) noexcept {
    ++generation_;
    sessions_.erase_if([ids](const Entry& entry) {
        return std::binary_search(ids.begin(), ids.end(),
                                  entry.session.session_with_user().user.id);
    });
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
    oldest_valid_generation_ = ++generation_;
}

} // namespace useradmin::store
