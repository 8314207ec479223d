#include "store/statements/parts.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace useradmin::store::statements {

Result<Done> remove_second_factor(Work& work, std::string_view id, const UpdateGuard& guard) {
    const Schema& schema = work.schema();
    const Table& user = schema.user;
    return change_locked_user(work, id, guard, [&](const LockedUser& locked) -> Result<Done> {
        if (!locked.has_second_factor)
            return Failure::no_second_factor;
        Statement disable = work.statement();
        disable << "UPDATE " << user << " SET ";
        if (append_values(disable, user, {{"updatedAt", text::now()}}))
            disable << ", ";
        append_equals(disable << schema.second_factor_column << " = FALSE WHERE ", user.at("id"),
                      id);
        Statement clear = work.statement();
        append_delete_owned_rows(clear, *schema.second_factors(), id, {});
        if (!work.run(disable) || !work.run(clear) ||
            !remove_verifications(work, id, second_factor_prefixes))
            return Failure::failed;
        const Result<std::int64_t> ended = end_sessions(work, id, locked.role);
        return ended ? Result<Done>(Done()) : ended.failure();
    });
}

Result<UserWithSecondFactor> find_second_factor(Work& work, std::string_view user_id) {
    const Schema& schema = work.schema();
    const OwnedTable& factors = *schema.second_factors();
    const Column& key = schema.user.at("id");
    if (!key.can_hold_id(user_id) || !factors.owner().can_hold_id(user_id))
        return Failure::not_found;
    Statement statement = work.statement();
    statement << "SELECT " << schema.user.select_list_u << ", " << schema.second_factor_expression
              << ", " << factors.table.select_list_s << " FROM " << schema.user << " u CROSS JOIN "
              << factors.table << " s WHERE ";
    // The two id columns may have different types, so compare each with the argument.
    append_equals(statement, key, user_id, "u.");
    append_equals(statement << " AND ", factors.owner(), user_id, "s.");
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

/// Deletes the verification rows in SecondFactorChange::deleted, and returns the expiry of the row
/// with the first identifier. Fails with not_found unless that row is unexpired and has the
/// required value.
Result<model::NullableTime> delete_verifications(Work& work, const SecondFactorChange& change) {
    const Table& table = work.schema().verifications()->table;
    const Column& value = table.at("value");
    model::NullableTime expiry;
    for (const std::string_view& identifier : change.deleted) {
        const bool is_first = &identifier == &change.deleted.front();
        Statement statement = work.statement();
        append_delete(statement, table, "identifier", identifier);
        if (is_first)
            append_equals(statement << " AND ", value,
                          change.required_value.value_or(change.user_id));
        statement << " RETURNING " << table.select_expression("expiresAt");
        const auto times = all_rows(work, statement, [](Rows& rows) { return rows.take_time(); });
        if (!times)
            return times.failure();
        if (!is_first)
            continue;
        const auto latest = std::ranges::max_element(*times);
        if (latest == times->end() || !*latest || **latest <= change.now)
            return Failure::not_found;
        expiry = *latest;
    }
    return expiry;
}

Result<Done> add_verifications(Work& work, const SecondFactorChange& change,
                               model::NullableTime expiry) {
    for (model::VerificationValue row : change.added) {
        if (!row.expires_at)
            row.expires_at = expiry;
        if (const Result<Done> added = add_verification(work, row); !added)
            return added;
    }
    return Done();
}

/// Stores the remaining backup codes and clears the failures, if requested. Fails with
/// version_mismatch as Store::change_second_factor() does.
Result<Done> update_factor(Work& work, const SecondFactorChange& change) {
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
    if (!append_values(statement, factors.table, changes))
        return Done();
    append_equals(statement << " WHERE ", factors.owner(), change.user_id);
    // A concurrent request may have locked the second factor.
    if (const Column* const lock = factors.table.find("lockedUntil");
        lock != nullptr && change.clears_failures)
        statement << " AND (" << *lock << " IS NULL OR " << *lock << lock->op("<=")
                  << argument(*lock, change.now) << ")";
    const Column& codes = factors.table.at("backupCodes");
    if (change.backup_codes)
        append_equals(statement << " AND ", codes, change.old_backup_codes);
    const Result<Done> updated = change_one(work, statement);
    return updated.is_not_found() ? Result<Done>(Failure::version_mismatch) : updated;
}

} // namespace

Result<Done> change_second_factor(Work& work, const SecondFactorChange& change) {
    if (!work.schema().second_factors()->owner().can_hold_id(change.user_id))
        return Failure::not_found;
    return in_transaction<Done>(work, [&]() -> Result<Done> {
        const auto expiry = delete_verifications(work, change);
        if (!expiry)
            return expiry.failure();
        const Result<Done> added = add_verifications(work, change, *expiry);
        return added ? update_factor(work, change) : added;
    });
}

Result<Done> record_second_factor_failure(Work& work, std::string_view user_id,
                                          const SecondFactorLock& lock) {
    const OwnedTable& factors = *work.schema().second_factors();
    const Column* const count = factors.table.find("failedVerificationCount");
    const Column* const locked = factors.table.find("lockedUntil");
    if (count == nullptr || locked == nullptr)
        return Done();
    if (!factors.owner().can_hold_id(user_id))
        return Failure::not_found;
    Statement statement = work.statement();
    // After a lock has expired, the count starts again.
    const auto append_count = [&] {
        statement << "(CASE WHEN " << *locked << locked->op("<=") << argument(*locked, lock.now)
                  << " THEN 1 ELSE coalesce(" << *count << ", 0)" << count->op("+") << "1 END)";
    };
    statement << "UPDATE " << factors.table << " SET " << *count << " = ";
    append_count();
    statement << ", " << *locked << " = CASE WHEN ";
    append_count();
    statement << count->op(">=") << "CAST(" << argument(lock.failures) << " AS bigint) THEN "
              << argument(*locked, lock.until) << " WHEN " << *locked << locked->op(">")
              << argument(*locked, lock.now) << " THEN " << *locked << " END";
    append_equals(statement << " WHERE ", factors.owner(), user_id);
    return change_one(work, statement);
}

} // namespace useradmin::store::statements
