#include "support/test_database.hpp"

#include "support/fail_test.hpp"
#include "support/httpd.hpp"
#include "support/machine.hpp"
#include "support/text.hpp"

#include <utility>

namespace useradmin::test {

Kind kind_of(std::string_view name) {
    if (name == "postgresql")
        return Kind::postgresql;
    if (name == "sqlite")
        return Kind::sqlite;
    fail_test("no such database: " + std::string(name) + "; there are postgresql and sqlite");
}

TestDatabase::TestDatabase(const WorkFolder& work, Kind kind, std::string_view name,
                           PostgreSql::Settings settings)
    : kind_(kind), folder_(work.path() / name) {
    if (kind == Kind::postgresql)
        server_ = std::make_unique<PostgreSql>(work, name, std::move(settings));
    else
        work.make(name);
    sql().run(read_file(machine::source(kind == Kind::postgresql ? "sql/postgresql/schema.sql"
                                                                 : "sql/sqlite/schema.sql")));
    // httpd's children write to the file, its journal and its directory.
    if (kind == Kind::sqlite)
        if (const auto account = Httpd::account())
            account->take_ownership(folder_);
}

std::string TestDatabase::params() const {
    return server_ ? server_->params() : file().string();
}

Database& TestDatabase::sql() {
    if (!sql_)
        sql_ = std::make_unique<Database>(driver(), params());
    return *sql_;
}

void TestDatabase::make_unavailable() {
    sql_.reset();
    if (server_)
        server_->stop();
    else
        std::filesystem::rename(folder_, folder_.string() + "-away");
}

void TestDatabase::set_read_only(bool is_read_only) {
    if (kind_ == Kind::sqlite) {
        using std::filesystem::perms;
        const perms readable = perms::owner_read | perms::group_read | perms::others_read;
        return std::filesystem::permissions(file(), is_read_only ? readable
                                                                 : readable | perms::owner_write);
    }
    sql().run(std::string("ALTER SYSTEM SET default_transaction_read_only = ") +
              (is_read_only ? "on" : "off"));
    sql().rows("SELECT pg_reload_conf()");
    sql().run("SET default_transaction_read_only = off");
}

void TestDatabase::make_available() {
    if (server_)
        server_->start();
    else
        std::filesystem::rename(folder_.string() + "-away", folder_);
}

void TestDatabase::clear() {
    sql().run(R"(DELETE FROM "session"; DELETE FROM "account"; DELETE FROM "user"; )"
              R"(DELETE FROM "verification"; DELETE FROM "useradmin_revocation"; )"
              R"(DELETE FROM "useradmin_disabled_key"; DELETE FROM "useradmin_attempt")");
}

void TestDatabase::change(const std::string& statements, const std::string& reverse) {
    sql().run(statements);
    undo_.insert(0, reverse + "; ");
}

void TestDatabase::undo() {
    if (!undo_.empty())
        sql().run(undo_);
    undo_.clear();
}

void TestDatabase::add_plugin_tables() {
    change(replace_all(R"(
ALTER TABLE "user" ADD COLUMN "twoFactorEnabled" boolean;
CREATE TABLE "twoFactor" ("id" text PRIMARY KEY, "secret" text NOT NULL,
    "backupCodes" text NOT NULL, "userId" text NOT NULL, "verified" boolean,
    "failedVerificationCount" integer DEFAULT 0, "lockedUntil" $time);
CREATE TABLE "passkey" ("id" text PRIMARY KEY, "name" text, "publicKey" text NOT NULL,
    "userId" text NOT NULL, "counter" integer, "createdAt" $time);
CREATE TABLE "apikey" ("id" text PRIMARY KEY, "configId" text, "name" text, "start" text,
    "key" text NOT NULL, "referenceId" text, "enabled" boolean, "expiresAt" $time,
    "createdAt" $time, "updatedAt" $time, "remaining" integer, "refillAmount" integer,
    "refillInterval" integer, "lastRefillAt" $time, "rateLimitEnabled" boolean,
    "rateLimitTimeWindow" integer, "rateLimitMax" integer, "requestCount" integer,
    "lastRequest" $time, "permissions" text))",
                       "$time", kind_ == Kind::postgresql ? "timestamptz" : "date"),
           R"(DROP TABLE "twoFactor"; DROP TABLE "passkey"; DROP TABLE "apikey";
              ALTER TABLE "user" DROP COLUMN "twoFactorEnabled")");
}

RoleWithPassword::RoleWithPassword(TestDatabase& database) : database_(database) {
    database_.sql().run("CREATE ROLE clerk LOGIN SUPERUSER");
    database_.sql().run("ALTER ROLE clerk SET synchronous_commit = on");
    restore_password();
    write_file(database_.server().folder() / "data" / "pg_hba.conf",
               "local all clerk scram-sha-256\nlocal all all trust\n"
               "local replication all trust\n");
    database_.sql().rows("SELECT pg_reload_conf()");
}

std::string RoleWithPassword::params() const {
    return "host=" + database_.server().folder().string() +
           " dbname=postgres user=clerk password='s3cr3t one' connect_timeout=2";
}

void RoleWithPassword::change_password() {
    set_password("s3cr3t two");
    database_.sql().rows("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                         "WHERE usename = 'clerk'");
}

void RoleWithPassword::set_password(const std::string& password) {
    database_.sql().run("ALTER ROLE clerk PASSWORD " + sql_literal(password));
}

} // namespace useradmin::test
