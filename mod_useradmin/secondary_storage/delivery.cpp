#include "secondary_storage/delivery.hpp"

#include "text/unicode.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

namespace useradmin::secondary_storage {

namespace {

using Outcome = Delivery::Outcome;

/// Returns the time of the revocation plus one second, because the clocks of the application and
/// the database may differ. Sessions created before that time are revoked.
text::Timestamp end_of(const store::Revocation& revocation) {
    return revocation.created_at + std::chrono::seconds(1);
}

/// Ends the revoked session. Stored sessions without an id are ended if they were created before
/// the revocation and are not in the database.
Outcome end_session(const store::Revocation& revocation, store::Store& store,
                    SecondaryStorage& storage) {
    const auto sessions = storage.sessions_of(revocation.user_id);
    if (!sessions)
        return Outcome::storage_failed;
    std::string before;
    text::append_iso8601(before, end_of(revocation));
    std::vector<std::string_view> tokens;
    for (const StoredSession& session : *sessions) {
        if (session.created_at >= before ||
            (!session.id.empty() && session.id != revocation.session_id))
            continue;
        // Look for the token in the database. The database cannot contain text that is not UTF-8.
        if (!text::is_clean_utf8(session.token)) {
            tokens.push_back(session.token);
            continue;
        }
        const auto found = store.find_caller(session.token);
        if (!found && found.failure() != store::Failure::not_found)
            return Outcome::database_failed;
        if (!found)
            tokens.push_back(session.token);
    }
    return tokens.empty() || storage.end_sessions(revocation.user_id, tokens)
               ? Outcome::complete
               : Outcome::storage_failed;
}

/// Returns the outcome if the revocations cannot be read.
Outcome outcome_of(store::Failure failure) noexcept {
    return failure == store::Failure::unavailable ? Outcome::database_failed
                                                  : Outcome::unreadable_table;
}

Outcome deliver(std::span<const store::Revocation> revocations, store::Store& store,
                SecondaryStorage& storage) {
    std::vector<RevokedUser> users;
    for (const store::Revocation& revocation : revocations)
        if (revocation.session_id.empty())
            users.push_back({revocation.user_id, end_of(revocation)});
    if (!storage.end_all_sessions(users))
        return Outcome::storage_failed;
    for (const store::Revocation& revocation : revocations)
        if (!revocation.session_id.empty())
            if (const Outcome outcome = end_session(revocation, store, storage);
                outcome != Outcome::complete)
                return outcome;
    return Outcome::complete;
}

} // namespace

Outcome Delivery::run(store::Store& store, SecondaryStorage& storage) {
    const Outcome outcome = deliver_page(store, storage);
    if (outcome != Outcome::partial)
        after_id_.reset();
    return outcome;
}

Outcome Delivery::deliver_page(store::Store& store, SecondaryStorage& storage) {
    if (!database_) {
        constexpr std::int64_t end = std::numeric_limits<std::int64_t>::max();
        const auto read = store.revocations_since(end);
        if (!read)
            return outcome_of(read.failure());
        if (!read->has_table)
            return Outcome::no_table;
        database_ = read->database;
    }
    if (!after_id_) {
        const auto stored = storage.position(*database_);
        if (!stored)
            return Outcome::storage_failed;
        start_ = std::min(*stored, position_.value_or(*stored));
    }
    const auto read = store.revocations_since(start_, after_id_);
    if (!read)
        return outcome_of(read.failure());
    if (!read->has_table)
        return Outcome::no_table;
    if (read->database != database_) {
        *this = {};
        return Outcome::partial;
    }
    if (read->position < start_) { // the database was restored from a backup
        position_ = 0;
        after_id_.reset();
        return Outcome::partial;
    }
    if (!after_id_) {
        next_position_ = read->position;
        if (read->is_partial) {
            after_id_ = 0; // from now on, read in id order
            return Outcome::partial;
        }
    }
    if (const Outcome outcome = deliver(read->rows, store, storage); outcome != Outcome::complete)
        return outcome;
    if (read->is_partial) {
        after_id_ = read->rows.back().id;
        return Outcome::partial;
    }
    // Without new revocations, this shows whether the storage still accepts writes.
    if (!storage.set_position(*database_, next_position_))
        return Outcome::storage_failed;
    position_ = next_position_;
    return Outcome::complete;
}

} // namespace useradmin::secondary_storage
