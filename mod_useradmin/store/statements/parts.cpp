#include "store/statements/parts.hpp"

#include "store/conditions.hpp"
#include "store/update_conditions.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace useradmin::store::statements {

Result<std::int64_t> affected(Work& work, const Statement& statement) {
    const Result<Rows> rows = work.run(statement);
    return rows ? Result<std::int64_t>(rows->affected()) : rows.failure();
}

Result<Done> change_one(Work& work, const Statement& statement) {
    const Result<std::int64_t> changed = affected(work, statement);
    if (!changed)
        return changed.failure();
    return *changed > 0 ? Result<Done>(Done()) : Failure::not_found;
}

void append_other_email(Statement& statement, const Table& user, const Changes& changes,
                        bool ignores_case) {
    const auto email = std::ranges::find(changes, "email", &Change::field);
    if (email == changes.end()) {
        statement << "FALSE";
        return;
    }
    const auto* const text = std::get_if<std::string_view>(&email->value);
    const std::string lower = ignores_case ? user.function("lower") : "";
    const char* const end = ignores_case ? ")" : "";
    statement << lower << "coalesce(" << as_text(user.at("email")) << ", '')" << end
              << user.op("<>") << lower << argument(text != nullptr ? *text : "") << end;
}

namespace {

/// Appends the condition of a change whose Change::when is not `always`.
void append_when(Statement& statement, const Table& user, const Column& column,
                 const Changes& changes, Change::When when) {
    if (when != Change::When::expired)
        return append_other_email(statement, user, changes,
                                  when == Change::When::other_email_ignoring_case);
    const auto now = std::ranges::find(changes, "updatedAt", &Change::field);
    if (now == changes.end())
        statement << "FALSE";
    else
        statement << column << column.op("<=") << argument(column, now->value);
}

} // namespace

bool append_values(Statement& statement, const Table& table, const Changes& changes) {
    bool is_first = true;
    for (const Change& change : changes) {
        const Column* const column = column_of(table, changes, change);
        if (column == nullptr)
            continue;
        statement << (is_first ? "" : ", ") << *column << " = ";
        if (change.when != Change::When::always) {
            append_when(statement << "CASE WHEN ", table, *column, changes, change.when);
            statement << " THEN ";
        }
        statement << argument(*column, change.value);
        if (change.when != Change::When::always)
            statement << " ELSE " << *column << " END";
        is_first = false;
    }
    return !is_first;
}

bool contains_ban(const Changes& changes) {
    return std::ranges::any_of(
        changes,
        [](const Change& change) {
            const auto* const boolean = std::get_if<bool>(&change.value);
            return change.field == "banned" && boolean != nullptr && *boolean;
        });
}

std::string second_factor_condition(const Schema& schema) {
    return schema.has_second_factors() ? schema.second_factor_column : "FALSE";
}

Statement& append_delete(Statement& statement, const Table& table, std::string_view field,
                         std::string_view id) {
    append_equals(statement << "DELETE FROM " << table << " WHERE ", table.at(field), id);
    return statement;
}

bool remove_rows(Work& work, const Table& table, std::string_view field, std::string_view id) {
    Statement statement = work.statement();
    return static_cast<bool>(work.run(append_delete(statement, table, field, id)));
}

std::vector<const OwnedTable*> tables_to_clear(const Work& work, std::string_view id,
                                               model::NullableText email) {
    std::vector<const OwnedTable*> tables;
    for (const OwnedTable& owned : work.schema().owned)
        if (work.plugin_policy().cleans_up && owned.can_delete_rows() &&
            (owned.plugin->reference == Reference::email ? email && !email->empty()
                                                         : owned.owner().can_hold_id(id)))
            tables.push_back(&owned);
    return tables;
}

void append_delete_owned_rows(Statement& statement, const OwnedTable& owned, std::string_view id,
                              model::NullableText email) {
    if (owned.plugin->reference != Reference::email) {
        append_delete(statement, owned.table, owned.plugin->owner, id);
        return;
    }
    statement << "DELETE FROM " << owned.table;
    const char* before = " WHERE ";
    for (const std::string_view prefix : address_prefixes)
        append_equals(statement << std::exchange(before, " OR "), owned.owner(),
                      std::string(prefix).append(*email));
}

std::optional<Failure> rejection_of(Work& work, const std::optional<Actor>& actor) {
    if (!actor)
        return std::nullopt;
    const Table& user = work.schema().user;
    if (!user.at("id").can_hold_id(actor->id))
        return Failure::caller_rejected;
    Statement statement = work.statement();
    append_not_banned(statement << "SELECT ", user, actor->now);
    append_one_of_roles(statement << ", ", user, actor->roles);
    append_equals(statement << " FROM " << user << " WHERE ", user.at("id"), actor->id);
    Result<Rows> rows = work.run(statement);
    if (!rows)
        return rows.failure();
    if (!rows->next() || !rows->take_boolean())
        return Failure::caller_rejected;
    return rows->take_boolean() ? std::nullopt : std::optional(Failure::caller_demoted);
}

Failure guard_failure(Work& work, std::string_view id, const UpdateGuard& guard) {
    if (const auto rejection = rejection_of(work, guard.actor))
        return *rejection;
    const Table& user = work.schema().user;
    Statement statement = work.statement();
    append_guard_rule(statement << "SELECT ", user, guard);
    append_equals(statement << " FROM " << user << " AS useradmin_row WHERE ", user.at("id"), id);
    const Result<bool> may =
        first_row(work, statement, [](Rows& rows) { return rows.take_boolean(); });
    if (!may)
        return may.failure();
    // The caller is not rejected, and all conditions hold.
    if (*may && guard.kind == UpdateGuard::Kind::none && !guard.versions)
        return work.fail_without_change();
    return failure_of(guard, *may);
}

} // namespace useradmin::store::statements
