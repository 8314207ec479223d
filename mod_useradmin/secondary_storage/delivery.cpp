#include "secondary_storage/delivery.hpp"

#include <chrono>
#include <vector>

namespace useradmin::secondary_storage {

namespace {

using Outcome = Delivery::Outcome;

/// Ends the sessions that a revocation concerns. Sessions that were opened later go on.
Outcome deliver(const store::Revocation& revocation, store::Store& store,
                SecondaryStorage& storage) {
    const auto end = [&](std::span<const std::string_view> tokens,
                         std::optional<text::Timestamp> before) {
        return storage.end_sessions(revocation.user_id, tokens, before) ? Outcome::complete
                                                                        : Outcome::storage_failed;
    };
    // The clocks of the application and the database may differ by a second.
    const text::Timestamp before = revocation.created_at + std::chrono::seconds(1);
    if (revocation.session_id.empty())
        return end({}, before);
    const auto sessions = storage.sessions_of(revocation.user_id);
    if (!sessions)
        return Outcome::storage_failed;
    std::string before_text;
    text::append_iso8601(before_text, before);
    std::vector<std::string_view> tokens;
    for (const StoredSession& session : *sessions) {
        if (session.created_at >= before_text)
            continue;
        // The storage may not know the id of the session's row.
        const auto found = store.find_caller(session.token);
        if (!found && found.failure() != store::Failure::not_found)
            return Outcome::database_failed;
        if (!found)
            tokens.push_back(session.token);
    }
    return tokens.empty() ? Outcome::complete : end(tokens, {});
}

} // namespace

Outcome Delivery::run(store::Store& store, SecondaryStorage& storage) {
    const auto read = store.revocations_since(position_, after_id_);
    if (!read)
        return Outcome::database_failed;
    if (!read->has_table)
        return Outcome::no_table;
    if (read->position < position_) { // another database
        restart();
        return Outcome::partial;
    }
    if (!after_id_) {
        next_position_ = read->position;
        if (read->is_partial) {
            after_id_ = 0; // from now on in the order of the ids
            return Outcome::partial;
        }
    }
    for (const store::Revocation& revocation : read->rows)
        if (const Outcome outcome = deliver(revocation, store, storage);
            outcome != Outcome::complete)
            return outcome;
    if (read->is_partial) {
        after_id_ = read->rows.back().id;
        return Outcome::partial;
    }
    position_ = next_position_;
    after_id_.reset();
    return Outcome::complete;
}

} // namespace useradmin::secondary_storage
