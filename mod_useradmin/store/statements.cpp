#include "store/statements.hpp"

#include "store/dialect.hpp"

#include <iterator>

namespace useradmin::store {

namespace {

bool is_timestamp(std::string_view field) {
    return field == "createdAt" || field == "updatedAt" || field == "banExpires" ||
           field == "expiresAt";
}

/// The expression that reads a field; NULL where the table has no such column.
std::string read(const Schema& schema, const Table& table, const Dialect& dialect,
                 std::string_view field, std::string_view source) {
    const Column* column = table.find(field);
    if (column == nullptr)
        return "NULL";
    const std::string sql = std::string(source) + column->sql();
    return is_timestamp(field) ? dialect.timestamp(*column, sql, schema.plain_timestamps) : sql;
}

/// The role as the interface sees it: NULL, or no such column, is 'user'.
std::string role_of(const Table& user) {
    const Column* role = user.find("role");
    if (role == nullptr)
        return "'user'";
    const bool is_text = role->type == "text" || role->type == "character varying";
    return "coalesce(" + role->sql() + (is_text ? "" : "::text") + ", 'user')";
}

/// WHERE field = its placeholder.
std::string where(const Table& table, std::string_view field, const Dialect& dialect,
                  std::string_view source = "") {
    const Column& column = *table.find(field);
    return " WHERE " + std::string(source) + column.sql() + " = " + dialect.parameter(column);
}

/// A page and the total of its filter in one statement. The total comes in every row, and in a row
/// of its own where the page is empty.
std::string list(const Schema& schema, const Dialect& dialect, bool by_role, bool by_search) {
    std::string filter;
    if (by_role)
        filter += role_of(schema.user) + " = %s";
    if (by_search) {
        filter += by_role ? " OR " : "";
        filter += dialect.contains(schema.user.find("name")->sql()) + " OR " +
                  dialect.contains(schema.user.find("email")->sql());
    }
    if (!filter.empty())
        filter = " WHERE " + filter;
    const Column* created = schema.user.find("createdAt");
    const std::string newest_first = created != nullptr ? created->sql() + " DESC, " : "";
    return "SELECT t.total, u.* FROM (SELECT count(*) AS total FROM " + schema.user.sql + filter +
           ") t LEFT JOIN (SELECT " + user_columns(schema, dialect) + " FROM " + schema.user.sql +
           filter + " ORDER BY " + newest_first + schema.user.find("id")->sql() + " LIMIT " +
           dialect.whole_number() + " OFFSET " + dialect.whole_number() +
           ") u ON 1 = 1 ORDER BY u.f6 DESC, u.f0";
}

/// Sets fields of a table to their arguments, in a row that is found by another.
std::string set(const Table& table, std::span<const std::string_view> fields, std::string_view key,
                const Dialect& dialect) {
    std::string assignments;
    for (std::string_view field : fields)
        if (const Column* column = table.find(field))
            assignments += (assignments.empty() ? "" : ", ") + column->sql() + " = " +
                           dialect.parameter(*column);
    return "UPDATE " + table.sql + " SET " + assignments + where(table, key, dialect);
}

std::string returning_id(const Table& table) {
    return " RETURNING " + table.find("id")->sql();
}

std::string update(const Schema& schema, const Dialect& dialect) {
    std::string assignments;
    for (std::string_view field : updated_user_fields) {
        const Column* column = schema.user.find(field);
        if (column == nullptr)
            continue;
        assignments += assignments.empty() ? "" : ", ";
        assignments += column->sql() + " = coalesce(" + dialect.parameter(*column) + ", " +
                       column->sql() + ")";
    }
    if (assignments.empty())
        assignments = schema.user.find("id")->sql() + " = " + schema.user.find("id")->sql();
    return "UPDATE " + schema.user.sql + " SET " + assignments + where(schema.user, "id", dialect) +
           " RETURNING " + user_columns(schema, dialect) + ", " +
           dialect.other_columns(schema.user.sql, schema);
}

/// The fields of a session as the columns of a SELECT; read back by session_of.
std::string session_columns(const Schema& schema, const Dialect& dialect) {
    std::string list;
    for (std::string_view field : session_fields)
        list += (list.empty() ? "" : ", ") + read(schema, schema.session, dialect, field, "s.");
    return list;
}

std::string session(const Schema& schema, const Dialect& dialect) {
    return "SELECT " + session_columns(schema, dialect) + ", " +
           user_columns(schema, dialect, "u.") + " FROM " + schema.session.sql + " s JOIN " +
           schema.user.sql + " u ON u." + schema.user.find("id")->sql() + " = s." +
           schema.session.find("userId")->sql() + where(schema.session, "token", dialect, "s.");
}

std::string sessions_of(const Schema& schema, const Dialect& dialect) {
    const Column* created = schema.session.find("createdAt");
    return "SELECT " + session_columns(schema, dialect) + " FROM " + schema.session.sql + " s" +
           where(schema.session, "userId", dialect, "s.") + " ORDER BY " +
           (created != nullptr ? "s." + created->sql() + " DESC, s." : "s.") +
           schema.session.find("id")->sql();
}

std::string credential(const Schema& schema, const Dialect& dialect) {
    return "SELECT " + user_columns(schema, dialect, "u.") + ", a." +
           schema.account.find("password")->sql() + " FROM " + schema.user.sql + " u JOIN " +
           schema.account.sql + " a ON a." + schema.account.find("userId")->sql() + " = u." +
           schema.user.find("id")->sql() + " AND a." + schema.account.find("providerId")->sql() +
           " = 'credential'" + where(schema.user, "email", dialect, "u.");
}

std::string find(const Schema& schema, const Dialect& dialect, std::string_view field) {
    return "SELECT " + user_columns(schema, dialect) + " FROM " + schema.user.sql +
           where(schema.user, field, dialect);
}

std::string insert(const Table& table, std::span<const std::string_view> fields,
                   const Dialect& dialect) {
    return "INSERT INTO " + table.sql + " (" + column_list(table, fields) + ") VALUES (" +
           placeholder_list(table, fields, dialect) + ")";
}

/// The same user and account, by one statement (PostgreSQL) or by two in a transaction (SQLite). An
/// address that is taken inserts nothing and returns nothing.
std::string create_user(const Schema& schema, const Dialect& dialect) {
    return insert(schema.user, created_user_fields, dialect) + " ON CONFLICT DO NOTHING RETURNING ";
}

std::string create(const Schema& schema, const Dialect& dialect) {
    return "WITH useradmin_created AS (" + create_user(schema, dialect) +
           "*), useradmin_credential AS (INSERT INTO " + schema.account.sql + " (" +
           column_list(schema.account, created_account_fields) + ") SELECT " +
           placeholder_list(schema.account, created_account_fields, dialect) +
           " FROM useradmin_created) SELECT " + user_columns(schema, dialect) + ", " +
           dialect.other_columns("useradmin_created", schema) + " FROM useradmin_created";
}

std::string remove_from(const Table& table, std::string_view field, const Dialect& dialect) {
    return "DELETE FROM " + table.sql + where(table, field, dialect);
}

/// The names of the parts bear the project's, since they would hide tables of the same name.
/// The target is locked first, so that its address cannot change between the check and the
/// deletion.
std::string remove(const Schema& schema, const Dialect& dialect) {
    const std::string id = schema.user.find("id")->sql();
    const Column& email = *schema.user.find("email");
    const std::string doomed = " IN (SELECT id FROM useradmin_doomed)";
    return "WITH useradmin_target AS (SELECT " + id + " AS id, " + email.sql() + " <> " +
           dialect.parameter(email) + " AS deletable FROM " + schema.user.sql +
           where(schema.user, "id", dialect) +
           " FOR UPDATE), useradmin_doomed AS (SELECT id FROM useradmin_target WHERE deletable), "
           "useradmin_sessions AS (DELETE FROM " +
           schema.session.sql + " WHERE " + schema.session.find("userId")->sql() + doomed +
           "), useradmin_accounts AS (DELETE FROM " + schema.account.sql + " WHERE " +
           schema.account.find("userId")->sql() + doomed + "), useradmin_users AS (DELETE FROM " +
           schema.user.sql + " WHERE " + id + doomed + ") SELECT deletable FROM useradmin_target";
}

std::optional<Timestamp> timestamp_of(const Rows& rows, int column) {
    const Text text = rows.text(column);
    return text ? text::parse_timestamp(*text) : std::nullopt;
}

bool boolean_of(const Rows& rows, int column) {
    const Text text = rows.text(column);
    return text && (*text == "t" || *text == "1" || *text == "true");
}

} // namespace

std::string column_list(const Table& table, std::span<const std::string_view> fields) {
    std::string list;
    for (std::string_view field : fields)
        if (const Column* column = table.find(field))
            list += (list.empty() ? "" : ", ") + column->sql();
    return list;
}

std::string placeholder_list(const Table& table, std::span<const std::string_view> fields,
                             const Dialect& dialect) {
    std::string list;
    for (std::string_view field : fields)
        if (const Column* column = table.find(field))
            list += (list.empty() ? "" : ", ") + dialect.parameter(*column);
    return list;
}

std::string user_columns(const Schema& schema, const Dialect& dialect, std::string_view source) {
    std::string list;
    for (std::size_t index = 0; index < std::size(user_fields); ++index)
        list += (index == 0 ? "" : ", ") +
                read(schema, schema.user, dialect, user_fields[index], source) + " AS f" +
                std::to_string(index);
    return list;
}

std::string statement(Query query, const Schema& schema, const Dialect& dialect) {
    switch (query) {
    case Query::list_all:
        return list(schema, dialect, false, false);
    case Query::list_by_role:
        return list(schema, dialect, true, false);
    case Query::list_by_search:
        return list(schema, dialect, false, true);
    case Query::list_by_role_or_search:
        return list(schema, dialect, true, true);
    case Query::find:
        return find(schema, dialect, "id");
    case Query::find_by_email:
        return find(schema, dialect, "email");
    case Query::update:
        return update(schema, dialect);
    case Query::set_ban:
        return set(schema.user, ban_fields, "id", dialect) + returning_id(schema.user);
    case Query::credential:
        return credential(schema, dialect);
    case Query::set_password:
        return set(schema.account, set_password_fields, "userId", dialect) + " AND " +
               schema.account.find("providerId")->sql() + " = 'credential'" +
               returning_id(schema.account);
    case Query::session:
        return session(schema, dialect);
    case Query::sessions_of:
        return sessions_of(schema, dialect);
    case Query::extend_session:
        return set(schema.session, extended_session_fields, "token", dialect) +
               returning_id(schema.session);
    case Query::close_session:
        return remove_from(schema.session, "token", dialect) + returning_id(schema.session);
    case Query::open_session:
        return insert(schema.session, opened_session_fields, dialect);
    case Query::create:
        return create(schema, dialect);
    case Query::create_user:
        return create_user(schema, dialect) + user_columns(schema, dialect) + ", " +
               dialect.other_columns(schema.user.sql, schema);
    case Query::create_account:
        return insert(schema.account, created_account_fields, dialect);
    case Query::remove:
        return remove(schema, dialect);
    case Query::remove_sessions:
        return remove_from(schema.session, "userId", dialect);
    case Query::remove_accounts:
        return remove_from(schema.account, "userId", dialect);
    case Query::remove_user:
        return remove_from(schema.user, "id", dialect);
    }
    return {};
}

User user_of(const Rows& rows, int first) {
    User user;
    user.id = rows.text(first).value_or("");
    user.name = rows.text(first + 1).value_or("");
    user.email = rows.text(first + 2).value_or("");
    user.role = rows.text(first + 3);
    user.email_verified = boolean_of(rows, first + 4);
    user.image = rows.text(first + 5);
    user.created_at = timestamp_of(rows, first + 6);
    user.updated_at = timestamp_of(rows, first + 7);
    user.banned = boolean_of(rows, first + 8);
    user.ban_reason = rows.text(first + 9);
    user.ban_expires = timestamp_of(rows, first + 10);
    return user;
}

User full_user_of(const Rows& rows) {
    User user = user_of(rows, 0);
    user.other_columns = rows.text(static_cast<int>(std::size(user_fields))).value_or("");
    return user;
}

Session session_of(const Rows& rows) {
    Session session;
    session.id = rows.text(0).value_or("");
    session.token = rows.text(1).value_or("");
    session.user_id = rows.text(2).value_or("");
    session.expires_at = timestamp_of(rows, 3);
    session.created_at = timestamp_of(rows, 4);
    session.updated_at = timestamp_of(rows, 5);
    session.ip_address = rows.text(6);
    session.user_agent = rows.text(7);
    session.impersonated_by = rows.text(8);
    return session;
}

} // namespace useradmin::store
