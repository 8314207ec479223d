// What is different from one database to another. Each has one file: postgresql.cpp, sqlite.cpp.
#pragma once

#include "store/client.hpp"
#include "store/connection.hpp"
#include "store/schema.hpp"
#include "store/store.hpp"

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace useradmin::store {

class ListQueries;
class Work;

/// What operators are told of a database.
struct DatabaseProduct {
    /// "PostgreSQL".
    const char* name;
    /// The driver's name for DBDriver: "pgsql".
    const char* driver;
    /// The packages that hold the driver, by the names of Debian and of Fedora.
    const char* debian_package;
    const char* fedora_package;
    /// The folder of its files below sql/.
    const char* folder;
    /// The least version that the service works with, "13".
    const char* min_version;
    /// The query that gives the server's version, "15.9".
    const char* version_query;
    /// What stands between CREATE INDEX and the index's name, so that a table stays in use.
    const char* create_index_option;
    /// Whether only one connection writes at a time, whatever it writes.
    bool is_single_writer;
    /// Whether a table is named with its schema when it is laid.
    bool has_schemas;
    /// What may help where it takes no writes.
    const char* read_only_hint;
    /// Begins a transaction that reads the tables as they are at one moment.
    const char* begin_snapshot;
};

/// A right that work on a table wants.
struct Privilege {
    /// The table's letter: u, s or a.
    char table;
    std::string_view name;
    /// The field that it is wanted for; empty for the whole table.
    std::string_view field = {};
};

/// Work that is done whole or not at all: what is not committed is rolled back.
class Transaction {
  public:
    virtual ~Transaction() = default;
    [[nodiscard]] virtual bool commit() = 0;
};

/// Whether a catalogue that was read again holds what was known of it.
enum class CatalogChange { none, changed };

/// A dialect of SQL, and the database that speaks it. Without state.
class Dialect {
  public:
    virtual const DatabaseProduct& product() const noexcept = 0;

    /// Bounds how long a connection may take to be made, in this process, where its parameters do
    /// not say. Called before there are threads.
    virtual void set_connect_timeout() const noexcept = 0;
    /// A client for the connection. The label begins the names of what it prepares, and tells it
    /// from the connection's other users; it outlives the client.
    virtual std::unique_ptr<Client> create_client(const Connection& connection,
                                                  const char* label) const = 0;
    /// Reads the catalogue into the schema, with its problems. Where that holds the same already,
    /// it stays where it is in memory, but for what comes and goes with the rows: read by one
    /// thread after the other, it would wander from heap to heap.
    virtual std::variant<CatalogChange, ErrorKind> read_schema(Client& client, apr_pool_t* pool,
                                                               const TableNames& names,
                                                               Schema& schema) const = 0;

    // The pieces of SQL in which statements differ that are else the same.

    /// Appends a condition that the column contains the searched text (4.1).
    virtual void append_contains(Statement& statement, const Column& column,
                                 std::string_view search) const = 0;
    /// Appends a condition that a column of ids or tokens is the text, to the letter, in a way that
    /// an index can answer.
    virtual void append_equals(Statement& statement, const std::string& sql, const Column& column,
                               std::string_view text) const = 0;
    /// The expression of a text's sort key (text::sort_key), which an index can have.
    virtual std::string sort_key(const std::string& sql) const = 0;
    /// The column as a text, which is compared to the letter within a function such as coalesce.
    virtual std::string as_text(const Column& column) const = 0;
    /// What ends a query within a statement whose rows, in its order, nobody else may change until
    /// the statement is done.
    virtual const char* row_lock() const noexcept = 0;
    /// The expression of how many connections the account may have in all, as a text; NULL where
    /// the database sets no bound.
    virtual const char* connection_limit() const noexcept = 0;
    /// The function that gives the place of a text in another, from 1 on.
    virtual const char* position_function() const noexcept = 0;

    // Whole statements.

    /// The statements of lists that suit the tables as they are.
    virtual const ListQueries& lists(const Schema& schema) const noexcept = 0;

    /// Begins a transaction; nullptr where that fails.
    virtual std::unique_ptr<Transaction> begin_transaction(Work& work) const = 0;

    /// Makes the user and its account, both or none (4.2); not_found where the caller may not.
    virtual Result<model::User> create(Work& work, const NewUser& user,
                                       const std::optional<Actor>& actor) const = 0;
    /// Changes the user that has the id and that the guard lets be changed, and sees what it was.
    /// Its sessions end, where they are to, if that takes rights from it (append_privilege_loss).
    virtual Result<model::User> update_with_before(Work& work, std::string_view id,
                                                   const Changes& changes, const UpdateGuard& guard,
                                                   SessionPolicy sessions) const = 0;
    /// Gives the user's credential account the hash, or makes it, and ends the user's sessions
    /// where they are to, all or none; not_found where there is no such user, or the guard does not
    /// let it be changed.
    virtual Result<Done> set_password(Work& work, const model::Account& account,
                                      SessionPolicy sessions, const UpdateGuard& guard) const = 0;
    /// Deletes the user's sessions, its accounts and the user, all or none (4.4.1).
    virtual Result<Done> remove(Work& work, std::string_view id, const ProtectedEmail& spared,
                                const UpdateGuard& guard) const = 0;
    /// Opens a session, and ends surplus ones of its user, while the user is kept as it is;
    /// not_found where the terms do not hold.
    virtual Result<std::string_view> open_session(Work& work, const model::Session& session,
                                                  const SessionTerms& terms) const = 0;

    // What useradminctl asks.

    /// What stands for the words at signs in the database's files of sql/…/scale.
    virtual std::vector<std::pair<std::string, std::string>>
    scale_placeholders(const Schema& schema) const = 0;

    /// The file that a connection's parameters name; empty where the database is no file.
    virtual std::string database_file(std::string_view parameters) const = 0;
    /// Readies a new database for many readers and a writer.
    virtual bool init_database(Client& client, apr_pool_t* pool) const = 0;
    /// The query for the indexes of the three tables: the table's letter (u, s, a), the index's
    /// name, whether it is unique ("t" or "1"), one key; a row a key, in order.
    virtual std::string indexes_query(const Schema& schema, const TableNames& names) const = 0;
    /// The query for those of the rights that the database's account does not have: the table's
    /// letter, the privilege, the column that it is wanted for ("" for the whole table), the
    /// account; a row for each, in the rights' order. Empty where the database knows no rights.
    virtual std::string missing_privileges_query(const Schema& schema,
                                                 std::span<const Privilege> privileges) const = 0;
    /// The query for the roles that can attach code to one of the tables, such as a trigger or a
    /// view in its place, if the session's role is a superuser and they are not. A row for each
    /// table and role, those that own it first: the table's letter, the role, the session's role,
    /// whether it owns the table. Empty where the database knows no roles.
    virtual std::string lesser_roles_query(const Schema& schema) const = 0;

  protected:
    ~Dialect() = default;
};

/// What a catalogue's answer for the tables comes to (Schema::fingerprint).
std::string fingerprint_of(const TableNames& names, Rows answer);

/// All dialects: a database that is added stands here.
std::span<const Dialect* const> dialects() noexcept;
/// The dialect of a driver of apr_dbd ("pgsql", "sqlite3"); nullptr for any other.
const Dialect* find_dialect(std::string_view driver) noexcept;
/// The drivers' names, for a sentence: "pgsql or sqlite3".
std::string driver_names();

} // namespace useradmin::store
