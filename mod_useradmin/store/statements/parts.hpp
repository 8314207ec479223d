// Functions shared by the files in this directory.
#pragma once

#include "store/statements.hpp"
#include "store/update_conditions.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace useradmin::store::statements {

template <class Record>
Record read_record(Rows& rows) {
    return rows.take_record<Record>();
}

/// Runs a statement and returns the number of affected rows.
Result<std::int64_t> affected(Work& work, const Statement& statement);

/// Runs a statement. Fails with not_found if it affected no row.
Result<Done> change_one(Work& work, const Statement& statement);

/// Appends a condition that the changes include an address other than the row's.
void append_other_email(Statement& statement, const Table& user, const Changes& changes,
                        bool ignores_case);

/// Appends "field = value, …" for the changes whose column exists. Returns whether there were any.
bool append_values(Statement& statement, const Table& table, const Changes& changes);

/// If `is_banned`, disables the user's API keys. Otherwise, enables those that a ban has disabled.
/// `was_banned` is whether the user was banned before the change. Returns false on failure.
bool apply_ban_to_keys(Work& work, std::string_view user_id, bool is_banned, bool was_banned);

/// Appends "DELETE FROM table" for the rows whose field equals the id or token.
Statement& append_delete(Statement& statement, const Table& table, std::string_view field,
                         std::string_view id);

/// Returns the plugins' tables whose rows of the user must be deleted.
std::vector<const OwnedTable*> tables_to_clear(const Work& work, std::string_view id,
                                               model::NullableText email);

/// Appends "DELETE FROM …" for the user's rows in a plugin's table. `email` must have a value if
/// the rows refer to the address (Reference::email).
void append_delete_owned_rows(Statement& statement, const OwnedTable& owned, std::string_view id,
                              model::NullableText email);

bool contains_ban(const Changes& changes);

/// Ends the sessions in which the user impersonates others, and records their revocation. `role` is
/// the user's role when the sessions were opened. Returns false on failure.
bool end_impersonations(Work& work, std::string_view user_id, model::NullableText role);
/// Ends the user's sessions and those in which the user impersonates others. Returns the number of
/// the user's own sessions. `role` is as above.
Result<std::int64_t> end_sessions(Work& work, std::string_view user_id, model::NullableText role);
/// Deletes the user's verification rows whose identifiers have one of the prefixes. Returns false
/// on failure.
bool remove_verifications(Work& work, std::string_view user_id,
                          std::span<const std::string_view> prefixes);

bool remove_password_links(Work& work, std::string_view user_id);

/// Returns whether PluginPolicy::revokes_links is set and password links can be deleted from the
/// verification table.
bool revokes_links(const Work& work);

/// Returns an SQL condition that is true if the user has a second factor.
std::string second_factor_condition(const Schema& schema);

/// Makes a change and, if the table of revocations exists, records the revocation in the same
/// transaction.
template <class T, class Change>
Result<T> change_and_revoke(Work& work, const Revocation& revocation, const Change& change) {
    if (!work.schema().revocation.exists())
        return change();
    return in_transaction<T>(work, [&]() -> Result<T> {
        Result<T> changed = change();
        if (changed && !work.dialect().record_revocation(work, revocation))
            return Failure::failed;
        return changed;
    });
}

/// What a change needs to know about the locked user.
struct LockedUser {
    bool has_second_factor = false;
    model::NullableText role;
};

/// Locks the user's row and, if the guard allows it, calls change(LockedUser).
template <class Operation>
Result<Done> change_locked_user(Work& work, std::string_view id, const UpdateGuard& guard,
                                const Operation& change) {
    const Table& user = work.schema().user;
    const Column& key = user.at("id");
    work.row_change().user_id = id;
    if (!work.can_hold_id(key, id))
        return Failure::not_found;
    Statement lock = work.statement();
    lock << "SELECT " << second_factor_condition(work.schema()) << ", "
         << user.select_expression("role") << " FROM " << user << " AS useradmin_row";
    append_equals(lock << " WHERE ", key, id);
    append_guard(lock, user, guard);
    lock << work.dialect().product().row_lock;
    const Result<Done> changed = in_transaction<Done>(work, [&]() -> Result<Done> {
        const Result<LockedUser> locked = first_row(work, lock, [](Rows& rows) {
            return LockedUser{rows.take_boolean(), rows.take()};
        });
        return locked ? change(*locked) : locked.failure();
    });
    if (!guard.is_empty() && changed.is_not_found())
        return guard_failure(work, id, guard);
    return changed;
}

} // namespace useradmin::store::statements
