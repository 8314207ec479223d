// The application's tables as described in the database's catalog.
#pragma once

#include "model/records.hpp"
#include "store/plugin_tables.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace useradmin::store {

class Dialect;

/// The configured names of the three tables, such as "user" or, with a schema, "auth.user".
struct TableNames {
    std::string_view user = "user";
    std::string_view session = "session";
    std::string_view account = "account";
    /// Whether the plugins' tables are read as well (UserAdminCleanUp, API keys, second factors).
    bool has_plugins = false;
    /// The column of the user table with the last activity. If empty, the last activity is read
    /// from the sessions.
    std::string_view last_seen = {};

    bool operator==(const TableNames&) const = default;
};
/// Returns whether the string can be the name of a table, schema or column.
bool is_identifier(std::string_view name);
/// Parses the names of the user, session and account tables, as in UserAdminTables and
/// `useradminctl --tables`. Each name is a table, or a schema and a table separated by a dot. The
/// names are views of the words. On error, returns a description that starts with "must be".
std::variant<TableNames, std::string> parse_table_names(std::span<const std::string_view> words);
/// Returns the name of one of mod_useradmin's tables, in the schema of the user table.
std::string own_table(const TableNames& names, std::string_view name);
inline constexpr std::string_view revocation_table = "useradmin_revocation";
inline constexpr std::string_view attempt_table = "useradmin_attempt";

struct Column {
    enum class Kind { text, uuid, integer, boolean, timestamp, other };
    /// How a column stores times: as text or in the database's own type, or as a Unix time.
    enum class TimeFormat { text, seconds, milliseconds };

    std::string name;
    /// The SQL type, such as "character varying(100)".
    std::string type;
    Kind kind = Kind::text;
    TimeFormat time_format = TimeFormat::text;
    /// The quoted type with its schema, such as "pg_catalog"."varchar". Empty if the database has
    /// no schemas.
    std::string sql_type = {};
    /// The quoted schema of the type's operators. Empty if the database has no schemas.
    std::string operator_schema = {};
    /// Whether lists can be sorted by the column.
    bool has_order = true;
    /// The maximum of an integer column.
    std::int64_t max_value = std::numeric_limits<std::int64_t>::max();
    bool is_nullable = true;
    /// Whether an INSERT must set the column, because it is NOT NULL without a default.
    bool requires_value = false;
    /// Whether different strings can compare equal, as with char(n).
    bool has_loose_equality = false;
    /// Whether the loose equality is due to the collation. Expressions that use the column inherit
    /// the collation.
    bool has_loose_collation = false;
    /// Whether the database can convert the column to Unicode normalization forms.
    bool is_unicode = true;
    /// Whether the database role may read the column. Checked only for sessions, accounts and
    /// plugins' tables.
    bool is_readable = true;
    /// Whether the database role may change the column. Checked only for plugins' tables.
    bool is_writable = true;
    /// SQL before and after the column in a SELECT list.
    std::string select_prefix = {};
    std::string select_suffix = {};
    /// The name of the corresponding field, or empty if there is none.
    std::string_view field = {};
    const Dialect* dialect = nullptr;

    /// Returns whether the column is declared with a type for times. SQLite has no such type, but
    /// better-auth declares "date", and ORMs declare "datetime" or "timestamp".
    bool is_declared_as_time() const noexcept;
    /// Returns whether the column stores times as numbers.
    bool has_unix_times() const noexcept { return time_format != TimeFormat::text; }
    /// For a column of ids, returns whether they are integers. The database must generate integer
    /// ids.
    bool is_integer_id() const noexcept { return kind == Kind::integer; }
    /// Returns whether the database generates the column's values, as for an integer id.
    bool is_generated_id() const noexcept { return field == "id" && is_integer_id(); }
    /// Returns whether the column can represent the id. Accepts only the canonical form, because
    /// string comparisons would not match other spellings of the same id.
    bool can_hold_id(std::string_view id) const noexcept;
    /// Returns whether the type of the column can represent the text. SQLite would store any other
    /// text as it is. Always true on PostgreSQL, which checks the text itself.
    bool can_hold_text(std::string_view value) const noexcept;
    /// Returns an SQLite expression for the text of this time column. If the text begins with a
    /// date, converts it to ISO 8601 (UTC), because CURRENT_TIMESTAMP, for example, writes another
    /// format.
    std::string iso_text() const;
    /// Returns whether this time column can be compared with the key (User::sort_key), and the
    /// comparison agrees with ORDER BY.
    bool can_hold_sort_key(std::string_view key) const noexcept;
    /// Returns the quoted name.
    std::string sql() const;
    /// Returns an operator of the column's type with a space on each side. See
    /// qualified_operator().
    std::string op(std::string_view name) const;
};

/// Where to find the last activity of a user.
struct LastSeen {
    /// The column with the last activity.
    Column column;
    /// The SQL expression for a user's last activity. Valid only where the user table has no alias.
    std::string sql;
    /// Whether the last activity is the latest updatedAt of the user's sessions instead of a column
    /// of the user table.
    bool is_from_sessions = false;
};

struct Table {
    /// The quoted name, with the schema once it is known.
    std::string sql;
    /// The configured name, for messages.
    std::string name;
    /// The schema of built-in functions and operators. Empty if the database has no schemas.
    std::string_view builtin_schema = {};
    /// PostgreSQL's kind of relation (pg_class.relkind), such as 'r' for a table.
    char relation_kind = 'r';
    std::vector<Column> columns;
    /// The fields as columns of SELECT or RETURNING. Missing columns are NULL.
    std::string select_list;
    /// Like select_list, with the alias u.
    std::string select_list_u;
    /// Like select_list, with the alias s. The token is NULL, because the caller already has it or
    /// must not see it.
    std::string select_list_s;
    /// The expression for the row version (User::version) of the alias useradmin_row.
    std::string version;
    /// The estimated number of rows, or 0 if unknown.
    std::int64_t estimated_rows = 0;
    /// Whether the database role may delete rows. Checked only for plugins' tables.
    bool allows_delete = true;
    /// Whether the database role may insert rows. Checked only for plugins' tables.
    bool allows_insert = true;
    /// Why the table cannot be used, if known.
    std::string absence_reason;
    /// Set for the user table if a column or the sessions record the last activity.
    std::optional<LastSeen> last_seen;

    bool exists() const noexcept { return !columns.empty(); }
    /// Returns a built-in operator with a space on each side. See qualified_operator().
    std::string op(std::string_view name) const;
    /// Returns a built-in function with its schema and an opening parenthesis.
    std::string function(std::string_view name) const;
    /// Returns the column of a field, or nullptr.
    const Column* find(std::string_view field) const noexcept;
    /// Like find(), but also finds extra columns, by name or by the name in snake_case.
    const Column* find_column(std::string_view name) const;
    /// Like find(), for a column that is known to exist.
    const Column& at(std::string_view field) const noexcept { return *find(field); }
    /// Returns a field as a SELECT column, or "NULL" if the column is missing. `alias` includes the
    /// dot.
    std::string select_expression(std::string_view field, std::string_view alias = {}) const;
};

/// What an operation requires of the tables.
enum Need : unsigned {
    needs_nothing = 0,
    needs_user = 1,
    needs_session = 2,
    needs_account = 4,
    needs_creation = 8,        ///< new rows need no other values; only useradminctl checks this
    needs_revocations = 16,    ///< the table of revocations, if there is one, can be read
    needs_api_keys = 32,       ///< the plugin's table of API keys, with all columns
    needs_second_factors = 64, ///< the plugin's table of second factors and the verification table
    needs_mail = 128,          ///< the verification table
    needs_attempt_table = 256, ///< the table of attempts exists
    needs_all_rows = 512,      ///< no row is hidden; operations only warn of this problem
    needs_second_factor_flag = 1024, ///< twoFactorEnabled exists, if the plugin's table does
    needs_all_plugin_rows = 2048,    ///< as needs_all_rows, for the plugins' tables
    needs_session_creation = 4096,   ///< as needs_creation, for sessions
};

/// Why an operation is impossible: a sentence with the table, the column and the remedy.
struct Problem {
    Need need;
    std::string text;
};

/// A plugin's table. Its fields include the columns named in PluginTable and, if there is one, the
/// id.
struct OwnedTable {
    const PluginTable* plugin;
    Table table;

    const Column& owner() const noexcept { return table.at(plugin->owner); }
    /// Returns whether the rows of a deleted user can be removed.
    bool can_delete_rows() const noexcept { return table.allows_delete && owner().is_readable; }
    /// Returns whether the rows are API keys that a ban can disable.
    bool can_disable_rows() const noexcept;
};

/// A table of sign-in methods: the letter (Schema::table), and the field with the owner's id.
struct MethodTable {
    char letter;
    std::string_view owner;
};

struct Schema {
    Table user;
    Table session;
    Table account;
    /// The table of revocations, if "useradminctl schema" created it. The columns are not mapped to
    /// fields.
    Table revocation;
    /// The table of failed sign-in attempts, if "useradminctl schema" created it.
    Table attempt;
    /// The table of disabled API keys. Only its absence_reason is set; the table is in `owned`.
    Table disabled_key;
    /// The plugins' tables, if TableNames::has_plugins, in the order of plugin_tables. A table with
    /// two references appears twice.
    std::vector<OwnedTable> owned;
    /// Tables with the name of a plugin's table but different columns.
    std::vector<std::string> unknown_plugin_tables;
    /// The select list of Store::find_caller, for the session s and its user u.
    std::string select_list_caller;
    /// The select-list expression for whether user u has a second factor, or "NULL" if the table
    /// lacks the column. The column is not mapped to a field, so responses include it as an extra
    /// column.
    std::string second_factor_expression;
    /// The select-list expression for the accountId of account a, or "NULL" if it cannot be read.
    std::string account_id_expression;
    /// The quoted twoFactorEnabled column, or empty if it is missing.
    std::string second_factor_column;
    /// The extra columns of the row useradmin_row as JSON: SELECT columns, each after a comma.
    std::string extra_columns;
    /// Identifies the contents of the catalog. Schemas with the same fingerprint differ at most
    /// in what has_same_size_and_scale() compares.
    std::string fingerprint;
    std::vector<Problem> problems;
    /// If configured tables are missing but similar ones exist, the arguments of UserAdminTables
    /// for the existing tables. Otherwise, empty.
    std::string similar_table_names;
    /// The quoted schema of the objects that "useradminctl schema --scale" creates. Empty unless
    /// the objects are complete and readable.
    std::string scale;
    /// The quoted name of the schema for these objects, whether or not it exists. Empty if the
    /// database does not support --scale.
    std::string scale_name;
    /// Whether the objects of --scale are incomplete, come from an earlier version, or lack counts
    /// for a column that was later added to the user table.
    bool has_outdated_scale = false;
    /// Whether the objects of --scale are complete, but PUBLIC lacks USAGE on their schema. If so,
    /// only the owner can use the user table.
    bool public_lacks_schema_usage = false;
    /// Why the column of UserAdminLastSeen cannot be used. Empty if it can, or if the directive is
    /// not set.
    std::string last_seen_problem;

    /// Returns the letter of a table in `owned`.
    static char letter(std::size_t index) noexcept { return static_cast<char>('A' + index); }
    char letter(const OwnedTable& table) const noexcept {
        return letter(static_cast<std::size_t>(&table - owned.data()));
    }
    /// Returns the table of a letter: u (user), s (session), a (account), r (revocation), t
    /// (attempt), d (disabled_key), or A to Z (in `owned`).
    Table& table(char letter) noexcept;
    const Table& table(char letter) const noexcept;
    /// Returns the select list for all of a user's data: fields, version and extra columns.
    /// `version` is the expression for the version.
    std::string full_user(std::string_view version) const;
    /// Like the above, with the version of the row useradmin_row.
    std::string full_user() const { return full_user(user.version); }
    /// Returns the columns of the user table that are not mapped to fields.
    std::vector<const Column*> extra_user_columns() const;
    void set_table_names(const TableNames& names);
    /// Maps columns to fields and finds problems. Call it after the columns have been read.
    void resolve_fields(const TableNames& names);
    /// Sets `owned` and `unknown_plugin_tables` from a map of tables by name. Call it after
    /// resolve_fields().
    void resolve_plugins(const std::map<std::string, Table>& tables);
    /// Returns whether the parts outside the fingerprint are equal: the estimated number of rows
    /// and the scale objects.
    bool has_same_size_and_scale(const Schema& other) const noexcept;
    /// Returns the plugin's table in `owned`, or nullptr.
    const OwnedTable* plugin_table(std::string_view name) const noexcept;
    const OwnedTable* api_keys() const noexcept { return plugin_table("apiKey"); }
    const OwnedTable* second_factors() const noexcept { return plugin_table("twoFactor"); }
    const OwnedTable* verifications() const noexcept { return plugin_table("verification"); }
    /// Returns whether users may have second factors.
    bool has_second_factors() const noexcept {
        return second_factors() != nullptr && !second_factor_column.empty();
    }
    /// Returns the table of a kind, if it exists and has an id column. Returns std::nullopt for
    /// second factors, because they are found by their user.
    std::optional<MethodTable> method_table(model::MethodKind kind) const noexcept;
    /// Returns mod_useradmin's table of disabled API keys, or nullptr if it does not exist or the
    /// database role lacks the privileges.
    const OwnedTable* disabled_keys() const noexcept;
    /// Returns whether the table of disabled API keys exists, even if it cannot be used.
    bool has_disabled_key_table() const;
    /// Returns the first problem that concerns one of the needs, or nullptr.
    const Problem* find_problem(unsigned needs) const noexcept;

  private:
    void resolve_last_seen(std::string_view name);
};

/// Returns an operator with a space on each side, such as " OPERATOR(pg_catalog.=) ". If the schema
/// is empty, returns the operator without a schema. With a schema, the search path has no effect.
/// All OPERATOR() forms have the same precedence. It is higher than the precedence of comparisons.
std::string qualified_operator(std::string_view schema, std::string_view name);
/// Quotes a table name. A dot separates the schema and the table.
std::string quoted_table(std::string_view name);
std::string quoted_identifier(std::string_view identifier);
/// Returns the text as a quoted SQL string literal.
std::string literal(std::string_view text);

} // namespace useradmin::store
