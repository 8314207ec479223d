// A real database of either kind with the project's schema in it.
#pragma once

#include "support/database.hpp"
#include "support/files.hpp"
#include "support/postgresql.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace useradmin::test {

enum class Kind { postgresql, sqlite };

/// The kind of this name; fails for another.
Kind kind_of(std::string_view name);

/// A server or a file of its own in the work folder, with sql/<kind>/schema.sql applied.
class TestDatabase {
  public:
    /// The settings are PostgreSQL's.
    TestDatabase(const WorkFolder& work, Kind kind, std::string_view name,
                 PostgreSql::Settings settings = {});

    Kind kind() const noexcept { return kind_; }
    std::string driver() const { return kind_ == Kind::postgresql ? "pgsql" : "sqlite3"; }
    std::string params() const;

    /// The tests' own connection to it.
    Database& sql();

    /// The server, of PostgreSQL alone. Whoever ends it forgets the tests' own connection.
    PostgreSql& server() noexcept { return *server_; }
    void forget_connection() noexcept { sql_.reset(); }
    /// SQLite's file.
    std::filesystem::path file() const { return folder_ / "useradmin.db"; }

    /// Makes the database unreachable: PostgreSQL is stopped, SQLite's folder is renamed.
    void make_unavailable();
    void make_available();

    /// Has PostgreSQL neither answer nor refuse, until thaw().
    void freeze() { server_->freeze(); }
    void thaw() { server_->thaw(); }

    /// Has PostgreSQL lose one of the processes that work for clients, if there is one.
    bool kill_backend() {
        sql_.reset(); // it breaks with all others
        return server_->kill_backend();
    }

    /// Empties all tables.
    void clear();

  private:
    Kind kind_;
    std::filesystem::path folder_;
    std::unique_ptr<PostgreSql> server_;
    std::unique_ptr<Database> sql_;
};

} // namespace useradmin::test
