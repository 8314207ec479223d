// The parts of the store that differ between databases.
#pragma once

#include "store/client.hpp"
#include "store/connection.hpp"
#include "store/schema.hpp"
#include "store/store.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace useradmin::store {

class ListQueries;
class Work;

/// The names, properties and SQL fragments of a database product.
struct DatabaseProduct {
    const char* name;
    /// The driver's name in DBDriver, such as "pgsql".
    const char* driver;
    const char* debian_package;
    const char* fedora_package;
    /// The directory below sql/.
    const char* directory;
    /// The minimum version, such as "13".
    const char* min_version;
    /// The query for the server's version, such as "15.9".
    const char* version_query;
    /// The option of CREATE INDEX that avoids blocking writes, or an empty string.
    const char* create_index_option;
    /// The quote around column names.
    char identifier_quote;
    /// Whether the database allows only one writer at a time.
    bool is_single_writer;
    /// Whether CREATE TABLE qualifies the table's name with a schema.
    bool has_schemas;
    /// Whether NULL sorts after all values instead of before them.
    bool sorts_nulls_last;
    /// Advice for a read-only server.
    const char* read_only_hint;
    /// The statement that begins a read-only transaction with a single snapshot.
    const char* begin_snapshot;

    /// The clause that makes a SELECT lock its rows, in the order of ORDER BY. Empty if no lock is
    /// needed.
    const char* row_lock;
    /// The clause that makes a SELECT prevent changes to its rows. Empty if no lock is needed.
    const char* shared_row_lock;
    /// The clause that locks the row of a user who is about to be deleted. Empty if no lock is
    /// needed.
    const char* removal_lock;
    /// An expression for the database's time in seconds since 1970.
    const char* current_unix_time;
    /// An expression for the commit time of the last transaction that a standby has replayed or, if
    /// there is none, the server's start time. NULL if the database product has no standbys.
    const char* last_replay_time;
    /// The SQL before and after a subquery for the condition that the preceding column equals one
    /// of the subquery's values. If the database has row locks, the subquery locks its rows and
    /// skips rows that other transactions have locked.
    std::pair<const char*, const char*> any_of_skip_locked;
    /// The name of the function that returns the position of a substring, counted from 1.
    const char* position_function;
};

/// A privilege on a table.
struct Privilege {
    /// The table's letter (Schema::table).
    char table;
    std::string_view name;
    /// The field, or empty for the whole table.
    std::string_view field = {};
};

/// A transaction. The destructor rolls it back unless it was committed.
class Transaction {
  public:
    virtual ~Transaction() = default;
    /// Returns false on failure. After that, Work::may_be_committed() returns whether the outcome
    /// is unknown.
    [[nodiscard]] virtual bool commit() = 0;
};

/// A database product and its SQL dialect. Stateless.
class Dialect {
  public:
    virtual const DatabaseProduct& product() const noexcept = 0;

    /// Sets this process's default timeout for connecting to each address of a server. Connection
    /// parameters and the environment take precedence. Call it before threads are started.
    virtual void set_connect_timeout(std::chrono::seconds) const {}
    /// Returns a client for the connection. `label` must be unique among the clients of the
    /// connection, and must outlive the returned client.
    virtual std::unique_ptr<Client> create_client(const Connection& connection,
                                                  const char* label) const = 0;
    /// Reads the catalog into the schema and finds its problems. If the catalog is unchanged,
    /// updates at most the members that Schema::has_same_size_and_scale() compares. Returns false
    /// on failure.
    virtual bool read_schema(Client& client, apr_pool_t* pool, const TableNames& names,
                             Schema& schema) const = 0;

    // --- Fragments of SQL ---

    /// Appends a condition that the column contains a search word (4.1), ignoring case and accents.
    virtual void append_contains(Statement& statement, const Column& column,
                                 std::string_view word) const = 0;
    /// Appends a condition that a text column matches the pattern, using the database's LIKE.
    virtual void append_like(Statement& statement, const Column& column,
                             const std::string& pattern) const = 0;
    /// Appends a condition that a column of ids or tokens equals the string exactly. `alias`
    /// includes the dot. The condition can use an index.
    virtual void append_equals(Statement& statement, const Column& column, std::string_view text,
                               std::string_view alias = {}) const = 0;
    /// Returns an expression for the sort key of a column of strings (text::sort_key). Indexes use
    /// the same expression.
    virtual std::string sort_key(const Column& column) const = 0;
    /// Returns an expression that formats `sql`, a value of the column, as User::sort_key.
    virtual std::string exact_text(const std::string& sql, const Column& column) const = 0;
    /// Returns an expression for the column as text. Comparisons with it are exact, even if it is
    /// an argument of a function such as coalesce.
    virtual std::string as_text(const Column& column) const = 0;

    // --- Whole statements ---

    /// Returns the list queries for the schema.
    virtual const ListQueries& lists(const Schema& schema) const noexcept = 0;

    /// Begins a transaction. Returns nullptr on failure.
    virtual std::unique_ptr<Transaction> begin_transaction(Work& work) const = 0;

    /// Creates the user and, with NewUser::has_account, the account atomically (4.2). Fails with
    /// not_found if the actor is rejected.
    virtual Result<model::User> create(Work& work, const NewUser& user,
                                       const std::optional<Actor>& actor) const = 0;
    /// Locks and changes the user if the guard allows it. Sets Work::row_change(). Fails with
    /// not_found if the user does not exist or the guard fails.
    virtual Result<model::User> update_with_before(Work& work, std::string_view id,
                                                   const Changes& changes,
                                                   const UpdateGuard& guard) const = 0;
    /// Records a revocation, and removes at least some of those that are older than 30 days.
    virtual Result<Done> record_revocation(Work& work, const Revocation& revocation) const = 0;
    /// Appends a query for the revocations after a position. Each row has the position for the next
    /// read, an identifier of the database and the table, the user's id, the session's id, the time
    /// and the row's id. If there are no revocations, the query returns one row without a user's
    /// id. The caller may append a condition.
    virtual void append_revocations(Statement& statement, const Table& table,
                                    std::int64_t position) const = 0;

    // --- For useradminctl ---

    /// Returns the replacements for the placeholders (@word@) in sql/…/scale.
    virtual std::vector<std::pair<std::string, std::string>>
    scale_placeholders(const Schema&) const {
        return {};
    }

    /// Returns the file that the connection parameters name, or an empty string if they contain a
    /// URI or the database is not a file.
    virtual std::string database_file(std::string_view) const { return {}; }
    /// Returns whether the connection parameters contain a password.
    virtual bool has_password(const std::string&) const { return false; }
    /// Configures a new database for many readers and one writer. Returns false on failure. If the
    /// file cannot have a write-ahead log, the client's error message is empty.
    virtual bool init_database(Client&, apr_pool_t*) const { return true; }
    /// Returns the query for the indexes of the tables. Excludes partial indexes, unless their only
    /// condition is that the first key is not NULL. Each row is one key column of an index, in
    /// order: the table's letter (Schema::table), the index, whether it is unique ("t" or "1"), and
    /// the column or expression. For SQLite, only the user, session and account tables are
    /// included.
    virtual std::string indexes_query(const Schema& schema, const TableNames& names) const = 0;
    /// Returns the query for missing privileges, in the order of `privileges`. INSERT includes
    /// USAGE on the sequences of the table's defaults. Each row has the table's letter, the
    /// privilege, the column ("" for the whole table), the account, and the sequence ("" for a
    /// privilege on the table). Returns an empty string if the database has no privileges, or if
    /// none of the tables exists.
    virtual std::string missing_privileges_query(const Schema&, std::span<const Privilege>) const {
        return {};
    }
    /// Returns the query for roles, other than superusers, whose code may run when one of the
    /// tables is used. These are owners of the table or its schema, roles with TRIGGER or
    /// REFERENCES on the table, and owners of other objects in the database. The query returns no
    /// rows unless the session's role is a superuser or a member of one. Each row has the table's
    /// letter, the role, the session's role, and whether the role owns the table. Owners of the
    /// table come first. Returns an empty string if the database has no roles.
    virtual std::string untrusted_roles_query(const Schema&) const { return {}; }

  protected:
    ~Dialect() = default;
};

const Dialect& postgresql() noexcept;
const Dialect& sqlite() noexcept;

inline void append_equals(Statement& statement, const Column& column, std::string_view text,
                          std::string_view alias = {}) {
    column.dialect->append_equals(statement, column, text, alias);
}
inline std::string as_text(const Column& column) {
    return column.dialect->as_text(column);
}

/// Returns the fingerprint of a catalog's rows (Schema::fingerprint).
std::string fingerprint_of(const TableNames& names, Rows answer);

std::span<const Dialect* const> dialects() noexcept;
/// Returns the dialect of an apr_dbd driver ("pgsql", "sqlite3"), or nullptr.
const Dialect* find_dialect(std::string_view driver) noexcept;
/// Returns the drivers' names for a message: "pgsql or sqlite3".
std::string driver_names();

} // namespace useradmin::store
