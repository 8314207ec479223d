// Fragments of SQL and transactions of SQLite 3.35 and later.
#include "store/dialect.hpp"
#include "apr/pool.hpp"
#include "store/lists.hpp"
#include "store/sqlite/client.hpp"
#include "store/sqlite/functions.hpp"
#include "store/sqlite/schema.hpp"
#include "store/work.hpp"
#include "text/unicode.hpp"

#include <apr_time.h>

#include <chrono>
#include <string>

namespace useradmin::store {

namespace {

/// Prepares a connection once: registering a function again would expire all statements of the
/// connection.
void register_functions_once(const Connection& connection, sqlite3* database) {
    constexpr const char* mark = "useradmin sqlite";
    void* is_set_up = nullptr;
    apr_pool_userdata_get(&is_set_up, mark, connection.pool);
    if (is_set_up != nullptr)
        return;
    register_functions(database);
    apr_pool_userdata_setn(database, mark, apr_pool_cleanup_null, connection.pool);
}

/// Rolls back unless committed. Within another transaction it is a savepoint.
class SqliteTransaction final : public Transaction {
  public:
    explicit SqliteTransaction(Work& work)
        : work_(work), client_(static_cast<SqliteClient&>(work.client())), // of create_client
          is_inner_(client_.is_in_transaction()) {
        client_.prepare_rollback(is_inner_);
        const char* const begin = is_inner_ ? "SAVEPOINT useradmin_inner" : "BEGIN IMMEDIATE";
        open_ = work.execute(begin).operator bool();
    }
    ~SqliteTransaction() override {
        if (open_)
            client_.roll_back(is_inner_);
    }
    SqliteTransaction(const SqliteTransaction&) = delete;
    SqliteTransaction& operator=(const SqliteTransaction&) = delete;

    explicit operator bool() const noexcept { return open_; }

    /// Without a write-ahead log, readers block the commit. The lock prevents new readers
    /// meanwhile.
    bool commit() override {
        constexpr std::chrono::milliseconds pause(5);
        const Deadline deadline = client_.deadline();
        while (open_) {
            open_ = !work_.execute(is_inner_ ? "RELEASE useradmin_inner" : "COMMIT");
            if (!open_)
                return true;
            // What did not reach the disk in time may be found there after a crash.
            if (!is_inner_ && client_.has_io_error())
                work_.set_may_be_committed();
            if (work_.error_kind() != ErrorKind::busy || Clock::now() + pause >= deadline)
                return false;
            work_.clear_error();
            apr_sleep(apr_time_from_msec(pause.count()));
        }
        return false;
    }

  private:
    Work& work_;
    SqliteClient& client_;
    bool is_inner_;
    bool open_ = false;
};

constexpr DatabaseProduct sqlite_product = {
    "SQLite",
    "sqlite3",
    "libaprutil1-dbd-sqlite3",
    "apr-util-sqlite",
    "sqlite",
    "3.35",
    "SELECT sqlite_version()",
    "",
    true,
    false,
    false,
    "httpd's account must have the right to write the file and its folder",
    "BEGIN"};

// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): one constant, never deleted
class Sqlite final : public Dialect {
  public:
    const DatabaseProduct& product() const noexcept override { return sqlite_product; }

    void set_connect_timeout() const noexcept override {}

    std::unique_ptr<Client> create_client(const Connection& connection,
                                          const char*) const override {
        auto* native =
            static_cast<sqlite3*>(apr_dbd_native_handle(connection.driver, connection.handle));
        register_functions_once(connection, native);
        return std::make_unique<SqliteClient>(native);
    }

    std::variant<CatalogChange, ErrorKind> read_schema(Client& client, apr_pool_t* pool,
                                                       const TableNames& names,
                                                       Schema& schema) const override {
        return read_sqlite_schema(static_cast<SqliteClient&>(client), pool, names, schema);
    }

    void append_contains(Statement& statement, const Column& column,
                         std::string_view search) const override {
        if (text::has_only_combining_marks(search))
            statement << "instr(" << column << ", " << argument(search) << ") > 0";
        else
            statement << "instr(useradmin_fold(" << column << "), " << argument(text::fold(search))
                      << ") > 0";
    }

    void append_equals(Statement& statement, const std::string& sql, const Column& column,
                       std::string_view text) const override {
        statement.note_column(column);
        statement << sql << " = " << argument(text);
        // A cast preserves the column's collation.
        if (column.has_loose_equality)
            statement << " AND CAST(" << sql << " AS TEXT) COLLATE BINARY = " << argument(text);
    }

    std::string sort_key(const std::string& sql) const override {
        return "useradmin_sort_key(" + sql + ")";
    }

    std::string exact_text(const std::string& sql, const Column&) const override {
        return "CAST(" + sql + " AS TEXT)";
    }

    std::string as_text(const Column& column) const override {
        return "CAST(" + column.sql() + " AS TEXT)";
    }

    // There is only one writer.
    const char* row_lock(RowLock) const noexcept override { return ""; }
    const char* connection_limit() const noexcept override { return "NULL"; }
    const char* position_function() const noexcept override { return "instr"; }

    const ListQueries& lists(const Schema&) const noexcept override { return plain_lists(); }

    std::unique_ptr<Transaction> begin_transaction(Work& work) const override {
        auto transaction = std::make_unique<SqliteTransaction>(work);
        return *transaction ? std::move(transaction) : nullptr;
    }

    std::vector<std::pair<std::string, std::string>>
    scale_placeholders(const Schema&) const override {
        return {};
    }

    std::string database_file(std::string_view parameters) const override {
        // A URI may have mode=ro, and :memory: is not a file.
        return parameters.starts_with("file:") || parameters.starts_with(':')
                   ? std::string()
                   : std::string(parameters);
    }

    /// The write-ahead log allows concurrent readers. The mode is stored in the file.
    bool init_database(Client& client, apr_pool_t* pool) const override {
        return std::holds_alternative<Rows>(client.execute("PRAGMA journal_mode = WAL", pool));
    }

    std::string indexes_query(const Schema&, const TableNames& names) const override {
        const auto table = [](const char* letter, std::string_view name) {
            return "SELECT '" + std::string(letter) + "' AS letter, " +
                   literal(name.substr(name.find('.') + 1)) + " AS name";
        };
        // The catalogue lacks index expressions; the index's statement has them.
        return "SELECT t.letter, l.name, l.\"unique\", coalesce(x.name, iif(m.sql LIKE "
               "'%coalesce(%', 'coalesce(', iif(m.sql LIKE '%lower(%', 'lower(', '('))) FROM (" +
               table("u", names.user) + " UNION ALL " + table("s", names.session) + " UNION ALL " +
               table("a", names.account) +
               ") t JOIN pragma_index_list(t.name) l JOIN pragma_index_xinfo(l.name) x LEFT JOIN "
               "sqlite_master m ON m.name = l.name WHERE l.partial = 0 AND x.key = 1 ORDER BY 1, "
               "2, x.seqno";
    }

    std::string lesser_roles_query(const Schema&) const override { return {}; }

    std::string missing_privileges_query(const Schema&, std::span<const Privilege>) const override {
        return {};
    }
};

} // namespace

const Dialect& sqlite() noexcept {
    static constexpr Sqlite dialect;
    return dialect;
}

} // namespace useradmin::store
