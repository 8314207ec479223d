#include "store/lists.hpp"
#include "store/statements/parts.hpp"

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace useradmin::store::statements {

namespace {

/// Returns up to `limit` of the user's sign-in methods in the table of a kind, newest first.
Result<std::vector<model::SignInMethod>>
methods_of_kind(Work& work, model::MethodKind kind, std::string_view user_id, std::int64_t limit) {
    const auto methods = work.schema().method_table(kind);
    if (!methods || limit <= 0)
        return std::vector<model::SignInMethod>();
    const Table& table = work.schema().table(methods->letter);
    const Column& owner = table.at(methods->owner);
    if (!owner.can_hold_id(user_id))
        return std::vector<model::SignInMethod>();
    Statement statement = work.statement();
    const char* separator = "SELECT ";
    for (const auto& field : model::fields<model::SignInMethod>())
        statement << std::exchange(separator, ", ") << table.select_expression(field.name);
    append_equals(statement << " FROM " << table << " WHERE ", owner, user_id);
    statement << " ORDER BY " << newest_first_order(table) << " LIMIT " << argument(limit);
    return all_rows(work, statement, [kind](Rows& rows) {
        auto method = read_record<model::SignInMethod>(rows);
        method.kind = kind;
        return method;
    });
}

} // namespace

Result<std::vector<model::SignInMethod>> list_sign_in_methods(Work& work, std::string_view user_id,
                                                              std::int64_t limit) {
    const Schema& schema = work.schema();
    const Column& key = schema.user.at("id");
    if (!key.can_hold_id(user_id))
        return Failure::not_found;
    Statement statement = work.statement();
    statement << "SELECT " << second_factor_condition(schema) << " FROM " << schema.user;
    append_equals(statement << " WHERE ", key, user_id);
    const Result<bool> has_second_factor =
        first_row(work, statement, [](Rows& rows) { return rows.take_boolean(); });
    if (!has_second_factor)
        return has_second_factor.failure();
    std::vector<model::SignInMethod> all;
    for (const model::MethodKind kind : model::method_kinds) {
        if (kind == model::MethodKind::second_factor && *has_second_factor &&
            std::ssize(all) < limit)
            all.emplace_back().kind = kind;
        const auto methods = methods_of_kind(work, kind, user_id, limit - std::ssize(all));
        if (!methods)
            return methods.failure();
        all.insert(all.end(), methods->begin(), methods->end());
    }
    return all;
}

Result<Done> remove_sign_in_method(Work& work, std::string_view user_id, model::MethodKind kind,
                                   std::string_view id, const UpdateGuard& guard) {
    const auto methods = work.schema().method_table(kind);
    return change_locked_user(work, user_id, guard, [&](const LockedUser&) -> Result<Done> {
        if (!methods)
            return Failure::no_sign_in_method;
        const Table& table = work.schema().table(methods->letter);
        const Column& key = table.at("id");
        const Column& owner = table.at(methods->owner);
        if (!work.can_hold_id(key, id) || !owner.can_hold_id(user_id))
            return Failure::no_sign_in_method;
        Statement statement = work.statement();
        append_delete(statement, table, methods->owner, user_id);
        append_equals(statement << " AND ", key, id);
        const Result<Done> removed = change_one(work, statement);
        return removed.is_not_found() ? Failure::no_sign_in_method : removed;
    });
}

} // namespace useradmin::store::statements
