#pragma once

#include "support/database.hpp"
#include "support/files.hpp"
#include "support/postgresql.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace useradmin::test {

enum class Kind { postgresql, sqlite };

/// Returns the kind with this name. Fails the test if the name is unknown.
Kind kind_of(std::string_view name);

/// Creates a PostgreSQL server or SQLite file in the work directory, with the tables of
/// sql/<kind>/schema.sql.
class TestDatabase {
  public:
    /// settings: used only for PostgreSQL.
    TestDatabase(const WorkFolder& work, Kind kind, std::string_view name,
                 PostgreSql::Settings settings = {});

    Kind kind() const noexcept { return kind_; }
    std::string driver() const { return kind_ == Kind::postgresql ? "pgsql" : "sqlite3"; }
    std::string params() const;

    /// Returns the test's connection to the database. Opens it if necessary.
    Database& sql();

    /// Returns the server of a PostgreSQL database. Call close_connection() before you stop it.
    PostgreSql& server() noexcept { return *server_; }
    void close_connection() noexcept { sql_.reset(); }
    /// Returns the path of the SQLite file.
    std::filesystem::path file() const { return folder_ / "useradmin.db"; }

    /// Makes the database unreachable by stopping PostgreSQL or renaming SQLite's directory.
    void make_unavailable();
    void make_available();

    /// Makes the database reject writes, or accept them again. sql() can still write, as can
    /// processes that already have the SQLite file open.
    void set_read_only(bool is_read_only);

    /// Makes PostgreSQL unresponsive until thaw().
    void freeze() { server_->freeze(); }
    void thaw() { server_->thaw(); }

    /// Kills one of PostgreSQL's backends. Returns false if there is none.
    bool kill_backend() {
        sql_.reset(); // the server terminates all connections
        return server_->kill_backend();
    }

    /// Deletes all rows.
    void clear();

    /// Changes the schema until undo(). undo() reverses all changes, the last one first.
    void change(const std::string& statements, const std::string& reverse);
    void undo();

    /// Creates the tables of better-auth's plugins twoFactor, passkey and apiKey until undo().
    void add_plugin_tables();

  private:
    Kind kind_;
    std::filesystem::path folder_;
    std::unique_ptr<PostgreSql> server_;
    std::unique_ptr<Database> sql_;
    std::string undo_;
};

/// Creates a PostgreSQL superuser that must log in with a password. Create at most one per
/// database.
class RoleWithPassword {
  public:
    explicit RoleWithPassword(TestDatabase& database);

    /// Returns DBDParams with this role and its first password.
    std::string params() const;

    /// Changes the password and terminates the role's connections.
    void change_password();
    /// Restores the first password.
    void restore_password() { set_password("s3cr3t one"); }

  private:
    void set_password(const std::string& password);

    TestDatabase& database_;
};

} // namespace useradmin::test
