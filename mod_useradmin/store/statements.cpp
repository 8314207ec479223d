#include "store/statements.hpp"

#include "apr/pool.hpp"
#include "store/conditions.hpp"
#include "store/lists.hpp"
#include "store/update_conditions.hpp"

#include <algorithm>
#include <chrono>
#include <unordered_map>
#include <utility>

namespace useradmin::store::statements {

namespace {

// The maximum number of accounts to sample for hash formats.
constexpr std::int64_t password_sample_size = 10000;
// The maximum number of ids in one statement.
constexpr std::size_t max_ids = 500;
// The maximum number of revocations to read in one statement.
constexpr std::size_t max_revocations = 1000;

template <class Read>
auto all_rows(Work& work, const Statement& statement, const Read& read)
    -> Result<std::vector<decltype(read(std::declval<Rows&>()))>> {
    Result<Rows> rows = work.run(statement);
    if (!rows)
        return rows.failure();
    std::vector<decltype(read(std::declval<Rows&>()))> all;
    all.reserve(rows->count());
    while (rows->next())
        all.push_back(read(*rows));
    return all;
}

template <class Record>
Record read_record(Rows& rows) {
    return rows.take_record<Record>();
}

/// Appends " WHERE " and a condition that the id belongs to one of the users. `users` must not be
/// empty.
void append_ids(Statement& statement, const Table& table, std::span<const model::User> users) {
    // Rounding up limits the number of different statements to prepare.
    const std::size_t count = (users.size() + 9) / 10 * 10;
    std::vector<std::string_view> ids(count, users.back().id);
    std::transform(users.begin(), users.end(), ids.begin(),
                   [](const model::User& user) { return user.id; });
    append_one_of(statement << " WHERE ", table.at("id"), ids);
}

/// Reads more columns of the users who still exist. `alias` is the alias of the user table. `read`
/// sets a user's fields from a row.
template <class Read>
Result<Done> read_more(Work& work, const std::string& columns, const char* alias,
                       std::span<model::User> users, const Read& read) {
    const Table& table = work.schema().user;
    while (!users.empty()) {
        const std::span<model::User> some = users.first(std::min(users.size(), max_ids));
        users = users.subspan(some.size());
        std::unordered_map<std::string_view, model::User*> users_by_id;
        for (model::User& user : some)
            users_by_id[user.id] = &user;
        Statement statement = work.statement();
        statement << "SELECT " << table.select_expression("id") << ", " << columns << " FROM "
                  << table << alias;
        append_ids(statement, table, some);
        Result<Rows> rows = work.run(statement);
        if (!rows)
            return rows.failure();
        while (rows->next())
            if (const auto found = users_by_id.find(rows->take().value_or(""));
                found != users_by_id.end())
                read(*rows, *found->second);
    }
    return Done();
}

std::string read_text(Rows& rows) {
    return std::string(rows.take().value_or(""));
}

/// Runs a statement and returns the number of affected rows.
Result<std::int64_t> affected(Work& work, const Statement& statement) {
    const Result<Rows> rows = work.run(statement);
    return rows ? Result<std::int64_t>(rows->affected()) : rows.failure();
}

/// Runs a statement. Fails with not_found if it affected no row.
Result<Done> change_one(Work& work, const Statement& statement) {
    const Result<std::int64_t> changed = affected(work, statement);
    if (!changed)
        return changed.failure();
    return *changed > 0 ? Result<Done>(Done()) : Failure::not_found;
}

/// Returns the value's string, or `instead` if the value is not a string.
std::string_view text_or(const model::Value& value, std::string_view instead) {
    const auto* const text = std::get_if<std::string_view>(&value);
    return text != nullptr ? *text : instead;
}

/// Appends a condition that the row has an address other than `email`.
void append_other_email(Statement& statement, const Table& user, const Dialect& dialect,
                        const model::Value& email, bool ignores_case = false) {
    const std::string lower = ignores_case ? user.function("lower") : "";
    const char* const end = ignores_case ? ")" : "";
    statement << lower << "coalesce(" << dialect.as_text(user.at("email")) << ", '')" << end
              << user.op("<>") << lower << argument(text_or(email, "")) << end;
}

/// Appends a condition that the changes include an address other than the row's.
void append_other_email(Statement& statement, const Table& user, const Dialect& dialect,
                        const Changes& changes, bool ignores_case) {
    const auto email = std::find_if(changes.begin(), changes.end(),
                                    [](const Change& change) { return change.field == "email"; });
    if (email == changes.end())
        statement << "FALSE";
    else
        append_other_email(statement, user, dialect, email->value, ignores_case);
}

/// Appends the condition of a change whose Change::when is not `always`.
void append_condition(Statement& statement, const Table& user, const Dialect& dialect,
                      const Column& column, const Changes& changes, Change::When when) {
    if (when != Change::When::expired)
        return append_other_email(statement, user, dialect, changes,
                                  when == Change::When::other_email_ignoring_case);
    const auto now = std::find_if(changes.begin(), changes.end(),
                                  [](const Change& change) { return change.field == "updatedAt"; });
    if (now == changes.end())
        statement << "FALSE";
    else
        statement << column << column.op("<=") << argument(column, now->value);
}

/// Appends "field = value, …" for existing columns. Returns whether there were any.
bool append_values(Statement& statement, const Table& table, const Dialect& dialect,
                   const Changes& changes) {
    bool is_first = true;
    for (const Change& change : changes) {
        const Column* const column = column_of(table, changes, change);
        if (column == nullptr)
            continue;
        statement << (is_first ? "" : ", ") << *column << " = ";
        if (change.when != Change::When::always) {
            append_condition(statement << "CASE WHEN ", table, dialect, *column, changes,
                             change.when);
            statement << " THEN ";
        }
        statement << argument(*column, change.value);
        if (change.when != Change::When::always)
            statement << " ELSE " << *column << " END";
        is_first = false;
    }
    return !is_first;
}

/// Reads counts from rows of subject, failures and remaining seconds.
FailedAttempts read_attempts(Rows& rows, std::span<const AttemptCounter> counters) {
    FailedAttempts found;
    while (rows.next()) {
        const std::string_view subject = rows.take().value_or("");
        const std::int64_t failures = rows.take_number();
        const std::chrono::seconds wait(rows.take_number());
        for (std::size_t index = 0; index < counters.size(); ++index) {
            if (counters[index].subject != subject)
                continue;
            found.has_first = found.has_first || (index == 0 && failures > 0);
            if (failures < counters[index].limit)
                continue;
            found.exceeded = std::min(index, found.exceeded.value_or(index));
            found.retry_after = std::max(found.retry_after, wait);
        }
    }
    return found;
}

/// Disables the user's enabled API keys. Records them in `noted`, unless it is nullptr. Returns
/// false on failure.
bool disable_keys(Work& work, const Dialect& dialect, const OwnedTable& keys,
                  const OwnedTable* noted, std::string_view user_id) {
    const Column& enabled = keys.table.at("enabled");
    Statement disable = work.statement();
    disable << "UPDATE " << keys.table << " SET " << enabled << " = FALSE WHERE coalesce("
            << enabled << ", TRUE) AND ";
    dialect.append_equals(disable, keys.owner(), user_id);
    disable << " RETURNING " << keys.table.select_expression("id");
    Result<Rows> disabled = work.run(disable);
    while (disabled && noted != nullptr && disabled->next()) {
        Statement note = work.statement();
        note << "INSERT INTO " << noted->table << " (" << noted->owner() << ", "
             << noted->table.at("keyId") << ") VALUES (" << argument(user_id) << ", "
             << argument(disabled->take().value_or("")) << ") ON CONFLICT DO NOTHING";
        if (!work.run(note))
            return false;
    }
    return static_cast<bool>(disabled);
}

/// Enables the user's API keys that are recorded in `noted`. Returns false on failure.
bool enable_keys(Work& work, const Dialect& dialect, const OwnedTable& keys,
                 const OwnedTable& noted, std::string_view user_id) {
    const Column& key_id = noted.table.at("keyId");
    Statement enable = work.statement();
    enable << "UPDATE " << keys.table << " SET " << keys.table.at("enabled") << " = TRUE WHERE ";
    dialect.append_equals(enable, keys.owner(), user_id);
    enable << " AND EXISTS (SELECT 1 FROM " << noted.table << " n WHERE ";
    dialect.append_equals(enable, noted.owner(), user_id, "n.");
    enable << " AND n." << key_id << key_id.op("=") << dialect.as_text(keys.table.at("id")) << ")";
    return static_cast<bool>(work.run(enable));
}

/// If `is_banned`, disables the user's API keys. Otherwise, enables those that a ban has disabled.
/// Returns false on failure.
bool switch_keys(Work& work, const Dialect& dialect, std::string_view user_id, bool is_banned,
                 bool was_banned) {
    const OwnedTable* const noted = work.schema().disabled_keys();
    if (!is_banned && noted == nullptr)
        return true;
    const auto forget = [&] {
        Statement statement = work.statement();
        append_owned_removal(statement, dialect, *noted, user_id, {});
        return static_cast<bool>(work.run(statement));
    };
    // The keys may be recorded because of an earlier ban that the application has lifted.
    if (is_banned && !was_banned && noted != nullptr && !forget())
        return false;
    for (const OwnedTable& keys : work.schema().owned)
        if (keys.can_disable_rows() && keys.owner().can_hold_id(user_id) &&
            !(is_banned ? disable_keys(work, dialect, keys, noted, user_id)
                        : enable_keys(work, dialect, keys, *noted, user_id)))
            return false;
    return is_banned || forget();
}

bool is_ban(const Change& change) {
    const auto* const truth = std::get_if<bool>(&change.value);
    return change.field == "banned" && truth != nullptr && *truth;
}

bool contains_ban(const Changes& changes) {
    return std::any_of(changes.begin(), changes.end(), is_ban);
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

/// Makes a change and, if the table of revocations exists, records the revocation in the same
/// transaction.
template <class T, class Change>
Result<T> revoke(Work& work, const Dialect& dialect, const Revocation& revocation,
                 const Change& change) {
    if (!work.schema().revocation.exists())
        return change();
    return whole<T>(work, dialect, [&]() -> Result<T> {
        Result<T> changed = change();
        if (changed && !dialect.record_revocation(work, revocation))
            return Failure::failed;
        return changed;
    });
}

/// Deletes the user's verification rows whose identifiers have one of the prefixes. Returns false
/// on failure.
bool remove_verifications(Work& work, const Dialect& dialect, std::string_view user_id,
                          std::span<const std::string_view> prefixes) {
    const OwnedTable* const verifications = work.schema().verifications();
    if (verifications == nullptr)
        return true;
    const Table& table = verifications->table;
    Statement statement = work.statement();
    append_removal(statement, dialect, table, "value", user_id);
    statement << " AND (FALSE";
    for (const std::string_view prefix : prefixes)
        statement << " OR " << table.function("substr") << verifications->owner() << ", 1, "
                  << std::to_string(prefix.size()) << ")" << table.op("=") << literal(prefix);
    statement << ")";
    return static_cast<bool>(work.run(statement));
}

bool remove_password_links(Work& work, const Dialect& dialect, std::string_view user_id) {
    return remove_verifications(work, dialect, user_id, std::span(&model::password_link_prefix, 1));
}

/// Returns whether changes to a user may delete the user's password links
/// (PluginPolicy::ends_links).
bool ends_links(const Work& work) {
    const OwnedTable* const verifications = work.schema().verifications();
    return work.plugin_policy().ends_links && verifications != nullptr &&
           verifications->can_remove_rows() && verifications->table.at("value").is_readable;
}

/// Makes a change and, if ends_links(), deletes the user's password links in the same transaction.
template <class Change>
Result<Done> end_links(Work& work, const Dialect& dialect, std::string_view user_id,
                       const Change& change) {
    if (!ends_links(work))
        return change();
    return whole<Done>(work, dialect, [&]() -> Result<Done> {
        const Result<Done> changed = change();
        if (changed && !remove_password_links(work, dialect, user_id))
            return Failure::failed;
        return changed;
    });
}

/// Returns a condition that a row of the user table has a second factor.
std::string second_factor_expression(const Schema& schema) {
    return schema.has_second_factors() ? schema.second_factor_column : "FALSE";
}

/// Locks the user's row and, if the guard allows it, calls change(has_second_factor).
template <class Operation>
Result<Done> change_locked_user(Work& work, const Dialect& dialect, std::string_view id,
                                const UpdateGuard& guard, const Operation& change) {
    const Table& user = work.schema().user;
    const Column& key = user.at("id");
    work.row_change().user_id = id;
    if (!key.can_hold_id(id))
        return Failure::not_found;
    Statement lock = work.statement();
    lock << "SELECT " << second_factor_expression(work.schema()) << " FROM " << user
         << " AS useradmin_row";
    dialect.append_equals(lock << " WHERE ", key, id);
    append_guard(lock, user, dialect, guard);
    lock << dialect.row_lock();
    const Result<Done> changed = whole<Done>(work, dialect, [&]() -> Result<Done> {
        const Result<bool> has_second_factor =
            first_row(work, lock, [](Rows& rows) { return rows.take_boolean(); });
        return has_second_factor ? change(*has_second_factor) : has_second_factor.failure();
    });
    if (!guard.is_empty() && changed.is_not_found())
        return guard_failure(work, dialect, id, guard);
    return changed;
}

/// Returns up to `most` of the user's sign-in methods in the table of a kind, newest first.
Result<std::vector<model::SignInMethod>> methods_of_kind(Work& work, const Dialect& dialect,
                                                         model::MethodKind kind,
                                                         std::string_view user_id,
                                                         std::int64_t most) {
    const auto methods = work.schema().method_table(kind);
    if (!methods || most <= 0)
        return std::vector<model::SignInMethod>();
    const Table& table = work.schema().table(methods->letter);
    const Column& owner = table.at(methods->owner);
    if (!owner.can_hold_id(user_id))
        return std::vector<model::SignInMethod>();
    Statement statement = work.statement();
    const char* separator = "SELECT ";
    for (const auto& field : model::fields<model::SignInMethod>())
        statement << std::exchange(separator, ", ") << table.select_expression(field.name);
    dialect.append_equals(statement << " FROM " << table << " WHERE ", owner, user_id);
    statement << " ORDER BY " << newest_first_order(table) << " LIMIT " << argument(most);
    return all_rows(work, statement, [kind](Rows& rows) {
        auto method = read_record<model::SignInMethod>(rows);
        method.kind = kind;
        return method;
    });
}

/// Appends the FROM and WHERE clauses for the session s with the token, and its user u.
void append_of_session(Statement& statement, const Schema& schema, const Dialect& dialect,
                       std::string_view token) {
    const Column& column = schema.session.at("token");
    const Column& key = schema.user.at("id");
    statement << " FROM " << schema.session << " s JOIN " << schema.user << " u ON u." << key
              << key.op("=") << "s." << schema.session.at("userId") << " WHERE ";
    dialect.append_equals(statement, column, token, "s.");
}

} // namespace

Statement& append_removal(Statement& statement, const Dialect& dialect, const Table& table,
                          std::string_view field, std::string_view id) {
    dialect.append_equals(statement << "DELETE FROM " << table << " WHERE ", table.at(field), id);
    return statement;
}

bool may_revoke_privileges(const Changes& changes) {
    return contains_ban(changes) || std::any_of(
                                        changes.begin(), changes.end(),
                                        [](const Change& change) {
                                            return change.field == "role" ||
                                                   change.field == "email";
                                        });
}

std::vector<const OwnedTable*> tables_to_clear(const Work& work, std::string_view id,
                                               model::NullableText email) {
    std::vector<const OwnedTable*> tables;
    for (const OwnedTable& owned : work.schema().owned)
        if (work.plugin_policy().cleans_up && owned.can_remove_rows() &&
            (owned.plugin->reference == Reference::email ? email && !email->empty()
                                                         : owned.owner().can_hold_id(id)))
            tables.push_back(&owned);
    return tables;
}

void append_owned_removal(Statement& statement, const Dialect& dialect, const OwnedTable& owned,
                          std::string_view id, model::NullableText email) {
    if (owned.plugin->reference != Reference::email) {
        append_removal(statement, dialect, owned.table, owned.plugin->owner, id);
        return;
    }
    statement << "DELETE FROM " << owned.table;
    const char* before = " WHERE ";
    for (const std::string_view prefix : address_prefixes)
        dialect.append_equals(statement << std::exchange(before, " OR "), owned.owner(),
                              std::string(prefix).append(*email));
}

void append_changes(Statement& statement, const Table& user, const Dialect& dialect,
                    const Changes& changes) {
    const Column& key = user.at("id");
    if (!append_values(statement, user, dialect, changes))
        statement << key << " = " << key;
}

void append_privilege_loss(Statement& statement, const Table& user, const Dialect& dialect,
                           const Changes& changes) {
    statement << "(FALSE";
    for (const Change& change : changes)
        if (change.field == "role")
            statement << " OR " << role_expression(user, dialect) << user.op("<>")
                      << argument(text_or(change.value, "user"));
        else if (change.field == "email")
            append_other_email(statement << " OR ", user, dialect, change.value);
        else if (is_ban(change))
            statement << " OR TRUE";
    statement << ")";
}

void append_terms(Statement& statement, const Table& user, const Dialect& dialect,
                  const model::Session& session, const SessionTerms& terms) {
    const Column& key = user.at("id");
    dialect.append_equals(statement, key, session.user_id);
    if (terms.actor)
        append_actor(statement << " AND ", user, dialect, terms.actor);
    if (terms.verified == nullptr)
        return;
    statement << " AND coalesce(" << dialect.as_text(user.at("email")) << ", '')" << user.op("=")
              << argument(terms.verified->email) << " AND " << role_expression(user, dialect)
              << user.op("=") << argument(terms.verified->role.value_or("user"));
    if (!terms.allows_banned)
        append_not_banned(statement << " AND ", user, terms.now);
}

void append_hash(Statement& statement, const Table& account, std::string_view hash) {
    const Column& password = account.at("password");
    const Column& provider = account.at("providerId");
    statement << provider << provider.op("=") << argument(model::Account().provider_id) << " AND "
              << password << password.op("=") << argument(hash);
}

void append_live(Statement& statement, const Table& table, const SessionTerms& terms) {
    using Kind = Column::Kind;
    const Column& expires = table.at("expiresAt");
    // In a text column, times in other formats compare correctly only by day. Sessions with such
    // times count as live for another day.
    const bool is_exact = expires.kind == Kind::timestamp || expires.kind == Kind::integer;
    const text::Timestamp now = terms.now - std::chrono::days(is_exact ? 0 : 1);
    statement << expires << expires.op(">") << argument(expires, now);
}

void append_surplus(Statement& statement, const Table& table, const Dialect& dialect,
                    const model::Session& session, const SessionTerms& terms) {
    const Column& owner = table.at("userId");
    dialect.append_equals(statement, owner, session.user_id);
    const Column& key = table.at("id");
    statement << " AND NOT EXISTS (SELECT 1 FROM (SELECT " << key << " AS id FROM " << table
              << " WHERE ";
    dialect.append_equals(statement, owner, session.user_id);
    append_live(statement << " AND ", table, terms);
    statement << " ORDER BY " << newest_first_order(table) << " LIMIT "
              << argument(terms.max_sessions - 1) << ") useradmin_kept WHERE useradmin_kept.id"
              << key.op("=") << "useradmin_row." << key << ")";
}

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
    dialect.append_equals(statement << " FROM " << user << " WHERE ", user.at("id"), actor->id);
    Result<Rows> rows = work.run(statement);
    if (!rows)
        return rows.failure();
    if (!rows->next() || !rows->take_boolean())
        return Failure::caller_rejected;
    return rows->take_boolean() ? std::nullopt : std::optional(Failure::caller_demoted);
}

Failure guard_failure(Work& work, const Dialect& dialect, std::string_view id,
                      const UpdateGuard& guard) {
    if (const auto refused = refusal_of(work, dialect, guard.actor))
        return *refused;
    const Table& user = work.schema().user;
    Statement statement = work.statement();
    append_guard_rule(statement << "SELECT ", user, dialect, guard);
    dialect.append_equals(statement << " FROM " << user << " AS useradmin_row WHERE ",
                          user.at("id"), id);
    const Result<bool> may =
        first_row(work, statement, [](Rows& rows) { return rows.take_boolean(); });
    if (!may)
        return may.failure();
    return failure_of(guard, *may);
}

Result<model::User> find(Work& work, const Dialect& dialect, std::string_view id,
                         UserColumns columns) {
    const Table& user = work.schema().user;
    const Column& key = user.at("id");
    if (!key.can_hold_id(id))
        return Failure::not_found;
    Statement statement = work.statement();
    const bool reads_all = columns == UserColumns::all;
    statement << "SELECT "
              << (reads_all ? work.schema().full_user() : user.select_list + ", " + user.version)
              << " FROM " << user << " AS useradmin_row";
    dialect.append_equals(statement << " WHERE ", key, id);
    return first_row(work, statement, [&](Rows& rows) {
        return reads_all ? work.read_full_user(rows) : Work::read_user(rows);
    });
}

Result<Done> read_last_activity(Work& work, const Dialect&, std::span<model::User> users) {
    for (model::User& user : users)
        user.last_seen.emplace();
    const Table& table = work.schema().user;
    if (!table.last_seen)
        return Done();
    const LastSeen& seen = *table.last_seen;
    return read_more(work, seen.column.read_before + seen.sql + seen.column.read_after, "", users,
                     [](Rows& rows, model::User& user) { user.last_seen = rows.take_time(); });
}

Result<Done> read_extra_columns(Work& work, const Dialect&, std::span<model::User> users) {
    return read_more(
        work, work.schema().extra_objects(), " AS useradmin_row", users,
        [&](Rows& rows, model::User& user) { user.extra_columns = work.read_extra_columns(rows); });
}

Result<model::User> find_by_email(Work& work, const Dialect&, std::string_view email) {
    const Table& user = work.schema().user;
    Statement statement = work.statement();
    const Column& column = user.at("email");
    statement << "SELECT " << user.select_list << " FROM " << user << " WHERE " << column
              << column.op("=") << argument(email);
    return first_row(work, statement, read_record<model::User>);
}

Result<model::User> create(Work& work, const Dialect& dialect, const NewUser& user,
                           const std::optional<Actor>& actor) {
    if (!work.can_hold("role", user.role))
        return Failure::failed;
    Result<model::User> made = dialect.create(work, user, actor);
    if (made.is_not_found())
        return refusal_of(work, dialect, actor).value_or(Failure::caller_rejected);
    // Check whether the duplicate value is the address.
    if (!made && work.error_kind() == ErrorKind::unique_violation && is_taken(work, user.email))
        return Failure::address_taken;
    if (made)
        work.row_change() = {made->id, {}, *made};
    return made;
}

namespace {

/// Changes the user's row and, if required, ends the user's sessions.
Result<model::User> update_row(Work& work, const Dialect& dialect, std::string_view id,
                               const Changes& changes, const UpdateGuard& guard,
                               SessionPolicy sessions) {
    const Schema& schema = work.schema();
    const Column& key = schema.user.at("id");
    if (!key.can_hold_id(id))
        return Failure::not_found;
    for (const Change& change : changes)
        if (!change.names_column && !work.can_hold(change.field, change.value)) {
            const Result<model::User> found = find(work, dialect, id);
            return found ? Failure::failed : found.failure();
        }
    // If nothing was written, check whether the guard failed or the user is missing.
    const auto outcome_of = [&](Result<model::User> updated) -> Result<model::User> {
        if (!guard.is_empty() && updated.is_not_found())
            return guard_failure(work, dialect, id, guard);
        return updated;
    };
    const bool may_revoke = may_revoke_privileges(changes);
    const SessionPolicy ending = may_revoke ? sessions : SessionPolicy::keep;
    if (work.has_listener() || ending == SessionPolicy::revoke ||
        (contains_ban(changes) && schema.disabled_keys() != nullptr) ||
        (may_revoke && (schema.revocation.exists() || ends_links(work))))
        return outcome_of(dialect.update_with_before(work, id, changes, guard, ending));
    Statement statement = work.statement();
    statement << "UPDATE " << schema.user << " AS useradmin_row SET ";
    append_changes(statement, schema.user, dialect, changes);
    dialect.append_equals(statement << " WHERE ", key, id);
    append_guard(statement, schema.user, dialect, guard);
    statement << " RETURNING " << schema.full_user();
    return outcome_of(
        first_row(work, statement, [&](Rows& rows) { return work.read_full_user(rows); }));
}

/// Returns the new value of `banned`, or std::nullopt if it is not changed or API keys cannot be
/// disabled.
std::optional<bool> ban_of_keys(const Work& work, const Changes& changes) {
    const std::vector<OwnedTable>& owned = work.schema().owned;
    const auto ban = std::find_if(
        changes.begin(), changes.end(),
        [](const Change& change) {
            return change.field == "banned" && std::holds_alternative<bool>(change.value);
        });
    if (ban == changes.end() || !work.plugin_policy().cleans_up ||
        std::none_of(owned.begin(), owned.end(),
                     [](const OwnedTable& table) { return table.can_disable_rows(); }))
        return std::nullopt;
    return std::get<bool>(ban->value);
}

/// Returns whether the database has rejected the value of an extra column. Returns false if the
/// address may be the duplicate, because 4.4 does not check its uniqueness.
bool has_invalid_value(const Work& work, const Changes& changes) {
    const bool is_invalid = work.error_kind() == ErrorKind::invalid_value;
    const bool is_duplicate = work.error_kind() == ErrorKind::unique_violation &&
                              std::none_of(
                                  changes.begin(), changes.end(),
                                  [](const Change& change) { return change.field == "email"; });
    return (is_invalid || is_duplicate) &&
           std::any_of(changes.begin(), changes.end(),
                       [](const Change& change) { return change.names_column; });
}

/// Returns whether an update deletes the user's password links, because it bans the user or changes
/// the address.
bool update_ends_links(Work& work, const Changes& changes) {
    const RowChange& change = work.row_change();
    return ends_links(work) &&
           (contains_ban(changes) ||
            (change.before && change.after && change.before->email != change.after->email));
}

} // namespace

Result<model::User> update(Work& work, const Dialect& dialect, std::string_view id,
                           const Changes& changes, const UpdateGuard& guard,
                           SessionPolicy sessions) {
    const std::optional<bool> ban = ban_of_keys(work, changes);
    const auto change = [&]() -> Result<model::User> {
        Result<model::User> row = update_row(work, dialect, id, changes, guard, sessions);
        const std::optional<model::User>& before = work.row_change().before;
        if (row &&
            ((ban && !switch_keys(work, dialect, id, *ban, before && before->banned)) ||
             (update_ends_links(work, changes) && !remove_password_links(work, dialect, id))))
            return Failure::failed;
        return row;
    };
    const bool is_whole = ban || (ends_links(work) && may_revoke_privileges(changes));
    Result<model::User> updated = is_whole ? whole<model::User>(work, dialect, change) : change();
    if (!updated && has_invalid_value(work, changes))
        return Failure::invalid_value;
    return updated;
}

Result<Done> remove(Work& work, const Dialect& dialect, std::string_view id,
                    const ProtectedEmail& spared, const UpdateGuard& guard) {
    if (!work.schema().user.at("id").can_hold_id(id))
        return Failure::not_found;
    work.set_deleted_user(id);
    return revoke<Done>(work, dialect, {id, {}}, [&] {
        return end_links(work, dialect, id,
                         [&] { return dialect.remove(work, id, spared, guard); });
    });
}

Result<Done> exists_other_with_role(Work& work, const Dialect& dialect, std::string_view id,
                                    std::string_view role, text::Timestamp now) {
    const Table& user = work.schema().user;
    Statement statement = work.statement();
    append_active_with_role(statement << "SELECT 1 FROM " << user << " WHERE ", user, dialect, role,
                            now);
    dialect.append_equals(statement << " AND NOT (", user.at("id"), id);
    statement << ") LIMIT 1";
    return first_row(work, statement, [](Rows&) { return Done(); });
}

Result<Credential> find_credential(Work& work, const Dialect&, std::string_view email) {
    const Table& user = work.schema().user;
    const Table& account = work.schema().account;
    Statement statement = work.statement();
    const Column& owner = account.at("userId");
    const Column& provider = account.at("providerId");
    const Column& address = user.at("email");
    statement << "SELECT " << user.select_list_u << ", "
              << account.select_expression("password", "a.") << ", "
              << work.schema().read_second_factor << " FROM " << user << " u JOIN " << account
              << " a ON a." << owner << owner.op("=") << "u." << user.at("id") << " AND a."
              << provider << provider.op("=") << argument(model::Account().provider_id)
              << " WHERE u." << address << address.op("=") << argument(email);
    return first_row(work, statement, [](Rows& rows) {
        Credential found;
        found.user = rows.take_record<model::User>();
        found.password_hash = rows.take();
        found.has_second_factor = rows.take_boolean();
        return found;
    });
}

void append_new_hash(Statement& statement, const Table& table, const Dialect& dialect,
                     const model::Account& account) {
    statement << "UPDATE " << table << " SET ";
    append_values(statement, table, dialect,
                  {{"password", *account.password}, {"updatedAt", *account.updated_at}});
}

Result<Done> set_password(Work& work, const Dialect& dialect, const model::Account& account,
                          SessionPolicy sessions, const UpdateGuard& guard) {
    work.row_change().user_id = account.user_id;
    if (!work.schema().user.at("id").can_hold_id(account.user_id))
        return Failure::not_found;
    const auto change = [&] {
        return end_links(work, dialect, account.user_id,
                         [&] { return dialect.set_password(work, account, sessions, guard); });
    };
    const Result<Done> set = sessions == SessionPolicy::revoke
                                 ? revoke<Done>(work, dialect, {account.user_id, {}}, change)
                                 : change();
    if (!guard.is_empty() && set.is_not_found())
        return guard_failure(work, dialect, account.user_id, guard);
    return set;
}

Result<Done> replace_hash(Work& work, const Dialect& dialect, const model::Account& account,
                          std::string_view instead_of) {
    const Table& table = work.schema().account;
    Statement statement = work.statement();
    append_new_hash(statement, table, dialect, account);
    dialect.append_equals(statement << " WHERE ", table.at("userId"), account.user_id);
    const Column& provider = table.at("providerId");
    const Column& password = table.at("password");
    statement << " AND " << provider << provider.op("=") << argument(account.provider_id) << " AND "
              << password << password.op("=") << argument(instead_of);
    return change_one(work, statement);
}

Result<std::vector<std::string>> password_formats(Work& work, const Dialect& dialect) {
    const Table& account = work.schema().account;
    const Column& password = account.at("password");
    Statement statement = work.statement();
    // "$argon2id$v=19$" has 15 characters; the parameters end at the next dollar sign.
    const Column& provider = account.at("providerId");
    const std::string equals = account.op("=");
    const std::string part = account.function("substr");
    const std::string length = account.function("length");
    statement << "SELECT DISTINCT CASE WHEN " << part << "p, 1, 15)" << equals
              << "'$argon2id$v=19$' THEN " << part << "p, 1, 15" << account.op("+")
              << dialect.position_function() << "(" << part << "p, 16), '$')) WHEN " << length
              << "p)" << equals << "161 THEN 'scrypt' WHEN " << length << "p)" << equals
              << "60 AND " << part << "p, 1, 2)" << equals << "'$2' THEN " << part
              << "p, 1, 7) ELSE 'other' END FROM (SELECT " << password << " AS p FROM " << account
              << " WHERE " << provider << provider.op("=") << argument(model::Account().provider_id)
              << " AND " << password << " IS NOT NULL LIMIT " << argument(password_sample_size)
              << ") s";
    return all_rows(work, statement, read_text);
}

Result<SessionWithUser> find_session(Work& work, const Dialect& dialect, std::string_view token) {
    const Schema& schema = work.schema();
    Statement statement = work.statement();
    statement << "SELECT " << schema.session.select_list_s << ", " << schema.user.select_list_u;
    append_of_session(statement, schema, dialect, token);
    return first_row(work, statement, [token](Rows& rows) {
        SessionWithUser found;
        found.session = rows.take_record<model::Session>();
        found.session.token = token;
        found.user = rows.take_record<model::User>();
        return found;
    });
}

Result<SessionWithUser> find_caller(Work& work, const Dialect& dialect, std::string_view token) {
    const Schema& schema = work.schema();
    Statement statement = work.statement();
    statement << "SELECT " << schema.select_list_caller;
    append_of_session(statement, schema, dialect, token);
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

Result<model::Session> find_session_of_any(Work& work, const Dialect& dialect,
                                           std::string_view token_or_id) {
    const Table& table = work.schema().session;
    const Column& token = table.at("token");
    const Column& key = table.at("id");
    Statement statement = work.statement();
    statement << "SELECT " << table.select_expression("id") << ", "
              << table.select_expression("userId") << " FROM " << table;
    dialect.append_equals(statement << " WHERE ", token, token_or_id);
    if (key.can_hold_id(token_or_id))
        dialect.append_equals(statement << " OR ", key, token_or_id);
    return first_row(work, statement, [](Rows& rows) {
        model::Session session;
        session.id = rows.take().value_or("");
        session.user_id = rows.take().value_or("");
        return session;
    });
}

Result<std::vector<model::Session>> list_sessions(Work& work, const Dialect& dialect,
                                                  std::string_view user_id) {
    const Table& table = work.schema().session;
    const Column& column = table.at("userId");
    if (!column.can_hold_id(user_id))
        return std::vector<model::Session>();
    Statement statement = work.statement();
    statement << "SELECT " << table.select_list << " FROM " << table;
    dialect.append_equals(statement << " WHERE ", column, user_id);
    statement << " ORDER BY " << newest_first_order(table);
    return all_rows(work, statement, read_record<model::Session>);
}

Result<std::vector<model::Session>> list_active_sessions(Work& work, const Dialect& dialect,
                                                         std::string_view user_id,
                                                         text::Timestamp now, std::int64_t most) {
    const Table& table = work.schema().session;
    const Column& column = table.at("userId");
    const Column& expires = table.at("expiresAt");
    if (!column.can_hold_id(user_id))
        return std::vector<model::Session>();
    for (std::int64_t asked = most;; asked *= 2) {
        Statement statement = work.statement();
        statement << "SELECT " << table.select_list_s << " FROM " << table << " s";
        dialect.append_equals(statement << " WHERE ", column, user_id);
        // In a text column, times in other formats compare correctly only by day.
        statement << " AND " << expires << expires.op(">")
                  << argument(expires, now - std::chrono::days(1)) << " ORDER BY "
                  << newest_first_order(table) << " LIMIT " << argument(asked);
        auto sessions = all_rows(work, statement, read_record<model::Session>);
        if (!sessions)
            return sessions;
        const bool are_all = std::ssize(*sessions) < asked;
        std::erase_if(*sessions, [now](const model::Session& session) {
            return !session.expires_at || *session.expires_at <= now;
        });
        // Sessions that expired within the last day may have displaced live ones.
        if (std::ssize(*sessions) < most && !are_all)
            continue;
        if (std::ssize(*sessions) > most)
            sessions->resize(static_cast<std::size_t>(most));
        return sessions;
    }
}

Result<std::string_view> create_session(Work& work, const Dialect& dialect,
                                        const model::Session& session, const SessionTerms& terms) {
    work.row_change().user_id = session.user_id;
    if (!work.schema().user.at("id").can_hold_id(session.user_id))
        return Failure::version_mismatch;
    const Result<std::string_view> opened = dialect.open_session(work, session, terms);
    if (opened.is_not_found())
        return refusal_of(work, dialect, terms.actor).value_or(Failure::version_mismatch);
    return opened;
}

Result<Done> extend_session(Work& work, const Dialect& dialect, std::string_view token,
                            text::Timestamp expires_at, text::Timestamp now) {
    const Table& table = work.schema().session;
    Statement statement = work.statement();
    statement << "UPDATE " << table << " SET ";
    append_values(statement, table, dialect, {{"expiresAt", expires_at}, {"updatedAt", now}});
    dialect.append_equals(statement << " WHERE ", table.at("token"), token);
    return change_one(work, statement);
}

Result<Done> delete_session(Work& work, const Dialect& dialect, std::string_view token) {
    const Table& table = work.schema().session;
    Statement statement = work.statement();
    append_removal(statement, dialect, table, "token", token);
    if (!work.has_listener() && !work.schema().revocation.exists())
        return change_one(work, statement);
    statement << " RETURNING " << table.select_expression("userId") << ", "
              << table.select_expression("id");
    Revocation revocation;
    return revoke<Done>(work, dialect, revocation, [&] {
        return first_row(work, statement, [&](Rows& rows) {
            revocation.user_id = rows.take().value_or("");
            revocation.session_id = rows.take().value_or("");
            work.row_change().user_id = revocation.user_id;
            return Done();
        });
    });
}

Result<Done> delete_session_of_user(Work& work, const Dialect& dialect, std::string_view user_id,
                                    std::string_view id, const std::optional<Actor>& actor) {
    const Table& table = work.schema().session;
    const Column& column = table.at("userId");
    const Column& key = table.at("id");
    work.row_change().user_id = user_id;
    if (!column.can_hold_id(user_id) || !key.can_hold_id(id))
        return Failure::not_found;
    Statement statement = work.statement();
    append_removal(statement, dialect, table, "userId", user_id);
    dialect.append_equals(statement << " AND ", key, id);
    if (actor)
        append_actor(statement << " AND ", work.schema().user, dialect, actor);
    const Result<Done> closed =
        revoke<Done>(work, dialect, {user_id, id}, [&] { return change_one(work, statement); });
    if (closed.is_not_found())
        return refusal_of(work, dialect, actor).value_or(Failure::not_found);
    return closed;
}

Result<std::int64_t> delete_sessions_of_user(Work& work, const Dialect& dialect,
                                             std::string_view user_id,
                                             const std::optional<Actor>& actor) {
    const Table& table = work.schema().session;
    const Column& column = table.at("userId");
    work.row_change().user_id = user_id;
    if (!column.can_hold_id(user_id))
        return 0;
    Statement statement = work.statement();
    append_removal(statement, dialect, table, "userId", user_id);
    if (actor)
        append_actor(statement << " AND ", work.schema().user, dialect, actor);
    return revoke<std::int64_t>(work, dialect, {user_id, {}}, [&]() -> Result<std::int64_t> {
        const Result<std::int64_t> closed = affected(work, statement);
        if (closed && *closed == 0)
            if (const auto refused = refusal_of(work, dialect, actor))
                return *refused;
        return closed;
    });
}

Result<Done> remove_second_factor(Work& work, const Dialect& dialect, std::string_view id,
                                  const UpdateGuard& guard) {
    const Schema& schema = work.schema();
    const Table& user = schema.user;
    return change_locked_user(work, dialect, id, guard, [&](bool is_enabled) -> Result<Done> {
        if (!is_enabled)
            return Failure::no_second_factor;
        Statement disable = work.statement();
        disable << "UPDATE " << user << " SET ";
        if (append_values(disable, user, dialect, {{"updatedAt", text::now()}}))
            disable << ", ";
        dialect.append_equals(disable << schema.second_factor_column << " = FALSE WHERE ",
                              user.at("id"), id);
        Statement clear = work.statement();
        append_owned_removal(clear, dialect, *schema.second_factors(), id, {});
        if (!work.run(disable) || !work.run(clear) ||
            !remove_verifications(work, dialect, id, second_factor_prefixes))
            return Failure::failed;
        const Result<std::int64_t> ended = delete_sessions_of_user(work, dialect, id, {});
        return ended ? Result<Done>(Done()) : ended.failure();
    });
}

Result<std::vector<model::SignInMethod>> list_sign_in_methods(Work& work, const Dialect& dialect,
                                                              std::string_view user_id,
                                                              std::int64_t most) {
    const Schema& schema = work.schema();
    const Column& key = schema.user.at("id");
    if (!key.can_hold_id(user_id))
        return Failure::not_found;
    Statement statement = work.statement();
    statement << "SELECT " << second_factor_expression(schema) << " FROM " << schema.user;
    dialect.append_equals(statement << " WHERE ", key, user_id);
    const Result<bool> has_second_factor =
        first_row(work, statement, [](Rows& rows) { return rows.take_boolean(); });
    if (!has_second_factor)
        return has_second_factor.failure();
    std::vector<model::SignInMethod> all;
    for (const model::MethodKind kind : model::method_kinds) {
        if (kind == model::MethodKind::second_factor && *has_second_factor &&
            std::ssize(all) < most)
            all.emplace_back().kind = kind;
        const auto methods = methods_of_kind(work, dialect, kind, user_id, most - std::ssize(all));
        if (!methods)
            return methods.failure();
        all.insert(all.end(), methods->begin(), methods->end());
    }
    return all;
}

Result<Done> remove_sign_in_method(Work& work, const Dialect& dialect, std::string_view user_id,
                                   model::MethodKind kind, std::string_view id,
                                   const UpdateGuard& guard) {
    const auto methods = work.schema().method_table(kind);
    return change_locked_user(work, dialect, user_id, guard, [&](bool) -> Result<Done> {
        if (!methods)
            return Failure::no_sign_in_method;
        const Table& table = work.schema().table(methods->letter);
        const Column& key = table.at("id");
        const Column& owner = table.at(methods->owner);
        if (!key.can_hold_id(id) || !owner.can_hold_id(user_id))
            return Failure::no_sign_in_method;
        Statement statement = work.statement();
        append_removal(statement, dialect, table, methods->owner, user_id);
        dialect.append_equals(statement << " AND ", key, id);
        const Result<Done> removed = change_one(work, statement);
        return removed.is_not_found() ? Failure::no_sign_in_method : removed;
    });
}

Result<Revocations> revocations_since(Work& work, const Dialect& dialect, std::int64_t position,
                                      std::optional<std::int64_t> after_id) {
    Revocations found{position, {}};
    const Table& table = work.schema().revocation;
    found.has_table = table.exists();
    if (!found.has_table)
        return found;
    Statement statement = work.statement();
    dialect.append_revocations(statement, table, position);
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

Result<FailedAttempts> failed_attempts(Work& work, const Dialect& dialect,
                                       std::span<const AttemptCounter> counters) {
    const Table& table = work.schema().attempt;
    if (!table.exists())
        return FailedAttempts{false};
    const std::string now = dialect.current_second();
    Statement statement = work.statement();
    statement << "SELECT subject, failures, expires_at" << table.op("-") << now << " FROM " << table
              << " WHERE expires_at" << table.op(">") << now << " AND (";
    for (const AttemptCounter& counter : counters)
        statement << (&counter == &counters.front() ? "subject" : " OR subject") << table.op("=")
                  << argument(counter.subject);
    statement << ")";
    Result<Rows> rows = work.run(statement);
    if (!rows)
        return rows.failure();
    return read_attempts(*rows, counters);
}

Result<FailedAttempts> record_failed_attempt(Work& work, const Dialect& dialect,
                                             std::span<const AttemptCounter> counters,
                                             std::chrono::seconds window) {
    const Table& table = work.schema().attempt;
    if (!table.exists())
        return FailedAttempts{false};
    const std::string now = dialect.current_second();
    // Sort by subject to avoid deadlocks between concurrent statements. SQLite needs WHERE TRUE to
    // distinguish ON CONFLICT from a join's ON.
    Statement count = work.statement();
    count << "INSERT INTO " << table
          << " AS a (subject, failures, expires_at) SELECT s.subject, 1, " << now << table.op("+")
          << "CAST(" << argument(std::int64_t{window.count()}) << " AS bigint) FROM (";
    for (const AttemptCounter& counter : counters)
        count << (&counter == &counters.front() ? "SELECT CAST(" : " UNION ALL SELECT CAST(")
              << argument(counter.subject) << " AS text) AS subject";
    count << ") AS s WHERE TRUE ORDER BY s.subject ON CONFLICT (subject) DO UPDATE SET failures = "
             "CASE WHEN a.expires_at"
          << table.op(">") << now << " THEN a.failures" << table.op("+")
          << "1 ELSE 1 END, expires_at = CASE WHEN a.expires_at" << table.op(">") << now
          << " THEN a.expires_at ELSE excluded.expires_at END RETURNING subject, failures, "
             "expires_at"
          << table.op("-") << now;
    Result<Rows> rows = work.run(count);
    if (!rows)
        return rows.failure();
    const FailedAttempts counted = read_attempts(*rows, counters);
    constexpr std::int64_t most_removed = 20; // one attempt adds fewer rows
    const auto [before, after] = dialect.any_of_locked();
    Statement remove = work.statement();
    remove << "DELETE FROM " << table << " WHERE subject" << before << "SELECT subject FROM "
           << table << " WHERE expires_at" << table.op("<") << now << " ORDER BY expires_at LIMIT "
           << argument(most_removed) << after;
    if (const Result<Done> removed = work.apply(remove); !removed)
        return removed.failure();
    return counted;
}

Result<Done> clear_failed_attempts(Work& work, const Dialect&, const AttemptCounter& counter) {
    const Table& table = work.schema().attempt;
    if (!table.exists())
        return Done();
    Statement statement = work.statement();
    statement << "DELETE FROM " << table << " WHERE subject" << table.op("=")
              << argument(counter.subject);
    return work.apply(statement);
}

Result<ApiKeyWithUser> find_api_key(Work& work, const Dialect& dialect, std::string_view digest) {
    const OwnedTable& keys = *work.schema().api_keys();
    Statement statement = work.statement();
    statement << "SELECT " << keys.table.select_list << " FROM " << keys.table;
    dialect.append_equals(statement << " WHERE ", keys.table.at("key"), digest);
    const Result<model::ApiKey> key = first_row(work, statement, read_record<model::ApiKey>);
    if (!key)
        return key.failure();
    const model::NullableText owner =
        keys.plugin->reference == Reference::user ? key->user_id : key->reference_id;
    if (!owner)
        return ApiKeyWithUser{*key, {}};
    const Result<model::User> user = find(work, dialect, *owner);
    if (!user && !user.is_not_found())
        return user.failure();
    return ApiKeyWithUser{*key, user ? std::optional(*user) : std::nullopt};
}

Result<Done> use_api_key(Work& work, const Dialect& dialect, const ApiKeyUse& use) {
    using Remaining = ApiKeyUse::Remaining;
    using Rate = ApiKeyUse::Rate;
    const Table& table = work.schema().api_keys()->table;
    const Column& remaining = table.at("remaining");
    const Column& count = table.at("requestCount");
    const bool is_refill = use.remaining == Remaining::refill;
    Changes changes{{"lastRequest", use.now}, {"updatedAt", use.now}};
    if (is_refill)
        changes.push_back({"lastRefillAt", use.now});
    Statement statement = work.statement();
    statement << "UPDATE " << table << " SET ";
    append_values(statement, table, dialect, changes);
    if (is_refill)
        statement << ", " << remaining << " = " << argument(use.refilled);
    else if (use.remaining == Remaining::take)
        statement << ", " << remaining << " = " << remaining << remaining.op("-") << "1";
    if (use.rate == Rate::start)
        statement << ", " << count << " = 1";
    else if (use.rate == Rate::count)
        statement << ", " << count << " = coalesce(" << count << ", 0)" << count.op("+") << "1";
    dialect.append_equals(statement << " WHERE ", table.at("id"), use.id);
    const auto append_not_after = [&](std::string_view field, text::Timestamp latest) {
        const Column& column = table.at(field);
        statement << " AND (" << column << " IS NULL OR " << column << column.op("<=")
                  << argument(column, latest) << ")";
    };
    if (is_refill)
        append_not_after("lastRefillAt", use.refill_before);
    else if (use.remaining == Remaining::take)
        statement << " AND " << remaining << remaining.op(">") << "0";
    if (use.rate == Rate::start)
        append_not_after("lastRequest", use.window_before);
    else if (use.rate == Rate::count)
        statement << " AND (" << count << " IS NULL OR " << count << count.op("<")
                  << argument(use.max_requests) << ")";
    return change_one(work, statement);
}

Result<std::string_view> create_api_key(Work& work, const Dialect&, const model::ApiKey& key,
                                        std::string_view digest) {
    const OwnedTable& keys = *work.schema().api_keys();
    work.row_change().user_id = key.reference_id.value_or("");
    Statement statement = work.statement();
    statement << "INSERT INTO " << keys.table << " (" << keys.table.at("key") << ", ";
    statement.columns(keys.table, key) << ") VALUES (" << argument(digest) << ", ";
    statement.values(keys.table, key) << ") RETURNING " << keys.table.select_expression("id");
    return first_row(work, statement, [](Rows& rows) { return rows.take().value_or(""); });
}

Result<std::vector<model::ApiKey>> list_api_keys(Work& work, const Dialect& dialect,
                                                 std::string_view user_id) {
    const OwnedTable& keys = *work.schema().api_keys();
    Statement statement = work.statement();
    statement << "SELECT " << keys.table.select_list << " FROM " << keys.table;
    dialect.append_equals(statement << " WHERE ", keys.owner(), user_id);
    statement << " ORDER BY " << newest_first_order(keys.table);
    return all_rows(work, statement, read_record<model::ApiKey>);
}

Result<Done> delete_api_key(Work& work, const Dialect& dialect, std::string_view id) {
    const OwnedTable& keys = *work.schema().api_keys();
    const Column& key = keys.table.at("id");
    if (!key.can_hold_id(id))
        return Failure::not_found;
    Statement statement = work.statement();
    append_removal(statement, dialect, keys.table, "id", id)
        << " RETURNING " << keys.table.select_expression(keys.plugin->owner);
    return first_row(work, statement, [&](Rows& rows) {
        work.row_change().user_id = rows.take().value_or("");
        return Done();
    });
}

Result<Done> check_writable(Work& work, const Dialect& dialect) {
    const Table& user = work.schema().user;
    const std::string lock = dialect.row_lock();
    Statement statement = work.statement();
    // Use a statement that a read-only database rejects but that runs no triggers.
    if (lock.empty())
        statement << "UPDATE " << user << " SET " << user.at("id") << " = " << user.at("id")
                  << " WHERE FALSE";
    else
        statement << "SELECT 1 FROM " << user << " WHERE FALSE" << lock;
    return work.apply(statement);
}

Result<model::NullableTime> last_change_received(Work& work, const Dialect& dialect) {
    Statement statement = work.statement();
    statement << "SELECT " << dialect.last_change_received();
    return first_row(work, statement, [](Rows& rows) { return rows.take_time(); });
}

Result<std::string_view> find_verification(Work& work, const Dialect& dialect,
                                           std::string_view identifier, text::Timestamp now) {
    const Table& table = work.schema().verifications()->table;
    Statement statement = work.statement();
    statement << "SELECT " << table.select_list << " FROM " << table;
    dialect.append_equals(statement << " WHERE ", table.at("identifier"), identifier);
    statement << " ORDER BY " << newest_first_order(table);
    const auto rows = all_rows(work, statement, read_record<model::VerificationValue>);
    if (!rows)
        return rows.failure();
    const auto found = std::find_if(rows->begin(), rows->end(), [now](const auto& row) {
        return row.expires_at && *row.expires_at > now;
    });
    return found != rows->end() ? Result<std::string_view>(found->value) : Failure::not_found;
}

Result<Done> add_verification(Work& work, const Dialect&, const model::VerificationValue& row) {
    const Table& table = work.schema().verifications()->table;
    Statement statement = work.statement();
    return work.apply(statement.insertion(table, row));
}

Result<Done> issue_verification(Work& work, const Dialect& dialect, std::string_view user_id,
                                const std::optional<model::VerificationValue>& row,
                                const UpdateGuard& guard) {
    return change_locked_user(
        work, dialect, user_id, guard,
        [&](bool) -> Result<Done> {
            if (!row)
                return Done();
            if (!remove_password_links(work, dialect, user_id))
                return Failure::failed;
            return add_verification(work, dialect, *row);
        });
}

Result<Done> remove_verification(Work& work, const Dialect& dialect, std::string_view identifier) {
    const Table& table = work.schema().verifications()->table;
    Statement statement = work.statement();
    return work.apply(append_removal(statement, dialect, table, "identifier", identifier));
}

Result<UserWithSecondFactor> find_second_factor(Work& work, const Dialect& dialect,
                                                std::string_view user_id) {
    const Schema& schema = work.schema();
    const OwnedTable& factors = *schema.second_factors();
    const Column& key = schema.user.at("id");
    if (!key.can_hold_id(user_id) || !factors.owner().can_hold_id(user_id))
        return Failure::not_found;
    Statement statement = work.statement();
    statement << "SELECT " << schema.user.select_list_u << ", " << schema.read_second_factor << ", "
              << factors.table.select_list_s << " FROM " << schema.user << " u CROSS JOIN "
              << factors.table << " s WHERE ";
    // The columns of the two ids may be of different types, so compare each with the argument.
    dialect.append_equals(statement, key, user_id, "u.");
    dialect.append_equals(statement << " AND ", factors.owner(), user_id, "s.");
    statement << " LIMIT 1";
    return first_row(work, statement, [](Rows& rows) {
        UserWithSecondFactor found;
        found.user = rows.take_record<model::User>();
        found.is_enabled = rows.take_boolean();
        found.factor = rows.take_record<model::SecondFactor>();
        return found;
    });
}

namespace {

/// Deletes the verification rows in SecondFactorChange::taken. Fails with not_found unless the
/// first identifier has an unexpired row with the user's id.
Result<Done> take_verifications(Work& work, const Dialect& dialect,
                                const SecondFactorChange& change) {
    const Table& table = work.schema().verifications()->table;
    const Column& value = table.at("value");
    for (const std::string_view& identifier : change.taken) {
        const bool is_first = &identifier == &change.taken.front();
        Statement statement = work.statement();
        append_removal(statement, dialect, table, "identifier", identifier);
        if (is_first)
            dialect.append_equals(statement << " AND ", value, change.user_id);
        statement << " RETURNING " << table.select_expression("expiresAt");
        const auto times = all_rows(work, statement, [](Rows& rows) { return rows.take_time(); });
        if (!times)
            return times.failure();
        if (is_first && std::none_of(times->begin(), times->end(),
                                     [&](const auto& time) { return time && *time > change.now; }))
            return Failure::not_found;
    }
    return Done();
}

Result<Done> add_verifications(Work& work, const Dialect& dialect,
                               const SecondFactorChange& change) {
    for (const model::VerificationValue& row : change.added)
        if (const Result<Done> added = add_verification(work, dialect, row); !added)
            return added;
    return Done();
}

/// Stores the remaining backup codes and clears the failures, if requested. Fails with
/// version_mismatch if the stored backup codes have changed.
Result<Done> update_factor(Work& work, const Dialect& dialect, const SecondFactorChange& change) {
    const OwnedTable& factors = *work.schema().second_factors();
    Changes changes;
    if (change.backup_codes)
        changes.push_back({"backupCodes", *change.backup_codes});
    if (change.clears_failures) {
        changes.push_back({"failedVerificationCount", "0"});
        changes.push_back({"lockedUntil", {}});
    }
    Statement statement = work.statement();
    statement << "UPDATE " << factors.table << " SET ";
    if (!append_values(statement, factors.table, dialect, changes))
        return Done();
    dialect.append_equals(statement << " WHERE ", factors.owner(), change.user_id);
    const Column& codes = factors.table.at("backupCodes");
    if (change.backup_codes)
        dialect.append_equals(statement << " AND ", codes, change.instead_of);
    const Result<Done> updated = change_one(work, statement);
    if (updated.is_not_found())
        return change.backup_codes ? Result<Done>(Failure::version_mismatch) : Done();
    return updated;
}

} // namespace

Result<Done> change_second_factor(Work& work, const Dialect& dialect,
                                  const SecondFactorChange& change) {
    if (!work.schema().second_factors()->owner().can_hold_id(change.user_id))
        return Failure::not_found;
    return whole<Done>(work, dialect, [&]() -> Result<Done> {
        Result<Done> done = take_verifications(work, dialect, change);
        if (done)
            done = add_verifications(work, dialect, change);
        return done ? update_factor(work, dialect, change) : done;
    });
}

Result<Done> record_second_factor_failure(Work& work, const Dialect& dialect,
                                          std::string_view user_id, const SecondFactorLock& lock) {
    const OwnedTable& factors = *work.schema().second_factors();
    const Column* const count = factors.table.find("failedVerificationCount");
    const Column* const locked = factors.table.find("lockedUntil");
    if (count == nullptr || locked == nullptr)
        return Done();
    if (!factors.owner().can_hold_id(user_id))
        return Failure::not_found;
    const std::string counted = "(coalesce(" + count->sql() + ", 0)" + count->op("+") + "1)";
    Statement statement = work.statement();
    statement << "UPDATE " << factors.table << " SET " << *count << " = " << counted << ", "
              << *locked << " = CASE WHEN " << counted << count->op(">=") << "CAST("
              << argument(lock.failures) << " AS bigint) THEN " << argument(*locked, lock.until)
              << " ELSE " << *locked << " END";
    dialect.append_equals(statement << " WHERE ", factors.owner(), user_id);
    return change_one(work, statement);
}

ExtraColumn::Kind extra_kind_of(const Column& column) noexcept {
    using Kind = ExtraColumn::Kind;
    switch (column.kind) {
    case Column::Kind::text:
    case Column::Kind::uuid:
        // A SQLite column without a type may hold any value.
        return column.type.empty() ? Kind::any : Kind::text;
    case Column::Kind::integer:
        return Kind::integer;
    case Column::Kind::boolean:
        return Kind::boolean;
    case Column::Kind::timestamp:
        return Kind::time;
    case Column::Kind::other:
        break;
    }
    // SQLite has no type for times. better-auth declares them as "date".
    const bool is_time = column.sql_type.empty() && (column.type.find("date") != column.type.npos ||
                                                     column.type.find("time") != column.type.npos);
    return is_time ? Kind::time : Kind::any;
}

Result<std::vector<ExtraColumn>> extra_columns(Work& work, const Dialect&) {
    std::vector<ExtraColumn> columns;
    for (const Column* column : work.schema().extra_user_columns())
        columns.push_back({apr::copy_view(work.pool(), column->name), extra_kind_of(*column),
                           column->is_nullable, column->max_value});
    return columns;
}

Result<Survey> survey(Work& work, const Dialect& dialect, const ProtectedEmail& spared) {
    const Table& user = work.schema().user;
    const Column& email = user.at("email");
    Statement statement = work.statement();
    statement << "SELECT EXISTS (SELECT 1 FROM " << user << " WHERE ";
    const std::string lower = user.function("lower");
    if (spared.ignores_case)
        statement << lower << email << ")" << user.op("=") << lower << argument(spared.email)
                  << ")";
    else
        statement << email << email.op("=") << argument(spared.email);
    statement << "), EXISTS (SELECT 1 FROM " << user << " u WHERE u." << email << user.op("<>")
              << lower << "u." << email << ") AND EXISTS (SELECT 1 FROM " << user << " v WHERE v."
              << email << user.op("=") << lower << "u." << email << "))), "
              << dialect.connection_limit();
    return first_row(work, statement, [&](Rows& rows) {
        Survey survey;
        survey.last_seen_problem = work.schema().last_seen_problem;
        survey.has_protected_user = rows.take_boolean();
        survey.has_case_collisions = rows.take_boolean();
        survey.connection_limit = rows.take_number();
        return survey;
    });
}

} // namespace useradmin::store::statements
