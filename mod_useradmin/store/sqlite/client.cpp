#include "store/sqlite/client.hpp"

#include "apr/pool.hpp"
#include "store/sqlite/functions.hpp"

#include <chrono>
#include <new>
#include <utility>

namespace useradmin::store {

namespace {

// SQLITE_CONSTRAINT_DATATYPE, which SQLite defines since 3.37: a strict table rejects a value's
// type.
constexpr int constraint_datatype = SQLITE_CONSTRAINT | (12 << 8);

/// Removes the progress handler and resets the statement when the scope ends.
struct StatementReset {
    sqlite3* database;
    sqlite3_stmt* statement;

    ~StatementReset() {
        sqlite3_progress_handler(database, 0, nullptr, nullptr);
        sqlite3_reset(statement);
        sqlite3_clear_bindings(statement);
    }
};

/// Interrupts a statement at its deadline. SQLite calls this about every millisecond.
int is_late(void* deadline) noexcept {
    return Clock::now() >= *static_cast<const Deadline*>(deadline) ? 1 : 0;
}

/// Copies the value of a column into the pool. Throws std::bad_alloc.
Cell cell_at(sqlite3_stmt* statement, int column, apr_pool_t* pool) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
    if (text != nullptr)
        return apr::copy_view(
            pool, {text, static_cast<std::size_t>(sqlite3_column_bytes(statement, column))});
    // NULL, or out of memory during conversion.
    if (sqlite3_errcode(sqlite3_db_handle(statement)) == SQLITE_NOMEM)
        throw std::bad_alloc();
    return {};
}

constexpr int primary_code(int extended_code) noexcept {
    return extended_code & 0xff;
}

/// Maps an extended result code to an error kind.
ErrorKind kind_of_code(int code, std::string_view message) noexcept {
    static constexpr std::pair<int, ErrorKind> kinds[] = {
        {SQLITE_CONSTRAINT_UNIQUE, ErrorKind::unique_violation},
        {SQLITE_CONSTRAINT_PRIMARYKEY, ErrorKind::unique_violation},
        {SQLITE_CONSTRAINT_CHECK, ErrorKind::invalid_value},
        {SQLITE_CONSTRAINT_NOTNULL, ErrorKind::invalid_value},
        {constraint_datatype, ErrorKind::invalid_value},
        {SQLITE_CONSTRAINT_FOREIGNKEY, ErrorKind::foreign_key_violation},
        {SQLITE_BUSY, ErrorKind::busy},
        {SQLITE_LOCKED, ErrorKind::busy},
        {SQLITE_INTERRUPT, ErrorKind::timed_out},
        {SQLITE_READONLY, ErrorKind::read_only},
        {SQLITE_ERROR, ErrorKind::stale_schema}, // such as an unknown table or column
        {SQLITE_SCHEMA, ErrorKind::stale_schema},
    };
    // SQLite reports a violation of ON DELETE RESTRICT with this code.
    if (code == SQLITE_CONSTRAINT_TRIGGER && message == "FOREIGN KEY constraint failed")
        return ErrorKind::foreign_key_violation;
    if (primary_code(code) == SQLITE_ERROR && message.find("generated column") != message.npos)
        return ErrorKind::invalid_value;
    for (const auto& [known, kind] : kinds)
        if (known == code || known == primary_code(code))
            return kind;
    return ErrorKind::rejected;
}

} // namespace

std::optional<Rows> SqliteClient::run(const Statement& statement, apr_pool_t* pool) {
    auto prepared = prepared_.find(statement.sql());
    if (prepared == prepared_.end()) {
        SqliteStatement made = prepare(statement.sql().c_str());
        if (made == nullptr)
            return failed();
        if (prepared_.size() >= max_prepared_statements)
            return run(made.get(), statement.arguments(), pool);
        prepared = prepared_.emplace(statement.sql(), std::move(made)).first;
    }
    return run(prepared->second.get(), statement.arguments(), pool);
}

std::optional<Rows> SqliteClient::execute(const char* sql, apr_pool_t* pool) {
    const SqliteStatement prepared = prepare(sql);
    if (prepared == nullptr)
        return failed();
    return run(prepared.get(), {}, pool);
}

bool SqliteClient::reconnect() {
    if (SqliteHandle made = reopen(); made != nullptr) {
        prepared_.clear();
        roll_back_.reset();
        own_ = std::move(made);
        database_ = own_.get();
    }
    return true;
}

bool SqliteClient::is_collated_exactly(std::string_view table, const std::string& column) const {
    const std::size_t dot = table.find('.');
    const std::string schema(dot == table.npos ? "" : table.substr(0, dot));
    const std::string own(table.substr(dot == table.npos ? 0 : dot + 1));
    const char* collation = nullptr;
    return sqlite3_table_column_metadata(database_, dot == table.npos ? nullptr : schema.c_str(),
                                         own.c_str(), column.c_str(), nullptr, &collation, nullptr,
                                         nullptr, nullptr) == SQLITE_OK &&
           sqlite3_stricmp(collation, "BINARY") == 0;
}

void SqliteClient::prepare_rollback() {
    if (roll_back_ == nullptr)
        roll_back_ = prepare("ROLLBACK");
    if (roll_back_ == nullptr)
        throw std::bad_alloc();
}

void SqliteClient::roll_back() noexcept {
    sqlite3_step(roll_back_.get());
    sqlite3_reset(roll_back_.get());
}

SqliteHandle SqliteClient::reopen() {
    const char* const file = sqlite3_db_filename(database_, nullptr);
    if (apr::view_of(file).empty() || sqlite3_uri_boolean(file, "immutable", 0) != 0 ||
        apr::view_of(sqlite3_uri_parameter(file, "mode")) == "ro" ||
        sqlite3_db_readonly(database_, nullptr) == 0)
        return nullptr;
    sqlite3* opened = nullptr;
    const int code = sqlite3_open_v2(file, &opened, SQLITE_OPEN_READWRITE, nullptr);
    SqliteHandle made(opened);
    if (code != SQLITE_OK || sqlite3_db_readonly(opened, nullptr) != 0)
        return nullptr;
    register_functions(opened);
    for (const std::string& statement : init_statements_)
        if (sqlite3_exec(opened, statement.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
            return nullptr;
    return made;
}

SqliteStatement SqliteClient::prepare(const char* sql) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v3(database_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    return SqliteStatement(statement);
}

std::optional<Rows> SqliteClient::run(sqlite3_stmt* statement,
                                      std::span<const char* const> arguments, apr_pool_t* pool) {
    constexpr int steps = 50000; // virtual machine instructions, about a millisecond
    const StatementReset end{database_, statement};
    if (deadline_ != no_deadline)
        sqlite3_progress_handler(database_, steps, is_late, &deadline_);
    int index = 0;
    for (const char* const argument : arguments)
        if (sqlite3_bind_text(statement, ++index, argument, -1, SQLITE_STATIC) != SQLITE_OK)
            return failed();
    std::vector<Cell>& cells = apr::emplace<std::vector<Cell>>(pool);
    int code = sqlite3_step(statement);
    for (; code == SQLITE_ROW; code = sqlite3_step(statement))
        for (int column = 0; column < sqlite3_column_count(statement); ++column)
            cells.push_back(cell_at(statement, column, pool));
    if (code != SQLITE_DONE)
        return failed();
    return Rows(cells, static_cast<std::size_t>(sqlite3_column_count(statement)),
                sqlite3_changes(database_));
}

std::nullopt_t SqliteClient::failed() {
    error_message_ = sqlite3_errmsg(database_);
    const int code = sqlite3_extended_errcode(database_);
    error_kind_ = kind_of_code(code, error_message_);
    has_io_error_ = primary_code(code) == SQLITE_IOERR;
    return std::nullopt;
}

} // namespace useradmin::store
