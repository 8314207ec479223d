#include "model/roles.hpp"
#include "store/conditions.hpp"
#include "store/lists.hpp"
#include "store/statements/parts.hpp"
#include "store/update_conditions.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace useradmin::store::statements {

namespace {

// The maximum number of revocations to read in one statement.
constexpr std::size_t max_revocations = 1000;

/// Appends the FROM and WHERE clauses for the session s with the token, and its user u.
void append_of_session(Statement& statement, const Schema& schema, std::string_view token) {
    const Column& column = schema.session.at("token");
    const Column& key = schema.user.at("id");
    statement << " FROM " << schema.session << " s JOIN " << schema.user << " u ON u." << key
              << key.op("=") << "s." << schema.session.at("userId") << " WHERE ";
    append_equals(statement, column, token, "s.");
}

/// Appends a condition that a row of the session table has not expired.
void append_unexpired(Statement& statement, const Table& table, text::Timestamp now) {
    const Column& expires = table.at("expiresAt");
    const bool is_number = expires.has_unix_times();
    // In a text column, times in other formats compare correctly only by day. Sessions with such
    // times are treated as live for another day.
    const bool is_exact = expires.kind == Column::Kind::timestamp || is_number;
    now -= std::chrono::days(is_exact ? 0 : 1);
    // In SQLite's RETURNING, neither the column nor the argument has a reliable affinity.
    statement << expires << expires.op(">") << (is_number ? "CAST(" : "") << argument(expires, now)
              << (is_number ? " AS bigint)" : "");
}

/// Appends the condition that is true if useradmin_row is a session of the user, but not one of the
/// newest max_sessions - 1 unexpired ones.
void append_excess(Statement& statement, const Table& table, const model::Session& session,
                   const SessionTerms& terms) {
    const Column& owner = table.at("userId");
    append_equals(statement, owner, session.user_id);
    const Column& key = table.at("id");
    statement << " AND NOT EXISTS (SELECT 1 FROM (SELECT " << key << " AS id FROM " << table
              << " WHERE ";
    append_equals(statement, owner, session.user_id);
    append_unexpired(statement << " AND ", table, terms.now);
    statement << " ORDER BY " << newest_first_order(table) << " LIMIT "
              << argument(terms.max_sessions - 1) << ") useradmin_kept WHERE useradmin_kept.id"
              << key.op("=") << "useradmin_row." << key << ")";
}

/// Locks the user, and ends the user's sessions beyond SessionTerms::max_sessions. Returns false on
/// failure.
bool end_surplus_sessions(Work& work, const model::Session& session, const SessionTerms& terms) {
    const Schema& schema = work.schema();
    const DatabaseProduct& product = work.dialect().product();
    // Only a statement that begins after the row is locked sees the sessions that were opened
    // during the wait.
    Statement lock = work.statement();
    lock << "SELECT 1 FROM " << schema.user << " WHERE ";
    append_equals(lock, schema.user.at("id"), session.user_id);
    if (!work.run(lock << product.row_lock))
        return false;
    const Table& table = schema.session;
    const Column& key = table.at("id");
    // Skip locked sessions, because other transactions are about to delete them.
    const auto [before, after] = product.any_of_skip_locked;
    Statement surplus = work.statement();
    surplus << "DELETE FROM " << table << " WHERE " << key << before << "SELECT " << key << " FROM "
            << table << " AS useradmin_row WHERE ";
    append_excess(surplus, table, session, terms);
    append_unexpired(surplus << after << " RETURNING " << table.select_expression("id") << ", ",
                     table, terms.now);
    Result<Rows> ended = work.run(surplus);
    while (ended && ended->next()) {
        const std::string_view id = ended->take().value_or("");
        if (ended->take_boolean() && schema.revocation.exists() &&
            !work.dialect().record_revocation(work, {session.user_id, id}))
            return false;
    }
    return static_cast<bool>(ended);
}

/// Appends a condition that a row of the account table is a credential account with the hash.
void append_hash(Statement& statement, const Table& account, std::string_view hash) {
    const Column& password = account.at("password");
    const Column& provider = account.at("providerId");
    statement << provider << provider.op("=") << argument(model::Account().provider_id) << " AND "
              << password << password.op("=") << argument(hash);
}

/// Appends a condition that a row of the user table is the session's user and meets the terms other
/// than the password hash. Locks the actor, because a ban must end this session.
void append_terms(Statement& statement, const Table& user, const model::Session& session,
                  const SessionTerms& terms) {
    const Column& key = user.at("id");
    append_equals(statement, key, session.user_id);
    if (terms.actor)
        append_actor(statement << " AND ", user, terms.actor,
                     key.dialect->product().shared_row_lock);
    if (terms.verified == nullptr)
        return;
    statement << " AND coalesce(" << as_text(user.at("email")) << ", '')" << user.op("=")
              << argument(terms.verified->email) << " AND " << role_expression(user) << user.op("=")
              << argument(terms.verified->role.value_or(model::user_role));
    if (!terms.allows_banned)
        append_not_banned(statement << " AND ", user, terms.now);
}

/// Opens a session if the terms other than SessionTerms::max_sessions are met, and returns its id.
/// Otherwise, or if a trigger suppresses the row, fails with not_found. Locks the user's row, and
/// then the account's, so a change to them waits for this statement, or this statement rechecks the
/// rows after the change.
Result<std::string_view> insert_session(Work& work, const model::Session& session,
                                        const SessionTerms& terms) {
    const Schema& schema = work.schema();
    const Table& table = schema.session;
    const char* const row_lock = work.dialect().product().row_lock;
    const Assignments row = assignments_of(table, session);
    Statement statement = work.statement();
    statement << "INSERT INTO " << table << " (";
    statement.columns(row) << ") SELECT ";
    statement.values(row) << " WHERE EXISTS (SELECT 1 FROM ";
    if (terms.password_hash) {
        const Column& owner = schema.account.at("userId");
        append_equals(statement << schema.account << " WHERE ", owner, session.user_id);
        append_hash(statement << " AND ", schema.account, *terms.password_hash);
        statement << " AND " << owner << owner.op("=") << "(SELECT " << schema.user.at("id")
                  << " FROM ";
    }
    append_terms(statement << schema.user << " AS useradmin_row WHERE ", schema.user, session,
                 terms);
    statement << row_lock << ")";
    if (terms.password_hash)
        statement << row_lock << ")";
    statement << " RETURNING " << table.select_expression("id");
    return first_row(work, statement, [](Rows& rows) { return rows.take().value_or(""); });
}

} // namespace

Result<SessionWithUser> find_session(Work& work, std::string_view token) {
    const Schema& schema = work.schema();
    Statement statement = work.statement();
    statement << "SELECT " << schema.session.select_list_s << ", " << schema.user.select_list_u;
    append_of_session(statement, schema, token);
    return first_row(work, statement, [token](Rows& rows) {
        SessionWithUser found;
        found.session = rows.take_record<model::Session>();
        found.session.token = token;
        found.user = rows.take_record<model::User>();
        return found;
    });
}

Result<SessionWithUser> find_caller(Work& work, std::string_view token) {
    const Schema& schema = work.schema();
    Statement statement = work.statement();
    statement << "SELECT " << schema.select_list_caller;
    append_of_session(statement, schema, token);
    return first_row(work, statement, [](Rows& rows) {
        SessionWithUser found;
        found.session.expires_at = rows.take_time();
        found.session.impersonated_by = rows.take();
        found.user.id = rows.take().value_or("");
        found.user.role = rows.take();
        found.user.banned = rows.take_boolean();
        found.user.ban_expires = rows.take_time();
        return found;
    });
}

Result<model::Session> find_session_by_token_or_id(Work& work, std::string_view token_or_id) {
    const Table& table = work.schema().session;
    const Column& token = table.at("token");
    const Column& key = table.at("id");
    Statement statement = work.statement();
    statement << "SELECT " << table.select_expression("id") << ", "
              << table.select_expression("userId") << " FROM " << table;
    append_equals(statement << " WHERE ", token, token_or_id);
    if (key.can_hold_id(token_or_id))
        append_equals(statement << " OR ", key, token_or_id);
    return first_row(work, statement, [](Rows& rows) {
        model::Session session;
        session.id = rows.take().value_or("");
        session.user_id = rows.take().value_or("");
        return session;
    });
}

Result<std::vector<model::Session>> list_sessions(Work& work, std::string_view user_id,
                                                  std::int64_t limit) {
    const Table& table = work.schema().session;
    const Column& column = table.at("userId");
    if (!column.can_hold_id(user_id))
        return std::vector<model::Session>();
    Statement statement = work.statement();
    statement << "SELECT " << table.select_list << " FROM " << table;
    append_equals(statement << " WHERE ", column, user_id);
    statement << " ORDER BY " << newest_first_order(table) << " LIMIT " << argument(limit);
    return all_rows(work, statement, read_record<model::Session>);
}

Result<std::vector<model::Session>> list_active_sessions(Work& work, std::string_view user_id,
                                                         text::Timestamp now, std::int64_t limit) {
    const Table& table = work.schema().session;
    const Column& column = table.at("userId");
    if (!column.can_hold_id(user_id))
        return std::vector<model::Session>();
    for (std::int64_t asked = limit;; asked *= 2) {
        Statement statement = work.statement();
        statement << "SELECT " << table.select_list_s << " FROM " << table << " s";
        append_equals(statement << " WHERE ", column, user_id);
        append_unexpired(statement << " AND ", table, now);
        statement << " ORDER BY " << newest_first_order(table) << " LIMIT " << argument(asked);
        auto sessions = all_rows(work, statement, read_record<model::Session>);
        if (!sessions)
            return sessions;
        const bool are_all = std::ssize(*sessions) < asked;
        std::erase_if(*sessions, [now](const model::Session& session) {
            return !session.expires_at || *session.expires_at <= now;
        });
        // The query may also return sessions that expired within the last day. If they filled the
        // limit, query more rows.
        if (std::ssize(*sessions) < limit && !are_all)
            continue;
        if (std::ssize(*sessions) > limit)
            sessions->resize(static_cast<std::size_t>(limit));
        return sessions;
    }
}

Result<std::string_view> create_session(Work& work, const model::Session& session,
                                        const SessionTerms& terms) {
    work.row_change().user_id = session.user_id;
    if (!work.schema().user.at("id").can_hold_id(session.user_id))
        return Failure::version_mismatch;
    const auto open = [&]() -> Result<std::string_view> {
        if (terms.max_sessions > 0 && !end_surplus_sessions(work, session, terms))
            return Failure::failed;
        return insert_session(work, session, terms);
    };
    const Result<std::string_view> opened =
        terms.max_sessions > 0 ? in_transaction<std::string_view>(work, open) : open();
    if (opened.is_not_found())
        return rejection_of(work, terms.actor).value_or(Failure::version_mismatch);
    return opened;
}

Result<Done> extend_session(Work& work, std::string_view token, text::Timestamp expires_at,
                            text::Timestamp now) {
    const Table& table = work.schema().session;
    Statement statement = work.statement();
    statement << "UPDATE " << table << " SET ";
    append_values(statement, table, {{"expiresAt", expires_at}, {"updatedAt", now}});
    append_equals(statement << " WHERE ", table.at("token"), token);
    return change_one(work, statement);
}

Result<Done> delete_session(Work& work, std::string_view token) {
    const Table& table = work.schema().session;
    if (!work.can_encode(table.at("token"), token))
        return Failure::not_found;
    Statement statement = work.statement();
    append_delete(statement, table, "token", token);
    if (!work.has_listener() && !work.schema().revocation.exists())
        return change_one(work, statement);
    statement << " RETURNING " << table.select_expression("userId") << ", "
              << table.select_expression("id");
    Revocation revocation;
    return change_and_revoke<Done>(work, revocation, [&] {
        return first_row(work, statement, [&](Rows& rows) {
            revocation.user_id = rows.take().value_or("");
            revocation.session_id = rows.take().value_or("");
            work.row_change().user_id = revocation.user_id;
            return Done();
        });
    });
}

Result<Done> delete_session_of_user(Work& work, std::string_view user_id, std::string_view id,
                                    const UpdateGuard& guard) {
    const Table& table = work.schema().session;
    const Column& key = table.at("id");
    return change_locked_user(work, user_id, guard, [&](const LockedUser&) -> Result<Done> {
        if (!table.at("userId").can_hold_id(user_id) || !work.can_hold_id(key, id))
            return Failure::no_session;
        Statement statement = work.statement();
        append_delete(statement, table, "userId", user_id);
        append_equals(statement << " AND ", key, id);
        const Result<Done> ended = change_and_revoke<Done>(
            work, {user_id, id}, [&] { return change_one(work, statement); });
        return ended.is_not_found() ? Failure::no_session : ended;
    });
}

bool end_impersonations(Work& work, std::string_view user_id, model::NullableText role) {
    const Schema& schema = work.schema();
    const Table& table = schema.session;
    const Column* const impersonator = table.find("impersonatedBy");
    // Users with the default role cannot impersonate anyone, so skip the scan of all sessions.
    if (role.value_or(model::user_role) == model::user_role || impersonator == nullptr ||
        !impersonator->can_hold_id(user_id) || !impersonator->is_readable ||
        !table.at("userId").is_readable || !table.at("id").is_readable)
        return true;
    Statement statement = work.statement();
    append_delete(statement, table, "impersonatedBy", user_id)
        << " RETURNING " << table.select_expression("userId") << ", "
        << table.select_expression("id");
    Result<Rows> ended = work.run(statement);
    while (ended && ended->next()) {
        const std::string_view owner = ended->take().value_or("");
        if (schema.revocation.exists() &&
            !work.dialect().record_revocation(work, {owner, ended->take().value_or("")}))
            return false;
    }
    return static_cast<bool>(ended);
}

Result<std::int64_t> end_sessions(Work& work, std::string_view user_id, model::NullableText role) {
    const Table& table = work.schema().session;
    if (!table.at("userId").can_hold_id(user_id))
        return 0;
    Statement statement = work.statement();
    append_delete(statement, table, "userId", user_id);
    const auto end_all = [&]() -> Result<std::int64_t> {
        const Result<std::int64_t> ended = affected(work, statement);
        return ended && !end_impersonations(work, user_id, role) ? Failure::failed : ended;
    };
    return change_and_revoke<std::int64_t>(
        work, {user_id, {}}, [&] { return in_transaction<std::int64_t>(work, end_all); });
}

Result<std::int64_t> delete_sessions_of_user(Work& work, std::string_view user_id,
                                             const UpdateGuard& guard) {
    Result<std::int64_t> ended = 0;
    const Result<Done> changed =
        change_locked_user(work, user_id, guard, [&](const LockedUser& user) -> Result<Done> {
            ended = end_sessions(work, user_id, user.role);
            return ended ? Result<Done>(Done()) : ended.failure();
        });
    return changed ? ended : changed.failure();
}

Result<Revocations> revocations_since(Work& work, std::int64_t position,
                                      std::optional<std::int64_t> after_id) {
    Revocations found{position, {}};
    const Table& table = work.schema().revocation;
    found.has_table = table.exists();
    if (!found.has_table)
        return found;
    Statement statement = work.statement();
    work.dialect().append_revocations(statement, table, position);
    if (after_id)
        statement << " AND r.id" << table.op(">") << argument(*after_id) << " ORDER BY r.id";
    statement << " LIMIT " << argument(std::int64_t{max_revocations + 1});
    Result<Rows> rows = work.run(statement);
    if (!rows)
        return rows.failure();
    found.is_partial = rows->count() > max_revocations;
    while (rows->next() && found.rows.size() < max_revocations) {
        found.position = rows->take_number();
        found.database = rows->take().value_or("");
        const model::NullableText user_id = rows->take();
        if (!user_id)
            continue;
        Revocation& revocation = found.rows.emplace_back();
        revocation.user_id = *user_id;
        revocation.session_id = rows->take().value_or("");
        revocation.created_at = rows->take_time().value_or(text::Timestamp());
        revocation.id = rows->take_number();
    }
    return found;
}

} // namespace useradmin::store::statements
