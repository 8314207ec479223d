// Statements and catalogue of SQLite 3.35 and later.
#include "store/dialect.hpp"
#include "apr/pool.hpp"
#include "crypto/sha256.hpp"
#include "store/lists.hpp"
#include "store/work.hpp"
#include "text/timestamp.hpp"
#include "text/unicode.hpp"

#include <apr_time.h>
#include <sqlite3.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <new>
#include <string>
#include <unordered_map>

namespace useradmin::store {

namespace {

struct Close {
    void operator()(sqlite3* database) const noexcept { sqlite3_close_v2(database); }
};
using Handle = std::unique_ptr<sqlite3, Close>;

struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
};
using Prepared = std::unique_ptr<sqlite3_stmt, Finalize>;

/// Resets a statement and its bindings at the end of the scope.
class Execution {
  public:
    explicit Execution(sqlite3_stmt* statement) noexcept : statement_(statement) {}
    ~Execution() {
        sqlite3_reset(statement_);
        sqlite3_clear_bindings(statement_);
    }
    Execution(const Execution&) = delete;
    Execution& operator=(const Execution&) = delete;

    bool bind(std::span<const char* const> arguments) noexcept {
        int place = 0;
        for (const char* argument : arguments)
            if (sqlite3_bind_text(statement_, ++place, argument, -1, SQLITE_STATIC) != SQLITE_OK)
                return false;
        return true;
    }

    /// Appends the rows' cells, copied into the pool. Returns the last result code. Throws
    /// std::bad_alloc.
    int step_through(std::vector<Cell>& cells, apr_pool_t* pool) {
        int code = sqlite3_step(statement_);
        for (; code == SQLITE_ROW; code = sqlite3_step(statement_))
            for (int column = 0; column < sqlite3_column_count(statement_); ++column)
                cells.push_back(cell(column, pool));
        return code;
    }

    std::size_t width() const noexcept {
        return static_cast<std::size_t>(sqlite3_column_count(statement_));
    }

  private:
    Cell cell(int column, apr_pool_t* pool) const {
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
        if (text == nullptr) {
            // NULL, or out of memory during conversion.
            if (sqlite3_errcode(sqlite3_db_handle(statement_)) == SQLITE_NOMEM)
                throw std::bad_alloc();
            return {};
        }
        const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
        return apr::copy_view(pool, {text, size});
    }

    sqlite3_stmt* statement_;
};

/// Interrupts statements at the deadline, until the end of the scope.
class DeadlineInterrupt {
  public:
    DeadlineInterrupt(sqlite3* database, const Deadline& deadline) noexcept : database_(database) {
        // About a millisecond.
        constexpr int steps = 50000;
        if (deadline != no_deadline)
            sqlite3_progress_handler(
                database, steps,
                [](void* until) noexcept {
                    return Clock::now() >= *static_cast<const Deadline*>(until) ? 1 : 0;
                },
                const_cast<Deadline*>(&deadline));
    }
    ~DeadlineInterrupt() { sqlite3_progress_handler(database_, 0, nullptr, nullptr); }
    DeadlineInterrupt(const DeadlineInterrupt&) = delete;
    DeadlineInterrupt& operator=(const DeadlineInterrupt&) = delete;

  private:
    sqlite3* database_;
};

/// Returns the bytes of a blob, or the text converted to UTF-8.
std::string_view bytes_of(sqlite3_value* value) noexcept {
    const void* const data = sqlite3_value_type(value) == SQLITE_BLOB ? sqlite3_value_blob(value)
                                                                      : sqlite3_value_text(value);
    const auto* bytes = static_cast<const char*>(data);
    return {bytes != nullptr ? bytes : "", static_cast<std::size_t>(sqlite3_value_bytes(value))};
}

/// Defines an SQL function from a function of a text.
template <std::string (*of_text)(std::string_view)>
void mapped(sqlite3_context* context, int, sqlite3_value** values) noexcept {
    try {
        const std::string text = of_text(bytes_of(values[0]));
        sqlite3_result_text(context, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    } catch (...) {
        sqlite3_result_error_nomem(context);
    }
}

/// Appends an injective encoding of a value.
void append_value(std::string& out, sqlite3_value* value) {
    const auto append = [&](char kind, const auto& number) {
        out += kind;
        out.append(reinterpret_cast<const char*>(&number), sizeof number);
    };
    constexpr double most_exact = 9007199254740992; // 2^53
    const int type = sqlite3_value_type(value);
    if (type == SQLITE_NULL) {
        out += 'n';
    } else if (type == SQLITE_INTEGER) {
        append('i', sqlite3_value_int64(value));
    } else if (type == SQLITE_FLOAT) {
        // A column's affinity may convert an integral value when it is stored.
        const double number = sqlite3_value_double(value);
        if (std::trunc(number) == number && std::abs(number) < most_exact)
            append('i', static_cast<sqlite3_int64>(number));
        else
            append('f', number);
    } else {
        const std::string_view bytes = bytes_of(value);
        append(type == SQLITE_TEXT ? 't' : 'b', bytes.size());
        out += bytes;
    }
}

/// useradmin_version(value, …): returns a digest of the values.
void version(sqlite3_context* context, int count, sqlite3_value** values) noexcept {
    constexpr std::size_t most_digits = 32;
    try {
        std::string all;
        for (int index = 0; index < count; ++index)
            append_value(all, values[index]);
        const std::string text = crypto::sha256_hex(all).substr(0, most_digits);
        sqlite3_result_text(context, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    } catch (...) {
        sqlite3_result_error_nomem(context);
    }
}

/// useradmin_later(old, now): returns now, or the millisecond after old if old is now or slightly
/// later. Every change results in a new row version.
void later(sqlite3_context* context, int, sqlite3_value** values) noexcept {
    using namespace std::chrono_literals;
    const auto time_of = [](sqlite3_value* value) {
        const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
        return text != nullptr ? text::parse_timestamp(text) : std::nullopt;
    };
    const bool is_number = bytes_of(values[1]).find('-') == std::string_view::npos;
    const auto now = time_of(values[1]);
    const auto old = time_of(values[0]);
    if (!now || !old || *old < *now || *old > *now + 1s) {
        sqlite3_result_value(context, values[1]);
        return;
    }
    try {
        std::string text;
        if (is_number)
            text = std::to_string((*old + 1ms).time_since_epoch().count());
        else
            text::append_iso8601(text, *old + 1ms);
        sqlite3_result_text(context, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    } catch (...) {
        sqlite3_result_error_nomem(context);
    }
}

/// Prepares a connection. Throws std::bad_alloc.
void register_functions(sqlite3* database) {
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_FKEY, 1, nullptr);
    struct Function {
        const char* name;
        int arguments;
        void (*body)(sqlite3_context*, int, sqlite3_value**) noexcept;
    };
    // SQLite folds and sorts only ASCII.
    constexpr Function functions[] = {{"useradmin_fold", 1, mapped<text::fold>},
                                      {"useradmin_sort_key", 1, mapped<text::sort_key>},
                                      {"useradmin_version", -1, version},
                                      {"useradmin_later", 2, later}};
    for (const auto& [name, arguments, body] : functions)
        if (sqlite3_create_function_v2(database, name, arguments,
                                       SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr, body, nullptr,
                                       nullptr, nullptr) != SQLITE_OK)
            throw std::bad_alloc(); // the only possible error
}

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

/// The cells of a result in a request's pool. Wipes secret ones with it.
class CellStorage {
  public:
    explicit CellStorage(bool are_secret) noexcept : are_secret_(are_secret) {}
    ~CellStorage() {
        if (!are_secret_)
            return;
        for (const Cell& cell : cells)
            if (const auto* text = std::get_if<std::string_view>(&cell))
                explicit_bzero(const_cast<char*>(text->data()), text->size());
    }
    CellStorage(const CellStorage&) = delete;
    CellStorage& operator=(const CellStorage&) = delete;

    std::vector<Cell> cells;

  private:
    bool are_secret_;
};

class SqliteClient final : public Client {
  public:
    explicit SqliteClient(sqlite3* database) noexcept : database_(database) {}

    void set_deadline(Deadline deadline) noexcept override { deadline_ = deadline; }

    std::variant<Rows, ErrorKind> run(const Statement& statement, apr_pool_t* pool) override {
        auto prepared = prepared_.find(statement.sql());
        if (prepared == prepared_.end()) {
            Prepared made = prepare(statement.sql().c_str());
            if (made == nullptr)
                return error_kind();
            if (prepared_.size() >= max_prepared_statements)
                return run(made.get(), statement.arguments(), statement.returns_secrets(), pool);
            prepared = prepared_.emplace(statement.sql(), std::move(made)).first;
        }
        return run(prepared->second.get(), statement.arguments(), statement.returns_secrets(),
                   pool);
    }

    std::variant<Rows, ErrorKind> execute(const char* sql, apr_pool_t* pool) override {
        const Prepared prepared = prepare(sql);
        if (prepared == nullptr)
            return error_kind();
        return run(prepared.get(), {}, false, pool);
    }

    const std::string& error_message() const noexcept override { return error_; }
    bool has_no_pending_input() const noexcept override { return true; }
    bool ping() override { return true; }
    bool is_connected() const noexcept override { return true; }
    bool is_in_transaction() const noexcept override {
        return sqlite3_get_autocommit(database_) == 0;
    }
    /// A file opened read-only stays so on its connection: opens it again.
    bool reconnect() override {
        if (Handle made = reopen(); made != nullptr) {
            prepared_.clear();
            roll_back_.reset();
            roll_back_inner_.reset();
            own_ = std::move(made);
            database_ = own_.get();
        }
        return true;
    }
    void discard_prepared() override { prepared_.clear(); }

    /// Returns whether the column compares bytewise. Unknown for views.
    bool is_collated_exactly(std::string_view table, const std::string& column) const {
        const std::size_t dot = table.find('.');
        const std::string schema(dot == table.npos ? "" : table.substr(0, dot));
        const std::string own(table.substr(dot == table.npos ? 0 : dot + 1));
        const char* collation = nullptr;
        return sqlite3_table_column_metadata(
                   database_, dot == table.npos ? nullptr : schema.c_str(), own.c_str(),
                   column.c_str(), nullptr, &collation, nullptr, nullptr, nullptr) == SQLITE_OK &&
               sqlite3_stricmp(collation, "BINARY") == 0;
    }

    /// Returns the deadline for waiting for readers.
    Deadline deadline() const noexcept {
        constexpr std::chrono::seconds of_tools(5);
        return deadline_ != no_deadline ? deadline_ : Clock::now() + of_tools;
    }

    /// Returns whether the last failure was one to read or write the file.
    bool has_io_error() const noexcept { return code_ == SQLITE_IOERR; }

    /// Prepares the rollback statement before a transaction or savepoint begins, so that it needs
    /// no memory later. Throws std::bad_alloc.
    void prepare_rollback(bool is_inner) {
        Prepared& end = is_inner ? roll_back_inner_ : roll_back_;
        if (end == nullptr)
            end = prepare(is_inner ? "ROLLBACK TO useradmin_inner" : "ROLLBACK");
        if (end == nullptr)
            throw std::bad_alloc();
    }
    /// Rolls back the transaction or savepoint.
    void roll_back(bool is_inner) noexcept {
        sqlite3_stmt* const end = (is_inner ? roll_back_inner_ : roll_back_).get();
        sqlite3_step(end);
        sqlite3_reset(end);
    }

  private:
    /// Opens a read-only file again for writing. Returns nullptr if DBDParams forbids it or that
    /// changes nothing.
    Handle reopen() {
        const char* const file = sqlite3_db_filename(database_, nullptr);
        if (apr::view_of(file).empty() || sqlite3_uri_boolean(file, "immutable", 0) != 0 ||
            apr::view_of(sqlite3_uri_parameter(file, "mode")) == "ro" ||
            sqlite3_db_readonly(database_, nullptr) == 0)
            return nullptr;
        sqlite3* opened = nullptr;
        const int code = sqlite3_open_v2(file, &opened, SQLITE_OPEN_READWRITE, nullptr);
        Handle made(opened);
        if (code != SQLITE_OK || sqlite3_db_readonly(opened, nullptr) != 0)
            return nullptr;
        register_functions(opened);
        return made;
    }

    /// Statements of sqlite3_prepare_v3 are prepared again automatically after a schema change.
    Prepared prepare(const char* sql) {
        sqlite3_stmt* statement = nullptr;
        sqlite3_prepare_v3(database_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
        return Prepared(statement);
    }

    std::variant<Rows, ErrorKind> run(sqlite3_stmt* statement,
                                      std::span<const char* const> arguments, bool gives_secrets,
                                      apr_pool_t* pool) {
        Execution execution(statement);
        const DeadlineInterrupt watch(database_, deadline_);
        std::vector<Cell>& cells = apr::emplace<CellStorage>(pool, gives_secrets).cells;
        if (!execution.bind(arguments) || execution.step_through(cells, pool) != SQLITE_DONE)
            return error_kind();
        return Rows(cells, execution.width(), sqlite3_changes(database_));
    }

    ErrorKind error_kind() {
        error_ = sqlite3_errmsg(database_);
        code_ = SQLITE_OK;
        switch (sqlite3_extended_errcode(database_)) {
        case SQLITE_CONSTRAINT_UNIQUE:
        case SQLITE_CONSTRAINT_PRIMARYKEY:
            return ErrorKind::unique_violation;
        default:
            break;
        }
        code_ = sqlite3_errcode(database_);
        switch (code_) {
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return ErrorKind::busy;
        case SQLITE_INTERRUPT:
            return ErrorKind::timed_out;
        case SQLITE_READONLY:
            return ErrorKind::read_only;
        case SQLITE_ERROR: // such as an unknown table or column
        case SQLITE_SCHEMA:
            return ErrorKind::stale_schema;
        default:
            return ErrorKind::rejected;
        }
    }

    /// The handle of apr_dbd, or own_.
    sqlite3* database_;
    Handle own_;
    Deadline deadline_ = no_deadline;
    std::unordered_map<std::string, Prepared> prepared_;
    Prepared roll_back_;
    Prepared roll_back_inner_;
    int code_ = SQLITE_OK;
    std::string error_;
};

/// A row a column: the table's letter, the column's place, name, type, whether it demands a value;
/// and a row with the number of the schema.
std::string catalog_query(const TableNames& names) {
    const auto table = [](const char* letter, std::string_view name) {
        const std::size_t dot = name.find('.');
        const std::string of =
            dot == name.npos ? literal(name)
                             : literal(name.substr(dot + 1)) + ", " + literal(name.substr(0, dot));
        return "SELECT '" + std::string(letter) +
               "' AS letter, cid, name, lower(type), \"notnull\" = 1 AND dflt_value IS NULL FROM "
               "pragma_table_info(" +
               of + ")";
    };
    return table("u", names.user) + " UNION ALL " + table("s", names.session) + " UNION ALL " +
           table("a", names.account) + " ORDER BY 1, 2";
}

/// As SQLite derives a column's affinity from its declared type.
Column::Kind kind_of(std::string_view type) noexcept {
    if (type.find("int") != type.npos)
        return Column::Kind::integer;
    if (type.starts_with("bool"))
        return Column::Kind::boolean;
    for (const std::string_view text : {"char", "clob", "text", "string", "uuid"})
        if (type.find(text) != type.npos)
            return Column::Kind::text;
    return type.empty() ? Column::Kind::text : Column::Kind::other;
}

/// Returns whether the type has numeric affinity, which converts texts to numbers.
bool makes_numbers(std::string_view type) noexcept {
    return !type.empty() && type.find("char") == type.npos && type.find("clob") == type.npos &&
           type.find("text") == type.npos && type.find("blob") == type.npos;
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

/// Returns the column as a JSON value of its type. SQLite has neither booleans nor JSON types.
std::string json_of(const Column& column) {
    const std::string sql = column.sql();
    if (column.kind == Column::Kind::boolean)
        return "json(iif(" + sql + " IS NULL, 'null', iif(" + sql + ", 'true', 'false')))";
    // JSON has no infinity. JSON.stringify writes null; some versions of SQLite write an invalid
    // word.
    std::string value = "CASE typeof(" + sql + ") WHEN 'blob' THEN hex(" + sql +
                        ") WHEN 'real' THEN iif(" + sql + " IN (9e999, -9e999), NULL, " + sql +
                        ") ELSE " + sql + " END";
    if (column.type.starts_with("json"))
        return "iif(typeof(" + sql + ") = 'text' AND json_valid(" + sql + "), json(" + sql + "), " +
               value + ")";
    return value;
}

/// Returns the further columns in parts: json_object may be limited to 127 arguments.
std::vector<std::string> other_columns(const Schema& schema) {
    constexpr std::size_t columns_in_object = 60;
    std::vector<std::string> objects;
    std::string members;
    std::size_t count = 0;
    for (const Column* column : schema.extra_user_columns()) {
        members += (members.empty() ? "" : ", ") + literal(column->name) + ", " + json_of(*column);
        if (++count % columns_in_object == 0)
            objects.push_back("json_object(" + std::exchange(members, {}) + ")");
    }
    if (!members.empty() || objects.empty())
        objects.push_back("json_object(" + members + ")");
    return objects;
}

/// Returns the version of a row: a digest of all columns, in parts, since functions are limited to
/// 127 arguments.
std::string version_of(const Table& table) {
    constexpr std::size_t columns_at_once = 100;
    std::string sql;
    for (std::size_t index = 0; index < table.columns.size(); ++index) {
        if (index % columns_at_once == 0)
            sql += index == 0 ? "useradmin_version(" : ") || '.' || useradmin_version(";
        else
            sql += ", ";
        sql += table.columns[index].sql();
    }
    return sql + ")";
}

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
        auto& own = static_cast<SqliteClient&>(client); // of create_client
        auto answer = client.execute(catalog_query(names).c_str(), pool);
        if (const auto* error_kind = std::get_if<ErrorKind>(&answer))
            return *error_kind;
        Rows rows = std::get<Rows>(answer);
        Schema read;
        read.fingerprint = fingerprint_of(names, rows);
        read.set_table_names(names);
        while (rows.next()) {
            const char letter = rows.take().value_or("u").front();
            Table& table = read.table(letter);
            static_cast<void>(rows.take()); // the column's position
            Column column;
            column.name = rows.take().value_or("");
            column.type = rows.take().value_or("");
            column.kind = kind_of(column.type);
            column.requires_value = rows.take_boolean();
            column.has_loose_equality =
                // For integers, only the canonical text matches.
                (column.kind != Column::Kind::integer && makes_numbers(column.type)) ||
                !own.is_collated_exactly(letter == 'u'   ? names.user
                                         : letter == 's' ? names.session
                                                         : names.account,
                                         column.name);
            read.fingerprint += column.has_loose_equality ? '~' : '=';
            table.columns.push_back(std::move(column));
        }
        if (read.fingerprint == schema.fingerprint)
            return CatalogChange::none;
        read.resolve_fields();
        read.user.version = version_of(read.user);
        for (Column& column : read.user.columns)
            if (column.field == "updatedAt") {
                column.write_before = "useradmin_later(" + column.sql() + ", ";
                column.write_after = ")";
            } else if (column.field == "role") {
                // Lists compare within a function, as the index does, and therefore exactly.
                column.has_loose_equality = false;
            }
        read.extra_columns = other_columns(read);
        schema = std::move(read);
        return CatalogChange::changed;
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
