// SQL fragments and transactions for SQLite 3.35 and later.
#include "store/dialect.hpp"
#include "apr/pool.hpp"
#include "store/lists.hpp"
#include "store/sqlite/client.hpp"
#include "store/sqlite/functions.hpp"
#include "store/sqlite/schema.hpp"
#include "store/statements.hpp"
#include "store/update_conditions.hpp"
#include "store/work.hpp"
#include "text/unicode.hpp"

#include <apr_time.h>

#include <chrono>
#include <string>

namespace useradmin::store {

namespace {

class SqliteTransaction final : public Transaction {
  public:
    explicit SqliteTransaction(Work& work)
        : work_(work), client_(static_cast<SqliteClient&>(work.client())) { // from create_client
        client_.prepare_rollback();
        open_ = work.execute("BEGIN IMMEDIATE").operator bool();
    }
    ~SqliteTransaction() override {
        if (open_)
            client_.roll_back();
    }
    SqliteTransaction(const SqliteTransaction&) = delete;
    SqliteTransaction& operator=(const SqliteTransaction&) = delete;

    explicit operator bool() const noexcept { return open_; }

    /// Retries until the deadline: without a write-ahead log, readers block the commit. Meanwhile,
    /// the PENDING lock keeps new readers out.
    bool commit() override {
        constexpr std::chrono::milliseconds pause(5);
        const Deadline deadline = client_.deadline();
        while (open_) {
            open_ = !work_.execute("COMMIT");
            if (!open_)
                return true;
            // If the system crashes after an I/O error, the change may be on disk.
            if (client_.has_io_error())
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
    bool open_ = false;
};

constexpr DatabaseProduct sqlite_product = {
    .name = "SQLite",
    .driver = "sqlite3",
    .debian_package = "libaprutil1-dbd-sqlite3",
    .fedora_package = "apr-util-sqlite",
    .directory = "sqlite",
    .min_version = "3.35",
    .version_query = "SELECT sqlite_version()",
    .create_index_option = "",
    // SQLite reads an unknown name in double quotes as a string, but not one in backticks.
    .identifier_quote = '`',
    .is_single_writer = true,
    .has_schemas = false,
    .sorts_nulls_last = false,
    .read_only_hint = "httpd's account must be able to write to the file and its directory",
    .begin_snapshot = "BEGIN",
    .row_lock = "",
    .shared_row_lock = "",
    .removal_lock = "",
    .current_unix_time = "CAST(strftime('%s', 'now') AS bigint)",
    .last_replay_time = "NULL",
    .any_of_skip_locked = {" IN (", ")"},
    .position_function = "instr",
};

// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): one constant, never deleted
class Sqlite final : public Dialect {
  public:
    const DatabaseProduct& product() const noexcept override { return sqlite_product; }

    std::unique_ptr<Client> create_client(const Connection& connection,
                                          const char*) const override {
        auto* native =
            static_cast<sqlite3*>(apr_dbd_native_handle(connection.driver, connection.handle));
        // Registering the functions again would expire all prepared statements.
        bool& has_functions = apr::find_or_emplace<bool>(connection.pool, "useradmin sqlite");
        if (!has_functions)
            register_functions(native);
        has_functions = true;
        return std::make_unique<SqliteClient>(native, connection.init_statements);
    }

    bool read_schema(Client& client, apr_pool_t* pool, const TableNames& names,
                     Schema& schema) const override {
        return read_sqlite_schema(static_cast<SqliteClient&>(client), pool, names, schema);
    }

    void append_contains(Statement& statement, const Column& column,
                         std::string_view word) const override {
        if (text::has_only_combining_marks(word))
            statement << "instr(" << column << ", " << argument(word) << ") > 0";
        else
            statement << "instr(useradmin_fold(" << column << "), " << argument(text::fold(word))
                      << ") > 0";
    }

    void append_like(Statement& statement, const Column& column,
                     const std::string& pattern) const override {
        statement << column << " LIKE " << Argument{pattern} << " ESCAPE '\\'";
    }

    void append_equals(Statement& statement, const Column& column, std::string_view text,
                       std::string_view alias = {}) const override {
        statement << alias << column << " = " << argument(text);
        // A cast preserves the column's collation, so override it.
        if (column.has_loose_equality)
            statement << " AND CAST(" << alias << column
                      << " AS TEXT) COLLATE BINARY = " << argument(text);
    }

    std::string sort_key(const Column& column) const override {
        return "useradmin_sort_key(" + column.sql() + ")";
    }

    std::string exact_text(const std::string& sql, const Column&) const override {
        return "CAST(" + sql + " AS TEXT)";
    }

    std::string as_text(const Column& column) const override {
        return "CAST(" + column.sql() + " AS TEXT)";
    }

    const ListQueries& lists(const Schema&) const noexcept override { return plain_lists(); }

    std::unique_ptr<Transaction> begin_transaction(Work& work) const override {
        auto transaction = std::make_unique<SqliteTransaction>(work);
        return *transaction ? std::move(transaction) : nullptr;
    }

    // For each write below, the caller has begun a transaction.
    Result<model::User> create(Work& work, const NewUser& user,
                               const std::optional<Actor>& actor) const override {
        const Schema& schema = work.schema();
        const Assignments row = assignments_of(schema.user, user);
        Statement insert_user = work.statement();
        insert_user << "INSERT INTO " << schema.user.sql << " (";
        insert_user.columns(row) << ") SELECT ";
        insert_user.values(row);
        if (actor)
            append_actor(insert_user << " WHERE ", schema.user, actor);
        const Result<model::User> made = written_user(work, insert_user);
        if (!made)
            return made;
        // The database may have generated the user's id.
        model::Account account = account_row(user);
        account.user_id = made->id;
        if (user.account_id_is_user_id)
            account.account_id = made->id;
        if (user.has_account && !work.run(work.statement().insertion(
                                    schema.account, assignments_of(schema.account, account))))
            return Failure::failed;
        return made;
    }

    Result<model::User> update_with_before(Work& work, std::string_view id, const Changes& changes,
                                           const UpdateGuard& guard) const override {
        const Table& user = work.schema().user;
        const Column& key = user.at("id");
        const auto append_where = [&](Statement& statement) {
            append_equals(statement << " WHERE ", key, id);
            append_guard(statement, user, guard);
        };
        Statement find = work.statement();
        append_where(find << "SELECT " << user.select_list << " FROM " << user
                          << " AS useradmin_row");
        Result<Rows> found = work.run(find);
        if (!found)
            return found.failure();
        if (!found->next())
            return Failure::not_found;
        Statement update = work.statement();
        update << "UPDATE " << user << " AS useradmin_row SET ";
        statements::append_changes(update, user, changes);
        append_where(update);
        const Result<model::User> after = written_user(work, update);
        if (after)
            work.row_change() = {after->id, found->take_record<model::User>(), *after};
        return after.is_not_found() ? work.fail_without_change() : after;
    }

    // An id is a time in milliseconds: after a restore from a backup, new ids must exceed the
    // positions read before it. SQLite has only one writer, so max(id) + 1 is unique.
    Result<Done> record_revocation(Work& work, const Revocation& revocation) const override {
        const Table& table = work.schema().revocation;
        Statement remove = work.statement();
        remove << "DELETE FROM " << table
               << " WHERE created_at < strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-30 days')";
        Statement insert = work.statement();
        insert << "INSERT INTO " << table
               << " (id, user_id, session_id) VALUES (max(coalesce((SELECT max(id) FROM " << table
               << "), 0) + 1, CAST((julianday('now') - 2440587.5) * 86400000 AS integer)), "
               << argument(revocation.user_id) << ", " << optional_argument(revocation.session_id)
               << ")";
        return work.run(remove) ? work.apply(insert) : Failure::failed;
    }

    // SQLite has only one writer, so ids are in commit order.
    void append_revocations(Statement& statement, const Table& table,
                            std::int64_t position) const override {
        statement << "SELECT (SELECT coalesce(max(id), 0) FROM " << table
                  << "), (SELECT file FROM pragma_database_list WHERE name = 'main'), r.user_id, "
                     "r.session_id, r.created_at, r.id FROM (SELECT 1) LEFT JOIN "
                  << table << " r ON r.id > " << argument(position);
    }

    std::string database_file(std::string_view parameters) const override {
        // A URI may have mode=ro, and :memory: is not a file.
        return parameters.starts_with("file:") || parameters.starts_with(':')
                   ? std::string()
                   : std::string(parameters);
    }

    /// The write-ahead log allows concurrent readers. The mode is stored in the file.
    bool init_database(Client& client, apr_pool_t* pool) const override {
        auto rows = client.execute("PRAGMA journal_mode = WAL", pool);
        // If the file cannot have a write-ahead log, the pragma succeeds and returns another mode.
        return rows && rows->next() && rows->take() == "wal";
    }

    std::string indexes_query(const Schema&, const TableNames& names) const override {
        // SQLite's catalog lacks index expressions, so the query returns the CREATE INDEX statement
        // instead.
        return "SELECT t.letter, l.name, l.\"unique\", coalesce(x.name, iif(m.sql LIKE "
               "'%coalesce(%', 'coalesce(', m.sql)) FROM (" +
               tables_of(names) +
               ") t JOIN pragma_index_list(t.name) l JOIN pragma_index_xinfo(l.name) x LEFT JOIN "
               "sqlite_master m ON m.name = l.name WHERE (l.partial = 0 OR (l.\"unique\" = 0 AND "
               "m.sql LIKE '% WHERE %' || x.name || '% IS NOT NULL')) AND x.key = 1 ORDER BY 1, 2, "
               "x.seqno";
    }

  private:
    /// Runs the statement that writes a user's row, and reads the row. Fails with not_found if
    /// there is none.
    static Result<model::User> written_user(Work& work, Statement& write) {
        // RETURNING does not show the changes of AFTER triggers.
        write << " RETURNING " << work.schema().user.select_expression("id");
        const Result<std::string_view> id =
            statements::first_row(work, write, [](Rows& rows) { return rows.take().value_or(""); });
        return id ? statements::find(work, *id, UserColumns::all) : id.failure();
    }

    /// Returns a query for the letters and names of the tables.
    static std::string tables_of(const TableNames& names) {
        const auto table = [](const char* letter, std::string_view name) {
            return "SELECT '" + std::string(letter) + "' AS letter, " +
                   literal(name.substr(name.find('.') + 1)) + " AS name";
        };
        return table("u", names.user) + " UNION ALL " + table("s", names.session) + " UNION ALL " +
               table("a", names.account);
    }
};

} // namespace

const Dialect& sqlite() noexcept {
    static constexpr Sqlite dialect;
    return dialect;
}

} // namespace useradmin::store
