// useradminctl's own connection, by the same drivers as mod_dbd's.
#pragma once

#include "ctl/command_error.hpp"
#include "ctl/options.hpp"
#include "store/connection.hpp"
#include "store/database_store.hpp"
#include "store/dialect.hpp"

#include <memory>
#include <string>

namespace useradmin::ctl {

/// One connection, open until this goes, and the store on it.
class Database final : public store::ConnectionSource, public store::Log {
  public:
    /// Connects as --driver and --params or the httpd configuration file of --config say; a
    /// CommandError where that fails.
    explicit Database(const Options& options);
    ~Database() override;
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    store::Store& store() noexcept { return *store_; }
    const store::Connection& connection() const noexcept { return connection_; }
    const store::Dialect& dialect() const noexcept { return *dialect_; }
    const store::TableNames& tables() const noexcept { return tables_; }
    apr_pool_t* pool() const noexcept { return pool_; }

    /// What the database says of a table; a CommandError where it does not answer.
    store::Schema schema();
    /// Runs a statement that has no rows; a CommandError where it fails.
    void execute(const std::string& sql);

    const store::Connection* acquire() override { return &connection_; }
    void release(const store::Connection&) noexcept override {}
    void error(std::string_view message) noexcept override;

  private:
    std::string last_error() const;

    apr_pool_t* pool_ = nullptr;
    store::TableNames tables_;
    store::Connection connection_;
    const store::Dialect* dialect_ = nullptr;
    std::unique_ptr<store::DatabaseStore> store_;
};

/// The value of a result; a CommandError where there is none. The log has said why already.
template <class T>
T value_of(store::Result<T> result) {
    if (!result)
        throw CommandError(Exit::failure, "nothing was done");
    return std::move(*result);
}

} // namespace useradmin::ctl
