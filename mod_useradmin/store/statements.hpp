// The text of every statement, for the tables at hand, and the way back from rows.
#pragma once

#include "store/rows.hpp"
#include "store/schema.hpp"
#include "store/store.hpp"

#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

namespace useradmin::store {

class Dialect;

enum class Query {
    list_all,
    list_by_role,
    list_by_search,
    list_by_role_or_search,
    find,
    find_by_email,
    update,
    set_ban,
    credential,
    set_password,
    session,
    sessions_of,
    open_session,
    extend_session,
    close_session,
    create,         ///< PostgreSQL: the user and its account
    create_user,    ///< SQLite
    create_account, ///< SQLite
    remove,         ///< PostgreSQL: sessions, accounts and the user
    remove_sessions,
    remove_accounts,
    remove_user,
};
inline constexpr std::size_t query_count = static_cast<std::size_t>(Query::remove_user) + 1;

/// What an INSERT or UPDATE fills, in the order of its arguments. A field whose column the table
/// does not have is left out, of the statement and of the arguments alike.
inline constexpr std::string_view created_user_fields[] = {
    "id", "name", "email", "role", "emailVerified", "banned", "createdAt", "updatedAt"};
inline constexpr std::string_view created_account_fields[] = {
    "id", "accountId", "providerId", "userId", "password", "createdAt", "updatedAt", "issuer"};
inline constexpr std::string_view opened_session_fields[] = {
    "id", "token", "userId", "expiresAt", "createdAt", "updatedAt", "ipAddress", "userAgent"};
/// The fields of a session, as they are read.
inline constexpr std::string_view session_fields[] = {"id",        "token",     "userId",
                                                      "expiresAt", "createdAt", "updatedAt",
                                                      "ipAddress", "userAgent", "impersonatedBy"};
inline constexpr std::string_view extended_session_fields[] = {"expiresAt", "updatedAt"};
inline constexpr std::string_view ban_fields[] = {"banned", "banReason", "banExpires", "updatedAt"};
inline constexpr std::string_view set_password_fields[] = {"password", "updatedAt"};
inline constexpr std::string_view updated_user_fields[] = {"updatedAt", "name",   "email",
                                                           "role",      "banned", "banReason"};

/// The text of the query, for apr_dbd: its placeholders are %s.
std::string statement(Query query, const Schema& schema, const Dialect& dialect);

/// The columns of a list of fields ("a, b") and their placeholders ("%s, %s").
std::string column_list(const Table& table, std::span<const std::string_view> fields);
std::string placeholder_list(const Table& table, std::span<const std::string_view> fields,
                             const Dialect& dialect);

/// The eleven fields of a user as the columns of a SELECT or RETURNING; read back by user_of. The
/// source is empty or a table's alias with its dot.
std::string user_columns(const Schema& schema, const Dialect& dialect,
                         std::string_view source = "");

/// The user in the current row, whose eleven fields begin at that column.
User user_of(const Rows& rows, int first);
/// The same, with the other columns behind the eleven.
User full_user_of(const Rows& rows);
/// The session in the current row, whose fields begin at the first column.
Session session_of(const Rows& rows);
inline constexpr int session_width = static_cast<int>(std::size(session_fields));

} // namespace useradmin::store
