// useradminctl's database connection, through the APR drivers that mod_dbd uses.
#pragma once

#include "ctl/command_error.hpp"
#include "ctl/config/settings.hpp"
#include "ctl/display.hpp"
#include "store/connection.hpp"
#include "store/database_store.hpp"
#include "store/dialect.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::ctl {

/// Owns a database connection and the store that uses it.
class Database final : public store::ConnectionSource {
  public:
    /// What to do if an SQLite file does not exist.
    enum class IfAbsent { fail, create };

    /// Connects with the settings. The settings and the logger must outlive this object. Throws
    /// CommandError on failure.
    Database(const CommandSettings& settings, IfAbsent absent, text::Logger& log);
    ~Database() override;

    store::DatabaseStore& store() noexcept { return *store_; }
    const store::TableNames& tables() const noexcept { return tables_; }
    const store::Dialect& dialect() const noexcept { return *dialect_; }
    store::Client& client() noexcept { return *client_; }
    /// Returns the database file, or an empty string if the database is not a file.
    const std::string& file() const noexcept { return file_; }
    /// Returns the database file if it did not exist before the connection, or an empty string.
    const std::string& created_file() const noexcept { return created_file_.name; }
    apr_pool_t* pool() const noexcept { return pool_; }

    /// Returns the schema, with the plugins' tables if names.has_plugins is set. Throws
    /// CommandError on failure.
    store::Schema schema() { return schema(tables_); }
    store::Schema schema(const store::TableNames& names);
    /// Returns why a superuser must not access the tables, or std::nullopt if there is no risk.
    /// Objects that an ordinary role can attach to a table, such as triggers, would run with
    /// superuser privileges.
    std::optional<std::string> superuser_risk(const store::Schema& schema);
    /// Throws CommandError if there is a superuser risk.
    void reject_superuser_risk(const store::Schema& schema);
    /// Runs a statement. Throws CommandError on failure.
    void execute(const std::string& sql);
    enum class Until { commit, disconnect };
    /// Sets a parameter of PostgreSQL until the transaction or the session ends. Does nothing if
    /// the server's version lacks the parameter. Throws CommandError on failure.
    void set_if_known(std::string_view parameter, std::string_view value, Until until);
    /// Removes PostgreSQL's timeouts until the transaction ends. DBDParams may set them for httpd,
    /// but reading a whole table takes longer. Throws CommandError on failure.
    void disable_timeouts();
    /// Limits how long statements wait for locks. Throws CommandError on failure.
    void set_lock_timeout();
    /// Throws the client's last error: LockTimeout for ErrorKind::busy, otherwise CommandError.
    [[noreturn]] void fail() const;
    /// The columns of a row. std::nullopt is NULL.
    using Row = std::vector<std::optional<std::string>>;
    /// Returns the rows of a query. Throws CommandError on failure.
    std::vector<Row> rows(const std::string& sql);

    const store::Connection* acquire(store::Deadline) override { return &connection_; }
    void release(const store::Connection&) noexcept override {}

  private:
    /// Runs a statement of DBDInitSQL as mod_dbd does. Throws CommandError on failure.
    void run_init_statement(const std::string& statement);
    /// Adds the owner and mode of the database file to an error about opening or writing it.
    std::string explain(std::string error) const;

    apr_pool_t* pool_ = nullptr;
    store::TableNames tables_;
    store::Connection connection_;
    const store::Dialect* dialect_ = nullptr;
    std::string file_;
    /// A file that did not exist before the connection. The destructor removes it if it is still
    /// empty.
    struct CreatedFile {
        std::string name;
        ~CreatedFile();
    } created_file_;
    std::unique_ptr<store::Client> client_;
    std::unique_ptr<store::DatabaseStore> store_;
};

/// Returns the number in a cell, or 0 if the cell is NULL or not a number.
std::int64_t to_integer(const std::optional<std::string>& cell) noexcept;

/// Returns the value of a result. If there is none, throws PrintedError, because the store has
/// already printed the cause.
template <class T>
T value_of(store::Result<T> result) {
    if (!result)
        throw PrintedError();
    return std::move(*result);
}

} // namespace useradmin::ctl
