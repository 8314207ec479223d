// useradminctl's connection, with mod_dbd's drivers.
#pragma once

#include "ctl/command_error.hpp"
#include "ctl/config/settings.hpp"
#include "store/connection.hpp"
#include "store/database_store.hpp"
#include "store/dialect.hpp"
#include "store/foreign_keys.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::ctl {

/// A connection and its store.
class Database final : public store::ConnectionSource, public text::Logger {
  public:
    /// What to do if an SQLite file does not exist.
    enum class IfAbsent { fail, create };

    /// Connects with the settings, which must outlive this object. Throws CommandError.
    Database(const CommandSettings& settings, IfAbsent absent);
    ~Database() override;
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    store::DatabaseStore& store() noexcept { return *store_; }
    void set_change_listener(store::ChangeListener* listener) noexcept {
        store_->set_change_listener(listener);
    }
    const store::TableNames& tables() const noexcept { return tables_; }
    const store::Dialect& dialect() const noexcept { return *dialect_; }
    store::Client& client() noexcept { return *client_; }
    /// The database file; empty if the database is not a file.
    const std::string& file() const noexcept { return file_; }
    /// The created file; empty if it existed or the database is not a file.
    const std::string& new_file() const noexcept { return new_file_; }
    apr_pool_t* pool() const noexcept { return pool_; }

    /// Returns the schema, with the plugins' tables if names.has_plugins is set. Throws
    /// CommandError.
    store::Schema schema() { return schema(tables_); }
    store::Schema schema(const store::TableNames& names);
    /// Returns why a superuser must not access the tables: objects that an ordinary role has
    /// attached to one of them would run with superuser privileges. Returns nothing if there is no
    /// such role.
    std::optional<std::string> superuser_risk(const store::Schema& schema);
    /// Throws CommandError if there is a superuser risk.
    void refuse_superuser_risk(const store::Schema& schema);
    /// Returns the foreign keys that prevent the deletion of a user. Throws CommandError.
    std::vector<store::ForeignKey> rejecting_keys(const store::Schema& schema, bool cleans_up);
    /// Runs a statement. Throws CommandError.
    void execute(const std::string& sql);
    /// The columns of a row; NULL is an empty optional.
    using Row = std::vector<std::optional<std::string>>;
    /// Returns the rows of a query. Throws CommandError.
    std::vector<Row> rows(const std::string& sql);

    const store::Connection* acquire(store::Deadline) override { return &connection_; }
    void release(const store::Connection&) noexcept override {}
    void write(text::Level level, std::string_view message) noexcept override;

  private:
    /// Adds the owner and mode of the database file to an error about opening or writing it.
    std::string explain(std::string error) const;
    /// Throws CommandError, or LockTimeout, with the client's error message.
    [[noreturn]] void fail(store::ErrorKind error_kind) const;

    apr_pool_t* pool_ = nullptr;
    store::TableNames tables_;
    store::Connection connection_;
    const store::Dialect* dialect_ = nullptr;
    std::string file_;
    std::string new_file_;
    std::unique_ptr<store::Client> client_;
    std::unique_ptr<store::DatabaseStore> store_;
};

/// Returns the number in a cell; 0 if it is NULL or not a number.
std::int64_t number_of(const std::optional<std::string>& cell) noexcept;

/// Returns the value of a result, or throws CommandError with the sentence. The store has already
/// printed the cause.
template <class T>
T value_of(store::Result<T> result,
           const char* sentence = "nothing was done; run 'useradminctl check'") {
    if (!result)
        throw CommandError(Exit::failure, sentence);
    return std::move(*result);
}

} // namespace useradmin::ctl
