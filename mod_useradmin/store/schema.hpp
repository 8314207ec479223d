// The application's tables, as the catalogue describes them.
#pragma once

#include "model/records.hpp"

#include <cstdint>
#include <limits>
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
    enum class Kind { text, uuid, integer, boolean, timestamp, other };

    std::string name;
    /// The type as people write it: "character varying(100)".
    std::string type;
    Kind kind = Kind::text;
    /// The type for SQL, with its schema: "pg_catalog"."varchar"; empty where there are no schemas.
    std::string sql_type = {};
    /// The schema of the type's operators, quoted; empty where there are no schemas.
    std::string operators = {};
    /// The largest whole number that it holds, where it holds such.
    std::int64_t max_value = std::numeric_limits<std::int64_t>::max();
    /// NOT NULL and without a default: an INSERT must give it a value.
    bool requires_value = false;
    /// Whether different texts can be the same value, as with char(n).
    bool has_loose_equality = false;
    /// Whether that is so by its collation, which a text that is made of it has as well.
    bool has_loose_collation = false;
    /// What stands around the column where it is read.
    std::string read_before = {};
    std::string read_after = {};
    /// What stands around a new value of it.
    std::string write_before = {};
    std::string write_after = {};
    /// The name of the field that it holds; empty where the code knows none.
    std::string_view field = {};

    /// Whether the database makes the values of a column of ids.
    bool is_serial() const noexcept { return kind == Kind::integer; }
    /// Whether the column can hold the text. Of an id only the canonical text counts: the database
    /// would take others for the same id, and a comparison of texts would not.
    bool can_hold_id(std::string_view id) const noexcept;
    /// The column's name for SQL, quoted.
    std::string sql() const;
    /// Returns an operator of the column's type, between blanks, as qualified_operator() does.
    std::string op(std::string_view name) const;
};

struct Table {
    /// The table's name for SQL, quoted; with its schema once that is known.
    std::string sql;
    /// The same as it is configured, for messages.
    std::string name;
    /// The schema of the database's own functions and operators; empty where there are no schemas.
    std::string_view system = {};
    std::vector<Column> columns;
    /// The record's fields as the columns of a SELECT or RETURNING, NULL for those that are absent:
    /// alone, and after an alias; select_list_s without the token, which whoever asks for a session
    /// has.
    std::string select_list;
    std::string select_list_u;
    std::string select_list_s;
    /// The expression of a row's version (User::version), where the row goes by the alias
    /// useradmin_row.
    std::string version;
    /// How many rows there are, as far as the catalogue knows; 0 where it does not.
    std::int64_t estimated_rows = 0;
    /// Why the table is not to be seen, where more is known than that.
    std::string absence_reason;

    bool exists() const noexcept { return !columns.empty(); }
    /// Returns the database's own operator, between blanks, as qualified_operator() does.
    std::string op(std::string_view name) const;
    /// Returns the database's own function with its schema and an opening parenthesis.
    std::string function(std::string_view name) const;
    /// The column that holds the field, under its name or as snake_case; nullptr where none does.
    const Column* find(std::string_view field) const noexcept;
    /// The same, of a field whose column has been seen to be there.
    const Column& at(std::string_view field) const noexcept { return *find(field); }
    /// A field as a column of a SELECT, after an alias; NULL where it has none.
    std::string select_expression(std::string_view field, std::string_view alias = {}) const;
};

/// What a piece of work needs of the tables.
enum Need : unsigned {
    needs_user = 1,
    needs_session = 2,
    needs_account = 4,
    needs_creation = 8,  ///< that a new row of user and account can be complete
    needs_new_hash = 16, ///< to write the hash of an account
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
    /// What Store::find_caller reads as the columns of a SELECT: of the session s and its user u.
    std::string select_list_caller;
    /// Whether the user u has a second factor, as a column of a SELECT; NULL if the table does not
    /// say. The column is one of the further ones, which replies show.
    std::string read_second_factor;
    /// The further columns of a user as JSON objects, each an expression over "useradmin_row".
    std::vector<std::string> extra_columns;
    /// What the database holds in other words: two schemas are the same where these texts are.
    std::string fingerprint;
    std::vector<Problem> problems;
    /// The schema of the objects of schema --scale, for SQL; empty unless they are complete.
    std::string scale;
    /// The name that this schema has or would have; empty where the database has no such thing.
    std::string scale_name;
    /// Whether version 0.1 made them, with a copy of the users, which is not read.
    bool has_scale_copy = false;

    /// The table of that letter: u, s or a.
    Table& table(char letter) noexcept;
    const Table& table(char letter) const noexcept;
    /// What is returned of a user that was written, whose version is that expression: the fields,
    /// the version, then the further columns.
    std::string full_user(std::string_view version) const;
    /// The same, of a row of the table.
    std::string full_user() const { return full_user(user.version); }
    /// Columns of the user table that the code does not know.
    std::vector<const Column*> extra_user_columns() const;
    /// Gives the tables their names for SQL.
    void set_table_names(const TableNames& names);
    /// Finds the fields' columns and the problems of the tables, once the columns are read.
    void resolve_fields();
    /// The first problem that touches one of the needs; nullptr where there is none.
    const Problem* find_problem(unsigned needs) const noexcept;
};

/// Returns an operator of the schema, between blanks: " OPERATOR(pg_catalog.=) ", or " = " where
/// the schema is empty. No operator of another schema in the search path can take its place. All
/// operators written so have the same precedence, which is higher than that of a comparison.
std::string qualified_operator(std::string_view schema, std::string_view name);
/// A name quoted for SQL, its dots parting schema and table.
std::string quoted_table(std::string_view name);
/// One identifier quoted for SQL.
std::string quoted_identifier(std::string_view identifier);
/// A text as an SQL literal.
std::string literal(std::string_view text);

} // namespace useradmin::store
