// The store's statements that are the same for all databases. statements/ has one file per topic.
#pragma once

#include "store/dialect.hpp"
#include "store/work.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Most functions implement the member of Store or DatabaseStore with the same name.
namespace useradmin::store::statements {

Result<model::User> find(Work& work, std::string_view id, UserColumns columns);
Result<Done> read_last_activity(Work& work, std::span<model::User> users);
/// Sets User::extra_columns of the users who still exist.
Result<Done> read_extra_columns(Work& work, std::span<model::User> users);
Result<model::User> find_by_email(Work& work, std::string_view email);
Result<model::User> create(Work& work, const NewUser& user, const std::optional<Actor>& actor);
Result<model::User> update(Work& work, std::string_view id, const Changes& changes,
                           const UpdateGuard& guard, SessionPolicy sessions);
Result<Done> remove(Work& work, std::string_view id, const ProtectedEmail& protected_email,
                    const UpdateGuard& guard);
Result<Credential> find_credential(Work& work, std::string_view email);
Result<Done> set_password(Work& work, const model::Account& account, SessionPolicy sessions,
                          const UpdateGuard& guard);
Result<Done> replace_hash(Work& work, const model::Account& account, std::string_view old_hash);
Result<std::vector<std::string>> password_formats(Work& work);
Result<SessionWithUser> find_session(Work& work, std::string_view token);
Result<SessionWithUser> find_caller(Work& work, std::string_view token);
Result<model::Session> find_session_by_token_or_id(Work& work, std::string_view token_or_id);
Result<std::vector<model::Session>> list_sessions(Work& work, std::string_view user_id,
                                                  std::int64_t limit);
Result<std::vector<model::Session>> list_active_sessions(Work& work, std::string_view user_id,
                                                         text::Timestamp now, std::int64_t limit);
Result<std::string_view> create_session(Work& work, const model::Session& session,
                                        const SessionTerms& terms);
Result<Done> extend_session(Work& work, std::string_view token, text::Timestamp expires_at,
                            text::Timestamp now);
Result<Done> delete_session(Work& work, std::string_view token);
Result<Done> delete_session_of_user(Work& work, std::string_view user_id, std::string_view id,
                                    const UpdateGuard& guard);
Result<std::int64_t> delete_sessions_of_user(Work& work, std::string_view user_id,
                                             const UpdateGuard& guard);
Result<std::vector<model::SignInMethod>> list_sign_in_methods(Work& work, std::string_view user_id,
                                                              std::int64_t limit);
Result<Done> remove_sign_in_method(Work& work, std::string_view user_id, model::MethodKind kind,
                                   std::string_view id, const UpdateGuard& guard);
Result<Done> remove_second_factor(Work& work, std::string_view id, const UpdateGuard& guard);
Result<FailedAttempts> failed_attempts(Work& work, std::span<const AttemptCounter> counters);
Result<FailedAttempts> record_failed_attempt(Work& work, std::span<const AttemptCounter> counters,
                                             std::chrono::seconds window);
Result<FailedAttempts> count_mail(Work& work, std::span<const AttemptCounter> counters,
                                  std::chrono::seconds window);
Result<Done> use_once(Work& work, std::string_view subject, std::chrono::seconds window);
Result<Done> clear_failed_attempts(Work& work, const AttemptCounter& counter);
Result<Revocations> revocations_since(Work& work, std::int64_t position,
                                      std::optional<std::int64_t> after_id);
Result<ApiKeyWithUser> find_api_key(Work& work, std::string_view digest);
Result<Done> use_api_key(Work& work, const ApiKeyUse& use);
Result<std::string_view> create_api_key(Work& work, const model::ApiKey& key,
                                        std::string_view digest);
Result<std::vector<model::ApiKey>> list_api_keys(Work& work, std::string_view user_id);
Result<Done> delete_api_key(Work& work, std::string_view id);
Result<model::NullableTime> last_replay_time(Work& work);
Result<Done> check_writable(Work& work);
Result<Done> add_verification(Work& work, const model::VerificationValue& row);
Result<Done> issue_verification(Work& work, std::string_view user_id,
                                const std::optional<model::VerificationValue>& row,
                                const UpdateGuard& guard);
Result<Done> remove_verification(Work& work, std::string_view identifier);
Result<std::string_view> find_verification(Work& work, std::string_view identifier,
                                           text::Timestamp now);
Result<UserWithSecondFactor> find_second_factor(Work& work, std::string_view user_id);
Result<Done> change_second_factor(Work& work, const SecondFactorChange& change);
Result<Done> record_second_factor_failure(Work& work, std::string_view user_id,
                                          const SecondFactorLock& lock);
/// Returns the JSON type of an extra column's values.
ExtraColumn::Kind extra_kind_of(const Column& column) noexcept;
Result<std::vector<ExtraColumn>> extra_columns(Work& work);
Result<bool> has_protected_user(Work& work, const ProtectedEmail& protected_email);

/// Runs a statement and reads the first row. Fails with not_found if there is none.
template <class Read>
auto first_row(Work& work, const Statement& statement, const Read& read)
    -> Result<decltype(read(std::declval<Rows&>()))> {
    Result<Rows> rows = work.run(statement);
    if (!rows)
        return rows.failure();
    if (!rows->next())
        return Failure::not_found;
    return read(*rows);
}

/// Runs a statement and reads all rows.
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

/// Runs an operation in the open transaction or, if there is none, in a new one.
template <class T, class Operation>
Result<T> in_transaction(Work& work, const Operation& operation) {
    if (work.client().is_in_transaction())
        return operation();
    const std::unique_ptr<Transaction> transaction = work.dialect().begin_transaction(work);
    if (transaction == nullptr)
        return Failure::failed;
    Result<T> result = operation();
    return !result || transaction->commit() ? std::move(result) : Result<T>(Failure::failed);
}

/// Deletes the rows whose field equals the id. Returns false on failure.
bool remove_rows(Work& work, const Table& table, std::string_view field, std::string_view id);

/// Returns whether the changes may take away privileges: a ban, or a new role or address.
bool may_revoke_privileges(const Changes& changes);

/// Returns why the caller may not make a change, or std::nullopt if the caller may make it.
std::optional<Failure> rejection_of(Work& work, const std::optional<Actor>& actor);

/// Fails with not_found if the user does not exist, or with the guard's failure.
Result<Done> check_guard(Work& work, std::string_view id, const UpdateGuard& guard);

/// Returns why a guarded change affected no row: not_found, or the guard's failure.
Failure guard_failure(Work& work, std::string_view id, const UpdateGuard& guard);

/// Appends "field = value, …" for the changes whose column exists. If there are none, appends an
/// assignment without effect.
void append_changes(Statement& statement, const Table& user, const Changes& changes);

} // namespace useradmin::store::statements
