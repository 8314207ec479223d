// The application's tables, as the catalogue describes them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace useradmin::store {

/// The names of the three tables, as the configuration has them: "user", or "auth.user" with its
/// schema.
struct TableNames {
    std::string_view user = "user";
    std::string_view session = "session";
    std::string_view account = "account";
};

struct Column {
    std::string name;
    /// The type as the database writes it, without a length: "text", "timestamp with time zone".
    std::string type;
    /// NOT NULL and without a default: an INSERT must give it a value.
    bool demands_value = false;

    bool is_boolean() const noexcept { return type.starts_with("bool"); }
    bool is_uuid() const noexcept { return type == "uuid"; }
    /// The column's name for SQL, quoted.
    std::string sql() const;
};

struct Table {
    /// The table's name for SQL, quoted.
    std::string sql;
    std::vector<Column> columns;

    /// The column that the application knows by this camelCase name: under that name or as
    /// snake_case.
    const Column* find(std::string_view camel_case) const;
};

/// The eleven fields of a user, in the order of the specification (2.1), as columns are named.
inline constexpr std::string_view user_fields[] = {
    "id",        "name",      "email",  "role",      "emailVerified", "image",
    "createdAt", "updatedAt", "banned", "banReason", "banExpires"};

/// What a piece of work needs of the tables.
enum Need : unsigned {
    needs_user = 1,
    needs_session = 2,
    needs_account = 4,
    needs_creation = 8, ///< that a new row of user and account can be complete
};

/// What keeps work from being done, in a sentence that names table, column and remedy.
struct Problem {
    Need need;
    std::string text;
};

struct Schema {
    Table user;
    Table session;
    Table account;
    /// Whether a timestamp column can be selected as it is (PostgreSQL: DateStyle ISO).
    bool plain_timestamps = true;
    /// What the database holds in other words: two schemas are the same where these texts are.
    std::string fingerprint;
    std::vector<Problem> problems;

    /// Columns of the user table beyond the eleven.
    std::vector<const Column*> other_user_columns() const;
    /// Finds the problems of the tables.
    void examine();
    /// The first problem that touches one of the needs; nullptr where there is none.
    const Problem* problem_of(unsigned needs) const noexcept;
};

/// A name quoted for SQL, its dots parting schema and table.
std::string quoted_table(std::string_view name);
/// One identifier quoted for SQL and for apr_dbd, which wants its percent signs doubled.
std::string quoted(std::string_view identifier);
/// A text as an SQL literal, its percent signs doubled.
std::string literal(std::string_view text);

} // namespace useradmin::store
