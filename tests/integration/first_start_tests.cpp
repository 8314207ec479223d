// Configuration mistakes before the first request. Each results in a log line with the remedy.
// database_tests.cpp tests later failures.
#include "own_httpd.hpp"

#include "support/process.hpp"

namespace useradmin::test {

class FirstStart : public OwnHttpd {
  protected:
    /// Creates a separate database. On PostgreSQL, also creates the roles clerk, which needs a
    /// password, and crowded, which may not connect (CONNECTION LIMIT 0).
    void create_database() {
        make_database();
        if (own_->kind() != Kind::postgresql)
            return;
        own_->sql().run("CREATE ROLE clerk LOGIN PASSWORD 's3cr3t one'; "
                        "CREATE ROLE crowded LOGIN CONNECTION LIMIT 0; "
                        "GRANT ALL ON ALL TABLES IN SCHEMA public TO clerk");
        write_file(own_->server().folder() / "data" / "pg_hba.conf",
                   "local all clerk scram-sha-256\nlocal all all trust\n");
        own_->sql().rows("SELECT pg_reload_conf()");
    }

    /// Starts an httpd with these DBDParams. Returns the response to its first request.
    Response first_response(const std::string& params) {
        start("DBDParams \"" + params + "\"\nDBDMin 0\n" + location("/api/users", as_sara));
        return send("GET", "/api/users");
    }

    /// Expects that mod_dbd logs the reason and the module logs the advice.
    void expect_no_connection(const std::string& params, const std::string& reason) {
        allow_log("AH0");
        expect_log(reason);
        expect_log("UA0202: mod_dbd provided no connection; see mod_dbd's error in this log, "
                   "check DBDParams, and make sure that the database is running");
        expect_error(first_response(params), 503, "Servicio no disponible temporalmente");
    }
};

TEST_GROUP_BASE(first_start, FirstStart){};
TEST_GROUP_BASE(postgresql_first_start, FirstStart){};

TEST(first_start, with_correct_parameters_returns_200) {
    create_database();
    const std::string socket = own_->kind() == Kind::postgresql ? own_->server().folder() : "";
    expect_success(
        first_response(own_->kind() == Kind::postgresql
                           ? "host=" + socket + " dbname=postgres user=clerk password='s3cr3t one'"
                           : own_->params()));
}

TEST(first_start, with_wrong_parameters_reports_the_error_and_its_cause) {
    create_database();
    if (own_->kind() != Kind::postgresql) {
        expect_no_connection("/nowhere/users.db", "unable to open database file");
        return;
    }
    const std::string server = "connect_timeout=30 host=" + own_->server().folder().string();
    expect_no_connection(server + " dbname=postgres user=clerk password='s3cr3t two'",
                         "password authentication failed for user \"clerk\"");
    expect_no_connection(server + " dbname=nothing user=useradmin",
                         "database \"nothing\" does not exist");
    expect_no_connection(server + " dbname=postgres user=nobody-here",
                         "role \"nobody-here\" does not exist");
    expect_no_connection(server + " dbname=postgres user=crowded",
                         "too many connections for role \"crowded\"");
    expect_no_connection("connect_timeout=30 host=/nowhere dbname=postgres user=clerk",
                         "No such file or directory");
}

TEST(first_start, without_tables_names_the_command_that_creates_them) {
    create_database();
    for (const char* table : {"account", "session", "user"})
        own_->sql().run("DROP TABLE \"" + std::string(table) + "\"");
    expect_log("UA0103: table \"user\" does not exist; create it with 'useradminctl schema'");
    expect_error(first_response(own_->params()), 500, "Error al obtener usuarios");
}

TEST(first_start, with_other_table_names_suggests_the_directive) {
    create_database();
    for (const char* table : {"account", "session", "user"})
        own_->sql().run("ALTER TABLE \"" + std::string(table) + "\" RENAME TO \"" + table + "s\"");
    expect_log("UA0103: table \"user\" does not exist, but a similar one does: \"users\"; set "
               "UserAdminTables users sessions accounts");
    expect_error(first_response(own_->params()), 500, "Error al obtener usuarios");
}

TEST(postgresql_first_start, without_privileges_names_the_command_that_lists_them) {
    create_database();
    own_->sql().run("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM clerk");
    expect_log("to list the missing GRANTs, connect as the same database role and run: "
               "useradminctl check --verbose");
    expect_error(first_response("host=" + own_->server().folder().string() +
                                " dbname=postgres user=clerk password='s3cr3t one'"),
                 500, "Error al obtener usuarios");
}

} // namespace useradmin::test
