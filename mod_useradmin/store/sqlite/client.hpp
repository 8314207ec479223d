#pragma once

#include "store/client.hpp"

#include <sqlite3.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

namespace useradmin::store {

struct CloseSqlite {
    void operator()(sqlite3* database) const noexcept { sqlite3_close_v2(database); }
};
using SqliteHandle = std::unique_ptr<sqlite3, CloseSqlite>;

struct FinalizeSqlite {
    void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
};
using SqliteStatement = std::unique_ptr<sqlite3_stmt, FinalizeSqlite>;

/// The client for SQLite. The functions of functions.hpp must be registered on the connection.
class SqliteClient final : public Client {
  public:
    /// init_statements: see Connection. They must outlive the client.
    SqliteClient(sqlite3* database, std::span<const std::string> init_statements) noexcept
        : database_(database), init_statements_(init_statements) {}

    void set_deadline(Deadline deadline) noexcept override { deadline_ = deadline; }

    std::optional<Rows> run(const Statement& statement, apr_pool_t* pool) override;

    std::optional<Rows> execute(const char* sql, apr_pool_t* pool) override;

    bool has_no_pending_input() const noexcept override { return true; }
    bool ping() override { return true; }
    bool is_connected() const noexcept override { return true; }
    bool is_in_transaction() const noexcept override {
        return sqlite3_get_autocommit(database_) == 0;
    }
    /// Reopens a file that was opened read-only. Otherwise, the connection would stay read-only
    /// even if the file has become writable. Always returns true, because an SQLite connection is
    /// always up.
    bool reconnect() override;
    bool set_lock_timeout(std::chrono::milliseconds timeout, apr_pool_t* pool) override {
        return execute(("PRAGMA busy_timeout = " + std::to_string(timeout.count())).c_str(), pool)
            .has_value();
    }
    void discard_prepared() override { prepared_.clear(); }

    /// Returns whether the column compares bytewise. Returns false for views.
    bool is_collated_exactly(std::string_view table, const std::string& column) const;

    /// Returns the deadline for waiting for readers: the one from set_deadline() or, if there is
    /// none, five seconds from now.
    Deadline deadline() const noexcept {
        constexpr std::chrono::seconds default_timeout(5);
        return deadline_ != no_deadline ? deadline_ : Clock::now() + default_timeout;
    }

    /// Returns whether the last failure was an I/O error.
    bool has_io_error() const noexcept { return has_io_error_; }

    /// Prepares the rollback statement before a transaction begins. The rollback itself then needs
    /// no memory. Throws std::bad_alloc.
    void prepare_rollback();
    /// Rolls back the transaction. Requires prepare_rollback().
    void roll_back() noexcept;

  private:
    /// Reopens a read-only file for writing and initializes the connection. Returns nullptr if the
    /// connection is writable or has no file, if DBDParams forbids writing, if the file is still
    /// read-only, or if an init statement fails.
    SqliteHandle reopen();

    /// Prepares a statement. Returns nullptr on failure. After a schema change, SQLite prepares the
    /// statement again automatically.
    SqliteStatement prepare(const char* sql);

    std::optional<Rows> run(sqlite3_stmt* statement, std::span<const char* const> arguments,
                            apr_pool_t* pool);

    /// Records the database's error. Returns std::nullopt.
    std::nullopt_t failed();

    /// The handle of apr_dbd, or own_.
    sqlite3* database_;
    SqliteHandle own_;
    std::span<const std::string> init_statements_;
    Deadline deadline_ = no_deadline;
    std::unordered_map<std::string, SqliteStatement> prepared_;
    SqliteStatement roll_back_;
    bool has_io_error_ = false;
};

} // namespace useradmin::store
