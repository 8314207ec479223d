#include "apr/pool.hpp"
#include "model/roles.hpp"
#include "store/conditions.hpp"
#include "store/lists.hpp"
#include "store/statements/parts.hpp"
#include "store/update_conditions.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace useradmin::store::statements {

namespace {

// The maximum number of ids in one statement.
constexpr std::size_t max_ids = 500;

/// Appends " WHERE " and a condition that the id belongs to one of the users. `users` must not be
/// empty.
void append_ids(Statement& statement, const Table& table, std::span<const model::User> users) {
    // Rounding up limits the number of distinct prepared statements.
    const std::size_t count = (users.size() + 9) / 10 * 10;
    std::vector<std::string_view> ids(count, users.back().id);
    std::ranges::transform(users, ids.begin(), &model::User::id);
    append_one_of(statement << " WHERE ", table, table.at("id"), ids);
}

/// Reads more columns of the users who still exist. In `columns`, each column follows a comma.
/// `alias` is the alias of the user table, such as " AS u", or empty. `read` sets a user's fields
/// from a row.
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
        statement << "SELECT " << table.select_expression("id") << columns << " FROM " << table
                  << alias;
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

} // namespace

bool may_revoke_privileges(const Changes& changes) {
    return contains_ban(changes) || std::ranges::any_of(
                                        changes,
                                        [](const Change& change) {
                                            return change.field == "role" ||
                                                   change.field == "email";
                                        });
}

void append_changes(Statement& statement, const Table& user, const Changes& changes) {
    const Column& key = user.at("id");
    if (!append_values(statement, user, changes))
        statement << key << " = " << key;
}

Result<model::User> find(Work& work, std::string_view id, UserColumns columns) {
    const Table& user = work.schema().user;
    const Column& key = user.at("id");
    if (!key.can_hold_id(id))
        return Failure::not_found;
    Statement statement = work.statement();
    const bool reads_all = columns == UserColumns::all;
    statement << "SELECT "
              << (reads_all ? work.schema().full_user() : user.select_list + ", " + user.version)
              << " FROM " << user << " AS useradmin_row";
    append_equals(statement << " WHERE ", key, id);
    return first_row(work, statement, [&](Rows& rows) {
        return reads_all ? work.read_full_user(rows) : Work::read_user(rows);
    });
}

Result<Done> read_last_activity(Work& work, std::span<model::User> users) {
    for (model::User& user : users)
        user.last_seen.emplace();
    const Table& table = work.schema().user;
    if (!table.last_seen)
        return Done();
    const LastSeen& seen = *table.last_seen;
    return read_more(work, ", " + seen.column.select_prefix + seen.sql + seen.column.select_suffix,
                     "", users,
                     [](Rows& rows, model::User& user) { user.last_seen = rows.take_time(); });
}

Result<Done> read_extra_columns(Work& work, std::span<model::User> users) {
    return read_more(
        work, work.schema().extra_columns, " AS useradmin_row", users,
        [&](Rows& rows, model::User& user) { user.extra_columns = work.read_extra_columns(rows); });
}

Result<model::User> find_by_email(Work& work, std::string_view email) {
    const Table& user = work.schema().user;
    Statement statement = work.statement();
    const Column& column = user.at("email");
    statement << "SELECT " << user.select_list << " FROM " << user << " WHERE " << column
              << column.op("=") << argument(email);
    return first_row(work, statement, read_record<model::User>);
}

namespace {

/// Returns whether the database may have rejected the value of an extra column. Returns false if an
/// update's address may be the duplicate, because 4.4 does not check its uniqueness.
bool has_invalid_value(const Work& work, const Changes& changes) {
    const bool is_duplicate =
        work.error_kind() == ErrorKind::unique_violation &&
        std::ranges::none_of(changes, [](const Change& change) { return change.field == "email"; });
    return (work.has_rejected_value() || is_duplicate) &&
           std::ranges::any_of(changes, &Change::names_column);
}

/// Returns whether the columns can hold the text of the changes (Column::can_hold_text).
bool can_hold_texts(Work& work, const Changes& changes) {
    const Table& user = work.schema().user;
    for (const Change& change : changes) {
        const auto* const text = std::get_if<std::string_view>(&change.value);
        if (!change.names_column || text == nullptr)
            continue;
        const Column* const column = column_of(user, changes, change);
        if (column != nullptr && !column->can_hold_text(*text)) {
            static_cast<void>(work.fail("column \"" + column->name + "\" of table " + user.name +
                                        " has the type " + column->type));
            return false;
        }
    }
    return true;
}

} // namespace

Result<model::User> create(Work& work, const NewUser& user, const std::optional<Actor>& actor) {
    if (!work.can_hold("role", user.role))
        return Failure::failed;
    if (!can_hold_texts(work, user.data))
        return Failure::invalid_value;
    const bool has_savepoint = work.client().is_in_transaction();
    if (has_savepoint && !work.execute("SAVEPOINT useradmin_create"))
        return Failure::failed;
    Result<model::User> made = work.dialect().create(work, user, actor);
    if (made.is_not_found()) {
        const auto rejection = rejection_of(work, actor);
        return rejection ? *rejection : work.fail_without_change();
    }
    const bool is_invalid = !made && has_invalid_value(work, user.data);
    if (!made && work.error_kind() == ErrorKind::unique_violation) {
        if (has_savepoint)
            static_cast<void>(work.execute("ROLLBACK TO SAVEPOINT useradmin_create"));
        // Check whether the duplicate value is the address.
        if (is_taken(work, user.email))
            return Failure::email_taken;
    }
    if (is_invalid)
        return Failure::invalid_value;
    if (made)
        work.row_change() = {made->id, {}, *made};
    return made;
}

namespace {

/// Changes the user's row. If `keeps_before`, sets Work::row_change().
Result<model::User> update_row(Work& work, std::string_view id, const Changes& changes,
                               const UpdateGuard& guard, bool keeps_before) {
    const Schema& schema = work.schema();
    const Column& key = schema.user.at("id");
    if (!work.can_hold_id(key, id))
        return Failure::not_found;
    const bool can_hold_fields = std::ranges::all_of(changes, [&](const Change& change) {
        return change.names_column || work.can_hold(change.field, change.value);
    });
    if (!can_hold_fields || !can_hold_texts(work, changes)) {
        const Result<Done> allowed = check_guard(work, id, guard);
        return !allowed          ? allowed.failure()
               : can_hold_fields ? Failure::invalid_value
                                 : Failure::failed;
    }
    // If nothing was written, check whether the guard failed or the user is missing.
    const auto outcome_of = [&](Result<model::User> updated) -> Result<model::User> {
        return updated.is_not_found() ? guard_failure(work, id, guard) : updated;
    };
    // SQLite's RETURNING does not show the changes of AFTER triggers.
    if (keeps_before || work.dialect().product().is_single_writer)
        return outcome_of(work.dialect().update_with_before(work, id, changes, guard));
    Statement statement = work.statement();
    statement << "UPDATE " << schema.user << " AS useradmin_row SET ";
    append_changes(statement, schema.user, changes);
    append_equals(statement << " WHERE ", key, id);
    append_guard(statement, schema.user, guard);
    statement << " RETURNING " << schema.full_user();
    return outcome_of(
        first_row(work, statement, [&](Rows& rows) { return work.read_full_user(rows); }));
}

/// Returns the new value of `banned`, or std::nullopt if API keys need not be disabled or enabled.
std::optional<bool> ban_of_keys(const Work& work, const Changes& changes) {
    const std::vector<OwnedTable>& owned = work.schema().owned;
    const auto ban = std::ranges::find_if(changes, [](const Change& change) {
        return change.field == "banned" && std::holds_alternative<bool>(change.value);
    });
    if (ban == changes.end() || !work.plugin_policy().cleans_up ||
        std::ranges::none_of(owned, &OwnedTable::can_disable_rows))
        return std::nullopt;
    return std::get<bool>(ban->value);
}

/// If the update took away privileges, records the revocation and, with SessionPolicy::revoke, ends
/// the user's sessions. A ban or a new address also deletes the user's password links. Requires
/// RowChange::before and after. Returns false on failure. Call it after the update: only a later
/// statement sees the sessions that were opened while the update waited for the row lock.
bool revoke_lost_privileges(Work& work, std::string_view id, const Changes& changes,
                            SessionPolicy sessions) {
    const Schema& schema = work.schema();
    const model::User& before = *work.row_change().before;
    const model::User& after = *work.row_change().after;
    const bool ends_links = contains_ban(changes) || before.email != after.email;
    if (!ends_links &&
        before.role.value_or(model::user_role) == after.role.value_or(model::user_role))
        return true;
    if (schema.revocation.exists() && !work.dialect().record_revocation(work, {id, {}}))
        return false;
    if (sessions == SessionPolicy::revoke && (!remove_rows(work, schema.session, "userId", id) ||
                                              !end_impersonations(work, id, before.role)))
        return false;
    return !ends_links || !revokes_links(work) || remove_password_links(work, id);
}

} // namespace

Result<model::User> update(Work& work, std::string_view id, const Changes& changes,
                           const UpdateGuard& guard, SessionPolicy sessions) {
    const std::optional<bool> ban = ban_of_keys(work, changes);
    const bool may_revoke = may_revoke_privileges(changes) &&
                            (sessions == SessionPolicy::revoke ||
                             work.schema().revocation.exists() || revokes_links(work));
    const bool keeps_before = may_revoke || work.has_listener() ||
                              (contains_ban(changes) && work.schema().disabled_keys() != nullptr);
    const auto change = [&]() -> Result<model::User> {
        Result<model::User> row = update_row(work, id, changes, guard, keeps_before);
        const std::optional<model::User>& before = work.row_change().before;
        if (row && ((may_revoke && !revoke_lost_privileges(work, id, changes, sessions)) ||
                    (ban && !apply_ban_to_keys(work, id, *ban, before && before->banned))))
            return Failure::failed;
        return row;
    };
    Result<model::User> updated =
        ban || may_revoke ? in_transaction<model::User>(work, change) : change();
    if (!updated && has_invalid_value(work, changes))
        return Failure::invalid_value;
    return updated;
}

Result<Done> check_guard(Work& work, std::string_view id, const UpdateGuard& guard) {
    const Table& user = work.schema().user;
    Statement statement = work.statement();
    append_equals(statement << "SELECT 1 FROM " << user << " AS useradmin_row WHERE ",
                  user.at("id"), id);
    append_guard(statement, user, guard);
    const Result<Done> allowed = first_row(work, statement, [](Rows&) { return Done(); });
    return allowed.is_not_found() ? guard_failure(work, id, guard) : allowed;
}

namespace {

/// Appends a query for the user to delete.
Statement& append_target(Statement& statement, const Table& user, std::string_view id) {
    append_equals(statement << "SELECT " << user.select_list << " FROM " << user
                            << " AS useradmin_row WHERE ",
                  user.at("id"), id);
    return statement;
}

/// Runs the query of append_target(), and keeps the row for the listener. May fail with not_found
/// or protected_user.
Result<model::User> check_target(Work& work, const Statement& statement,
                                 const ProtectedEmail& protected_email) {
    const Result<model::User> target = first_row(work, statement, read_record<model::User>);
    if (!target)
        return target;
    const bool ignores_case =
        protected_email.ignores_case || work.schema().user.at("email").has_loose_equality;
    if (!target->email.empty() &&
        ProtectedEmail{protected_email.email, ignores_case}.matches(target->email))
        return Failure::protected_user;
    work.row_change() = {target->id, *target, {}};
    return target;
}

/// Deletes the locked user and the user's rows in other tables, in the order of 4.4.1. Uses
/// separate statements, because a trigger of the application may delete rows that the next
/// statement also deletes. Returns false on failure.
bool remove_with_rows(Work& work, std::string_view id, std::string_view email) {
    const Schema& schema = work.schema();
    for (const OwnedTable* const owned : tables_to_clear(work, id, email)) {
        Statement clear = work.statement();
        append_delete_owned_rows(clear, *owned, id, email);
        if (!work.run(clear))
            return false;
    }
    return remove_rows(work, schema.session, "userId", id) &&
           remove_rows(work, schema.account, "userId", id) &&
           remove_rows(work, schema.user, "id", id);
}

} // namespace

Result<Done> remove(Work& work, std::string_view id, const ProtectedEmail& protected_email,
                    const UpdateGuard& guard) {
    const Table& user = work.schema().user;
    if (!work.can_hold_id(user.at("id"), id))
        return Failure::not_found;
    // Lock the user first, because the address must not change in the meantime. The guard is a
    // condition of the same statement, so it locks other users before this one. This avoids
    // deadlocks.
    Statement lock = work.statement();
    append_guard(append_target(lock, user, id), user, guard);
    lock << work.dialect().product().removal_lock;
    const auto remove_locked = [&]() -> Result<Done> {
        const Result<model::User> target = check_target(work, lock, protected_email);
        if (!target)
            return target.failure();
        if (!end_impersonations(work, id, target->role) ||
            !remove_with_rows(work, id, target->email) ||
            (revokes_links(work) && !remove_password_links(work, id)))
            return Failure::failed;
        return Done();
    };
    const Result<Done> removed = change_and_revoke<Done>(
        work, {id, {}}, [&] { return in_transaction<Done>(work, remove_locked); });
    if (guard.is_empty() || !removed.is_not_found())
        return removed;
    // Find out whether the user is missing or the guard failed.
    if (const auto rejection = rejection_of(work, guard.actor))
        return *rejection;
    Statement target = work.statement();
    const auto found = check_target(work, append_target(target, user, id), protected_email);
    return found ? guard_failure(work, id, guard) : found.failure();
}

ExtraColumn::Kind extra_kind_of(const Column& column) noexcept {
    using Kind = ExtraColumn::Kind;
    switch (column.kind) {
    case Column::Kind::text:
    case Column::Kind::uuid:
        // An SQLite column without a type may hold any value.
        return column.type.empty() ? Kind::any : Kind::text;
    case Column::Kind::integer:
        return Kind::integer;
    case Column::Kind::boolean:
        return Kind::boolean;
    case Column::Kind::timestamp:
    case Column::Kind::other:
        break;
    }
    return column.is_declared_as_time() ? Kind::time : Kind::any;
}

Result<std::vector<ExtraColumn>> extra_columns(Work& work) {
    std::vector<ExtraColumn> columns;
    for (const Column* column : work.schema().extra_user_columns())
        columns.push_back({apr::copy_view(work.pool(), column->name), extra_kind_of(*column),
                           column->is_nullable, column->max_value});
    return columns;
}

} // namespace useradmin::store::statements
