// Changes of users and of what belongs to them.
#include "store/lists.hpp"
#include "store/statements.hpp"
#include "store/update_conditions.hpp"
#include "text/unicode.hpp"

#include <algorithm>
#include <chrono>
#include <memory>

namespace useradmin::store::statements {

namespace {

bool is_ban(const Change& change) {
    const auto* const truth = std::get_if<bool>(&change.value);
    return change.field == "banned" && truth != nullptr && *truth;
}

/// Returns the text of a value, or the fallback for NULL.
std::string_view text_or(const model::Value& value, std::string_view instead) {
    const auto* const text = std::get_if<std::string_view>(&value);
    return text != nullptr ? *text : instead;
}

/// Returns whether the changes may take rights (append_loss).
bool may_revoke_privileges(const Changes& changes) {
    return std::any_of(
        changes.begin(), changes.end(),
        [](const Change& change) {
            return change.field == "role" || change.field == "email" || is_ban(change);
        });
}

/// Returns whether a user has the address, or one that differs only in case.
bool is_taken(Work& work, std::string_view email) {
    const Table& user = work.schema().user;
    const Column& column = user.at("email");
    Statement statement = work.statement();
    statement << "SELECT 1 FROM " << user << " WHERE " << column << column.op("=")
              << argument(email) << " OR " << user.function("lower") << column << ")"
              << user.op("=") << user.function("lower") << argument(email) << ") LIMIT 1";
    const Result<Rows> rows = work.run(statement);
    return rows && rows->count() > 0;
}

/// Appends "field = value, …" for changes that have a column, or an assignment without effect.
void append_changes(Statement& statement, const Table& user, const Changes& changes) {
    const Column& key = user.at("id");
    if (!append_values(statement, user, changes))
        statement << key << " = " << key;
}

/// Appends a condition that the changes take rights from the row: a ban, or another role or
/// address.
void append_privilege_loss(Statement& statement, const Table& user, const Dialect& dialect,
                           const Changes& changes) {
    statement << "(FALSE";
    for (const Change& change : changes)
        if (change.field == "role")
            statement << " OR " << role_expression(user, dialect) << user.op("<>")
                      << argument(text_or(change.value, "user"));
        else if (change.field == "email")
            statement << " OR coalesce(" << dialect.as_text(user.at("email")) << ", '')"
                      << user.op("<>") << argument(text_or(change.value, ""));
        else if (is_ban(change))
            statement << " OR TRUE";
    statement << ")";
}

/// Appends the condition that a row of the user table is the session's user and as the terms have
/// it, the password aside.
void append_terms(Statement& statement, const Table& user, const Dialect& dialect,
                  const model::Session& session, const SessionTerms& terms) {
    const Column& key = user.at("id");
    dialect.append_equals(statement, key.sql(), key, session.user_id);
    if (terms.verified == nullptr)
        return;
    statement << " AND coalesce(" << dialect.as_text(user.at("email")) << ", '')" << user.op("=")
              << argument(terms.verified->email) << " AND " << role_expression(user, dialect)
              << user.op("=") << argument(terms.verified->role.value_or("user"));
    if (!terms.allows_banned)
        append_not_banned(statement << " AND ", user, terms.now);
}

/// Appends the condition that a row of the account table is a credential account of that hash.
void append_hash(Statement& statement, const Table& account, std::string_view hash) {
    const Column& password = account.at("password");
    statement.note_column(password);
    const Column& provider = account.at("providerId");
    statement << provider << provider.op("=") << argument(model::Account().provider_id) << " AND "
              << password << password.op("=") << argument(hash);
}

/// Appends the condition that the row of the session table with the alias useradmin_row belongs to
/// the session's user and must end before the session is opened (SessionTerms::max_sessions).
void append_surplus(Statement& statement, const Table& table, const Dialect& dialect,
                    const model::Session& session, const SessionTerms& terms) {
    using Kind = Column::Kind;
    const Column& owner = table.at("userId");
    const Column& expires = table.at("expiresAt");
    // Texts may hold times of another form, which sort by their day: those go a day later.
    const bool is_exact = expires.kind == Kind::timestamp || expires.kind == Kind::integer;
    const text::Timestamp now = terms.now - std::chrono::days(is_exact ? 0 : 1);
    dialect.append_equals(statement, owner.sql(), owner, session.user_id);
    const Column& key = table.at("id");
    statement << " AND NOT EXISTS (SELECT 1 FROM (SELECT " << key << " AS id FROM " << table
              << " WHERE ";
    dialect.append_equals(statement, owner.sql(), owner, session.user_id);
    statement << " AND " << expires << expires.op(">") << argument(expires, now) << " ORDER BY "
              << newest_first_order(table) << " LIMIT " << argument(terms.max_sessions - 1)
              << ") useradmin_kept WHERE useradmin_kept.id" << key.op("=") << "useradmin_row."
              << key << ")";
}

/// Returns why a guarded change affected no row: not_found, or the guard's failure.
Failure guard_failure(Work& work, const Dialect& dialect, std::string_view id,
                      const UpdateGuard& guard) {
    if (const auto refused = refusal_of(work, dialect, guard.actor))
        return *refused;
    const Table& user = work.schema().user;
    Statement statement = work.statement();
    append_guard_rule(statement << "SELECT ", user, dialect, guard);
    append_key(statement << " FROM " << user << " AS useradmin_row", dialect, user.at("id"), id);
    Result<Rows> rows = work.run(statement);
    if (!rows)
        return rows.failure();
    return rows->next() ? failure_of(guard, rows->take_boolean()) : Failure::not_found;
}

/// Deletes the rows with the id in the field. Returns false on failure.
bool remove_rows(Work& work, const Dialect& dialect, const Table& table, std::string_view field,
                 std::string_view id) {
    Statement statement = work.statement();
    append_key(statement << "DELETE FROM " << table, dialect, table.at(field), id);
    return static_cast<bool>(work.run(statement));
}

/// Inserts the record.
template <class Record>
bool insert(Work& work, const Table& table, const Record& record) {
    Statement statement = work.statement();
    statement << "INSERT INTO " << table << " (";
    statement.columns(table, record) << ") VALUES (";
    statement.values(table, record) << ")";
    return static_cast<bool>(work.run(statement));
}

/// Runs an INSERT or UPDATE of one user that returns the full row.
Result<model::User> read_written_user(Work& work, const Statement& statement) {
    Result<Rows> rows = work.run(statement);
    if (!rows)
        return rows.failure();
    return rows->next() ? Result<model::User>(work.read_full_user(*rows)) : Failure::not_found;
}

/// Creates the user and its account, both or none. Returns not_found if the actor may not.
Result<model::User> insert_user(Work& work, const Dialect& dialect, const NewUser& user,
                                const std::optional<Actor>& actor) {
    const Schema& schema = work.schema();
    const model::User row = user_row(user);
    const auto transaction = dialect.begin_transaction(work);
    if (transaction == nullptr)
        return Failure::failed;
    Statement statement = work.statement();
    statement << "INSERT INTO " << schema.user << " AS useradmin_row (";
    statement.columns(schema.user, row) << ") SELECT ";
    statement.values(schema.user, row);
    if (actor)
        append_actor(statement << " WHERE ", schema.user, dialect, actor);
    statement << " RETURNING " << schema.full_user();
    const Result<model::User> made = read_written_user(work, statement);
    if (!made)
        return made;
    // The database may have generated the id.
    model::Account account = account_row(user);
    account.user_id = made->id;
    if (user.account_id_is_user_id)
        account.account_id = made->id;
    if (!insert(work, schema.account, account) || !transaction->commit())
        return Failure::failed;
    return made;
}

/// Changes the user if the guard allows it, and records the row before. If the change takes rights,
/// ends the sessions as requested.
Result<model::User> update_locked(Work& work, const Dialect& dialect, std::string_view id,
                                  const Changes& changes, const UpdateGuard& guard,
                                  SessionPolicy sessions) {
    const Table& user = work.schema().user;
    const auto transaction = dialect.begin_transaction(work);
    if (transaction == nullptr)
        return Failure::failed;
    Statement find = work.statement();
    append_privilege_loss(find << "SELECT ", user, dialect, changes);
    find << ", " << user.select_list << " FROM " << user << " AS useradmin_row";
    append_key(find, dialect, user.at("id"), id);
    append_guard(find, user, dialect, guard);
    find << dialect.row_lock(RowLock::for_change);
    Result<Rows> found = work.run(find);
    if (!found)
        return found.failure();
    if (!found->next())
        return Failure::not_found;
    const bool loses_privileges = found->take_boolean();
    const model::User before = found->take_record<model::User>();
    Statement statement = work.statement();
    statement << "UPDATE " << user << " AS useradmin_row SET ";
    append_changes(statement, user, changes);
    append_key(statement, dialect, user.at("id"), id);
    statement << " RETURNING " << work.schema().full_user();
    const Result<model::User> after = read_written_user(work, statement);
    if (!after)
        return after;
    work.row_change() = {after->id, before, *after};
    // Only a further statement sees sessions that were opened while the lock was waited for.
    if (sessions == SessionPolicy::revoke && loses_privileges &&
        !remove_rows(work, dialect, work.schema().session, "userId", id))
        return Failure::failed;
    return transaction->commit() ? after : Failure::failed;
}

/// Whether the query returns a row; not_found if not.
Result<Done> exists(Work& work, const Statement& statement) {
    const Result<Rows> rows = work.run(statement);
    if (!rows)
        return rows.failure();
    return rows->count() > 0 ? Result<Done>(Done()) : Failure::not_found;
}

/// Sets the hash of the user that the guard allows to change; otherwise not_found.
Result<Done> set_hash(Work& work, const Dialect& dialect, const model::Account& account,
                      SessionPolicy sessions, const UpdateGuard& guard) {
    const Schema& schema = work.schema();
    const Column& provider = schema.account.at("providerId");
    const auto transaction = dialect.begin_transaction(work);
    if (transaction == nullptr)
        return Failure::failed;
    // Prevents a concurrent change or deletion of the user.
    Statement lock = work.statement();
    lock << "SELECT 1 FROM " << schema.user << " AS useradmin_row";
    append_key(lock, dialect, schema.user.at("id"), account.user_id);
    append_guard(lock, schema.user, dialect, guard);
    lock << dialect.row_lock(RowLock::for_change);
    if (const Result<Done> found = exists(work, lock); !found)
        return found;
    Statement change = work.statement();
    append_new_hash(change, schema.account, account);
    append_key(change, dialect, schema.account.at("userId"), account.user_id);
    change << " AND " << provider << provider.op("=") << argument(account.provider_id);
    const Result<Rows> changed = work.run(change);
    if (!changed)
        return changed.failure();
    if ((changed->affected() == 0 && !insert(work, schema.account, account)) ||
        (sessions == SessionPolicy::revoke &&
         !remove_rows(work, dialect, schema.session, "userId", account.user_id)) ||
        !transaction->commit())
        return Failure::failed;
    return Done();
}

} // namespace

std::optional<Failure> refusal_of(Work& work, const Dialect& dialect,
                                  const std::optional<Actor>& actor) {
    if (!actor)
        return std::nullopt;
    const Table& user = work.schema().user;
    if (!user.at("id").can_hold_id(actor->id))
        return Failure::caller_rejected;
    Statement statement = work.statement();
    append_not_banned(statement << "SELECT ", user, actor->now);
    append_one_of_roles(statement << ", ", user, dialect, actor->roles);
    append_key(statement << " FROM " << user, dialect, user.at("id"), actor->id);
    Result<Rows> rows = work.run(statement);
    if (!rows)
        return rows.failure();
    if (!rows->next() || !rows->take_boolean())
        return Failure::caller_rejected;
    return rows->take_boolean() ? std::nullopt : std::optional(Failure::caller_demoted);
}

Result<model::User> create(Work& work, const Dialect& dialect, const NewUser& user,
                           const std::optional<Actor>& actor) {
    if (!work.can_hold("role", user.role))
        return Failure::failed;
    Result<model::User> made = insert_user(work, dialect, user, actor);
    if (made.is_not_found())
        return refusal_of(work, dialect, actor).value_or(Failure::caller_rejected);
    // A unique value exists already: is it the address?
    if (!made && work.error_kind() == ErrorKind::unique_violation && is_taken(work, user.email))
        return Failure::address_taken;
    if (made)
        work.row_change() = {made->id, {}, *made};
    return made;
}

Result<model::User> update(Work& work, const Dialect& dialect, std::string_view id,
                           const Changes& changes, const UpdateGuard& guard,
                           SessionPolicy sessions) {
    const Schema& schema = work.schema();
    const Column& key = schema.user.at("id");
    if (!key.can_hold_id(id))
        return Failure::not_found;
    for (const Change& change : changes)
        if (!work.can_hold(change.field, change.value)) {
            const Result<model::User> found = find(work, dialect, id);
            return found ? Failure::failed : found.failure();
        }
    // If nothing was written, tell the guard from a missing user.
    const auto outcome_of = [&](Result<model::User> updated) -> Result<model::User> {
        if (!guard.is_empty() && updated.is_not_found())
            return guard_failure(work, dialect, id, guard);
        return updated;
    };
    const SessionPolicy ending = may_revoke_privileges(changes) ? sessions : SessionPolicy::keep;
    if (work.has_listener() || ending == SessionPolicy::revoke)
        return outcome_of(update_locked(work, dialect, id, changes, guard, ending));
    Statement statement = work.statement();
    statement << "UPDATE " << schema.user << " AS useradmin_row SET ";
    append_changes(statement, schema.user, changes);
    append_key(statement, dialect, key, id);
    append_guard(statement, schema.user, dialect, guard);
    statement << " RETURNING " << schema.full_user();
    return outcome_of(read_written_user(work, statement));
}

Result<Done> remove(Work& work, const Dialect& dialect, std::string_view id,
                    const ProtectedEmail& spared, const UpdateGuard& guard) {
    const Schema& schema = work.schema();
    const Column& key = schema.user.at("id");
    const Column& email = schema.user.at("email");
    if (!key.can_hold_id(id))
        return Failure::not_found;
    const auto transaction = dialect.begin_transaction(work);
    if (transaction == nullptr)
        return Failure::failed;
    // The address of a locked row cannot change meanwhile.
    const auto lock = [&](bool is_guarded) -> Result<model::User> {
        Statement statement = work.statement();
        statement << "SELECT coalesce(" << email << email.op("=") << argument(spared.email)
                  << ", FALSE), " << schema.user.select_list << " FROM " << schema.user
                  << " AS useradmin_row";
        append_key(statement, dialect, key, id);
        // As a condition, it locks the remaining user before this one, which avoids deadlocks.
        if (is_guarded)
            append_guard(statement, schema.user, dialect, guard);
        statement << dialect.row_lock(RowLock::for_deletion);
        Result<Rows> rows = work.run(statement);
        if (!rows)
            return rows.failure();
        if (!rows->next())
            return Failure::not_found;
        const bool is_protected = rows->take_boolean();
        const model::User user = rows->take_record<model::User>();
        if (is_protected || (spared.ignores_case && !spared.email.empty() &&
                             text::lower(user.email) == text::lower(spared.email)))
            return Failure::protected_address;
        return user;
    };
    Result<model::User> user = lock(true);
    if (user.is_not_found() && !guard.is_empty()) {
        // Distinguish a missing user from the guard.
        if (const auto refused = refusal_of(work, dialect, guard.actor))
            return *refused;
        user = lock(false);
        if (user)
            return guard_failure(work, dialect, id, guard);
    }
    if (!user)
        return user.failure();
    work.row_change() = {user->id, *user, {}};
    if (!remove_rows(work, dialect, schema.session, "userId", id) ||
        !remove_rows(work, dialect, schema.account, "userId", id) ||
        !remove_rows(work, dialect, schema.user, "id", id) || !transaction->commit())
        return Failure::failed;
    return Done();
}

Result<Done> set_password(Work& work, const Dialect& dialect, const model::Account& account,
                          SessionPolicy sessions, const UpdateGuard& guard) {
    work.row_change().user_id = account.user_id;
    if (!work.schema().user.at("id").can_hold_id(account.user_id))
        return Failure::not_found;
    Result<Done> set = set_hash(work, dialect, account, sessions, guard);
    if (!guard.is_empty() && set.is_not_found())
        return guard_failure(work, dialect, account.user_id, guard);
    return set;
}

Result<std::string_view> create_session(Work& work, const Dialect& dialect,
                                        const model::Session& session, const SessionTerms& terms) {
    const Schema& schema = work.schema();
    const Table& table = schema.session;
    const Column& key = table.at("id");
    const Column& owner = schema.account.at("userId");
    work.row_change().user_id = session.user_id;
    if (!schema.user.at("id").can_hold_id(session.user_id))
        return Failure::version_mismatch;
    const auto transaction = dialect.begin_transaction(work);
    if (transaction == nullptr)
        return Failure::failed;
    // A change of the user waits for the session, or the row is looked at again after it. Shared
    // locks would let a stream of sign-ins keep a change waiting.
    Statement find = work.statement();
    append_terms(find << "SELECT 1 FROM " << schema.user << " WHERE ", schema.user, dialect,
                 session, terms);
    Result<Done> holds = exists(work, find << dialect.row_lock(RowLock::for_change));
    if (holds && terms.password_hash) {
        Statement match = work.statement();
        append_key(match << "SELECT 1 FROM " << schema.account, dialect, owner, session.user_id);
        append_hash(match << " AND ", schema.account, *terms.password_hash);
        holds = exists(work, match << dialect.row_lock(RowLock::shared));
    }
    if (!holds)
        return holds.is_not_found() ? Failure::version_mismatch : holds.failure();
    if (terms.max_sessions > 0) {
        Statement surplus = work.statement();
        surplus << "DELETE FROM " << table << " AS useradmin_session WHERE EXISTS (SELECT 1 FROM "
                << "(SELECT " << key << " AS id FROM " << table << " AS useradmin_row WHERE ";
        append_surplus(surplus, table, dialect, session, terms);
        // Those that others are about to end are left to them.
        surplus << dialect.row_lock(RowLock::skip_locked)
                << ") useradmin_surplus WHERE useradmin_surplus.id" << key.op("=")
                << "useradmin_session." << key << ")";
        if (!work.run(surplus))
            return Failure::failed;
    }
    Statement statement = work.statement();
    statement << "INSERT INTO " << table << " (";
    statement.columns(table, session) << ") VALUES (";
    statement.values(table, session) << ") RETURNING " << key;
    Result<Rows> rows = work.run(statement);
    if (!rows || !rows->next() || !transaction->commit())
        return Failure::failed;
    return rows->take().value_or("");
}

} // namespace useradmin::store::statements
