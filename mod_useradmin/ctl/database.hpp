// useradminctl's own connection, by the same drivers as mod_dbd's.
#pragma once

#include "ctl/command_error.hpp"
#include "ctl/config/settings.hpp"
#include "store/connection.hpp"
#include "store/database_store.hpp"
#include "store/dialect.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::ctl {

/// One connection, open until this goes, and the store on it.
class Database final : public store::ConnectionSource, public text::Logger {
  public:
    /// What to do about an SQLite file that is not there.
    enum class IfAbsent { fail, create };

    /// Connects as the settings say, which outlive this; a CommandError where that fails.
    Database(const CommandSettings& settings, IfAbsent absent);
    ~Database() override;
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    store::Store& store() noexcept { return *store_; }
    void set_change_listener(store::ChangeListener* listener) noexcept {
        store_->set_change_listener(listener);
    }
    const store::TableNames& tables() const noexcept { return tables_; }
    const store::Dialect& dialect() const noexcept { return *dialect_; }
    store::Client& client() noexcept { return *client_; }
    /// The file that was made; empty where it was there, or the database is none.
    const std::string& new_file() const noexcept { return new_file_; }
    apr_pool_t* pool() const noexcept { return pool_; }

    /// What the database says of its tables; a CommandError where it does not answer.
    store::Schema schema();
    /// Returns why a superuser must not touch the tables: what a role that is none has attached to
    /// one of them would run with a superuser's rights. Nothing if there is no such role.
    std::optional<std::string> superuser_risk(const store::Schema& schema);
    /// Fails if there is one.
    void refuse_superuser_risk(const store::Schema& schema);
    /// Runs a statement; a CommandError where it fails, a LockTimeout where it waited too long.
    void execute(const std::string& sql);
    /// The rows of a query, NULL being nothing; a CommandError where it fails.
    using Row = std::vector<std::optional<std::string>>;
    std::vector<Row> rows(const std::string& sql);

    const store::Connection* acquire(store::Deadline) override { return &connection_; }
    void release(const store::Connection&) noexcept override {}
    void write(text::Level level, std::string_view message) noexcept override;

  private:
    apr_pool_t* pool_ = nullptr;
    store::TableNames tables_;
    store::Connection connection_;
    const store::Dialect* dialect_ = nullptr;
    std::string new_file_;
    std::unique_ptr<store::Client> client_;
    std::unique_ptr<store::DatabaseStore> store_;
};

/// The value of a result; a CommandError with the sentence where the database failed, of which the
/// log has said why already.
template <class T>
T value_of(store::Result<T> result,
           const char* sentence = "nothing was done; 'useradminctl check' looks at the database") {
    if (!result)
        throw CommandError(Exit::failure, sentence);
    return std::move(*result);
}

} // namespace useradmin::ctl
