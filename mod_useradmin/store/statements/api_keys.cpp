#include "store/lists.hpp"
#include "store/statements/parts.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace useradmin::store::statements {

namespace {

/// Disables the user's enabled API keys. Records them in `disabled_keys`, unless it is nullptr.
/// Returns false on failure.
bool disable_keys(Work& work, const OwnedTable& keys, const OwnedTable* disabled_keys,
                  std::string_view user_id) {
    const Column& enabled = keys.table.at("enabled");
    Statement disable = work.statement();
    disable << "UPDATE " << keys.table << " SET " << enabled << " = FALSE WHERE coalesce("
            << enabled << ", TRUE) AND ";
    append_equals(disable, keys.owner(), user_id);
    disable << " RETURNING " << keys.table.select_expression("id");
    Result<Rows> disabled = work.run(disable);
    while (disabled && disabled_keys != nullptr && disabled->next()) {
        Statement insert = work.statement();
        insert << "INSERT INTO " << disabled_keys->table << " (" << disabled_keys->owner() << ", "
               << disabled_keys->table.at("keyId") << ") VALUES (" << argument(user_id) << ", "
               << argument(disabled->take().value_or("")) << ") ON CONFLICT DO NOTHING";
        if (!work.run(insert))
            return false;
    }
    return static_cast<bool>(disabled);
}

/// Enables the user's API keys that are recorded in `disabled_keys`. Returns false on failure.
bool enable_keys(Work& work, const OwnedTable& keys, const OwnedTable& disabled_keys,
                 std::string_view user_id) {
    const Column& key_id = disabled_keys.table.at("keyId");
    Statement enable = work.statement();
    enable << "UPDATE " << keys.table << " SET " << keys.table.at("enabled") << " = TRUE WHERE ";
    append_equals(enable, keys.owner(), user_id);
    enable << " AND EXISTS (SELECT 1 FROM " << disabled_keys.table << " n WHERE ";
    append_equals(enable, disabled_keys.owner(), user_id, "n.");
    enable << " AND n." << key_id << key_id.op("=") << as_text(keys.table.at("id")) << ")";
    return static_cast<bool>(work.run(enable));
}

} // namespace

bool apply_ban_to_keys(Work& work, std::string_view user_id, bool is_banned, bool was_banned) {
    const OwnedTable* const disabled_keys = work.schema().disabled_keys();
    if (!is_banned && disabled_keys == nullptr)
        return true;
    const auto forget = [&] {
        Statement statement = work.statement();
        append_delete_owned_rows(statement, *disabled_keys, user_id, {});
        return static_cast<bool>(work.run(statement));
    };
    // If the application lifted an earlier ban, that ban's keys are still recorded.
    if (is_banned && !was_banned && disabled_keys != nullptr && !forget())
        return false;
    for (const OwnedTable& keys : work.schema().owned)
        if (keys.can_disable_rows() && keys.owner().can_hold_id(user_id) &&
            !(is_banned ? disable_keys(work, keys, disabled_keys, user_id)
                        : enable_keys(work, keys, *disabled_keys, user_id)))
            return false;
    return is_banned || forget();
}

Result<ApiKeyWithUser> find_api_key(Work& work, std::string_view digest) {
    const OwnedTable& keys = *work.schema().api_keys();
    Statement statement = work.statement();
    statement << "SELECT " << keys.table.select_list << " FROM " << keys.table;
    append_equals(statement << " WHERE ", keys.table.at("key"), digest);
    const Result<model::ApiKey> key = first_row(work, statement, read_record<model::ApiKey>);
    if (!key)
        return key.failure();
    const model::NullableText owner =
        keys.plugin->reference == Reference::user ? key->user_id : key->reference_id;
    if (!owner)
        return ApiKeyWithUser{*key, {}};
    const Result<model::User> user = find(work, *owner, UserColumns::known);
    if (!user && !user.is_not_found())
        return user.failure();
    return ApiKeyWithUser{*key, user ? std::optional(*user) : std::nullopt};
}

Result<Done> use_api_key(Work& work, const ApiKeyUse& use) {
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
    append_values(statement, table, changes);
    if (is_refill)
        statement << ", " << remaining << " = " << argument(use.refilled);
    else if (use.remaining == Remaining::take)
        statement << ", " << remaining << " = " << remaining << remaining.op("-") << "1";
    if (use.rate == Rate::start)
        statement << ", " << count << " = 1";
    else if (use.rate == Rate::count)
        statement << ", " << count << " = coalesce(" << count << ", 0)" << count.op("+") << "1";
    append_equals(statement << " WHERE ", table.at("id"), use.id);
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

Result<std::string_view> create_api_key(Work& work, const model::ApiKey& key,
                                        std::string_view digest) {
    const OwnedTable& keys = *work.schema().api_keys();
    Statement statement = work.statement();
    Assignments row = assignments_of(keys.table, key);
    row.push_back({&keys.table.at("key"), argument(digest)});
    statement.insertion(keys.table, row) << " RETURNING " << keys.table.select_expression("id");
    std::string_view id;
    // With the lock, the user's deletion also deletes this key.
    const Result<Done> created =
        change_locked_user(work, key.reference_id.value_or(""), {}, [&](const LockedUser&) {
            return first_row(work, statement, [&](Rows& rows) {
                id = rows.take().value_or("");
                return Done();
            });
        });
    return created ? Result<std::string_view>(id) : created.failure();
}

Result<std::vector<model::ApiKey>> list_api_keys(Work& work, std::string_view user_id) {
    const OwnedTable& keys = *work.schema().api_keys();
    Statement statement = work.statement();
    statement << "SELECT " << keys.table.select_list << " FROM " << keys.table;
    append_equals(statement << " WHERE ", keys.owner(), user_id);
    statement << " ORDER BY " << newest_first_order(keys.table);
    return all_rows(work, statement, read_record<model::ApiKey>);
}

Result<Done> delete_api_key(Work& work, std::string_view id) {
    const OwnedTable& keys = *work.schema().api_keys();
    const Column& key = keys.table.at("id");
    if (!work.can_hold_id(key, id))
        return Failure::not_found;
    Statement statement = work.statement();
    append_delete(statement, keys.table, "id", id)
        << " RETURNING " << keys.table.select_expression(keys.plugin->owner);
    return first_row(work, statement, [&](Rows& rows) {
        work.row_change().user_id = rows.take().value_or("");
        return Done();
    });
}

} // namespace useradmin::store::statements
