// The store's statements that are the same for all databases.
#pragma once

#include "store/dialect.hpp"
#include "store/work.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Each implements the store's member of the same name (store.hpp).
namespace useradmin::store::statements {

Result<model::User> find(Work& work, const Dialect& dialect, std::string_view id);
Result<model::User> find_by_email(Work& work, const Dialect& dialect, std::string_view email);
Result<model::User> create(Work& work, const Dialect& dialect, const NewUser& user,
                           const std::optional<Actor>& actor = {});
Result<model::User> update(Work& work, const Dialect& dialect, std::string_view id,
                           const Changes& changes, const UpdateGuard& guard,
                           SessionPolicy sessions = SessionPolicy::keep);
Result<Done> remove(Work& work, const Dialect& dialect, std::string_view id,
                    const ProtectedEmail& spared, const UpdateGuard& guard);
Result<Done> exists_other_with_role(Work& work, const Dialect& dialect, std::string_view id,
                                    std::string_view role, text::Timestamp now);
Result<Credential> find_credential(Work& work, const Dialect& dialect, std::string_view email);
Result<Done> set_password(Work& work, const Dialect& dialect, const model::Account& account,
                          SessionPolicy sessions = SessionPolicy::keep,
                          const UpdateGuard& guard = {});
Result<Done> replace_hash(Work& work, const Dialect& dialect, const model::Account& account,
                          std::string_view instead_of);
Result<std::vector<std::string>> password_formats(Work& work, const Dialect& dialect);
Result<SessionWithUser> find_session(Work& work, const Dialect& dialect, std::string_view token);
Result<SessionWithUser> find_caller(Work& work, const Dialect& dialect, std::string_view token);
Result<std::vector<model::Session>> list_sessions(Work& work, const Dialect& dialect,
                                                  std::string_view user_id);
Result<std::vector<model::Session>> list_active_sessions(Work& work, const Dialect& dialect,
                                                         std::string_view user_id,
                                                         text::Timestamp now, std::int64_t most);
Result<std::string_view> create_session(Work& work, const Dialect& dialect,
                                        const model::Session& session, const SessionTerms& terms);
Result<Done> extend_session(Work& work, const Dialect& dialect, std::string_view token,
                            text::Timestamp expires_at, text::Timestamp now);
Result<Done> delete_session(Work& work, const Dialect& dialect, std::string_view token);
Result<Done> delete_session_of_user(Work& work, const Dialect& dialect, std::string_view user_id,
                                    std::string_view id, const std::optional<Actor>& actor = {});
Result<std::int64_t> delete_sessions_of_user(Work& work, const Dialect& dialect,
                                             std::string_view user_id,
                                             const std::optional<Actor>& actor = {});
Result<std::vector<ExtraColumn>> extra_columns(Work& work, const Dialect& dialect);
Result<Survey> survey(Work& work, const Dialect& dialect, const ProtectedEmail& spared);

/// Why the caller may not make a change; nothing where it may.
std::optional<Failure> refusal_of(Work& work, const Dialect& dialect,
                                  const std::optional<Actor>& actor);

/// Appends "field = value, …" for existing columns. Returns whether there was any.
bool append_values(Statement& statement, const Table& table, const Changes& changes);

/// Appends " WHERE " and an exact comparison of an id or token.
void append_key(Statement& statement, const Dialect& dialect, const Column& column,
                std::string_view text);

/// Appends "UPDATE account SET …" with the new hash.
void append_new_hash(Statement& statement, const Table& table, const model::Account& account);

} // namespace useradmin::store::statements
