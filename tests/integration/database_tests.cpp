// An unavailable, slow or misconfigured database. Each test starts its own httpd, so it cannot get
// a connection that another test broke.
#include "own_httpd.hpp"

#include "support/process.hpp"

#include <algorithm>
#include <deque>
#include <map>

namespace useradmin::test {

class DatabaseFailures : public OwnHttpd {
  protected:
    static void hide_table(const std::string& table) {
        change("ALTER TABLE \"" + table + "\" RENAME TO \"hidden\"",
               "ALTER TABLE \"hidden\" RENAME TO \"" + table + "\"");
    }
};

TEST_GROUP_BASE(database, DatabaseFailures){};
TEST_GROUP_BASE(postgresql_database, DatabaseFailures){};
TEST_GROUP_BASE(sqlite_database, DatabaseFailures){};

TEST(database, failure_results_in_500_without_SQL_in_the_response) {
    expect_log("UA0103");
    start(location("/api/users", as_sara));
    hide_table("user");
    const auto list = send("GET", "/api/users");
    const auto read = send("GET", "/api/users/ulises-1");
    const auto created = send("POST", "/api/users", user_json("n@x"));
    const auto updated = send("PUT", "/api/users/ulises-1", R"({"name":"X"})");
    const auto deleted = send("DELETE", "/api/users/ulises-1");
    undo();
    expect_error(list, 500, "Error al obtener usuarios");
    expect_error(read, 500, "Error al obtener usuario");
    expect_error(created, 500, "Error al crear usuario");
    expect_error(updated, 500, "Error al actualizar usuario");
    expect_error(deleted, 500, "Error al eliminar usuario");
}

TEST(sqlite_database, statements_of_DBDInitSQL_run_again_when_a_file_becomes_writable) {
    expect_log("UA0108");
    make_database();
    own_->sql().insert("user", {{"id", "ulises-1"}, {"name", "Ulises"}, {"email", "u@x"}});
    own_->set_read_only(true);
    start("DBDMin 1\nDBDKeep 1\nDBDMax 1\nDBDInitSQL \"PRAGMA query_only = ON\"\n" +
          location("/api/users", as_sara));
    CHECK_EQUAL(503, send("DELETE", "/api/users/ulises-1").status);
    own_->set_read_only(false);
    CHECK_EQUAL(503, send("DELETE", "/api/users/ulises-1").status);
}

TEST(postgresql_database, statements_of_DBDInitSQL_run_again_after_a_reconnect) {
    expect_log("UA0107");
    allow_log("UA02");
    allow_log("MaxRequestWorkers");
    change("CREATE SCHEMA shop; CREATE TABLE shop.\"user\" (LIKE public.\"user\" INCLUDING ALL); "
           "CREATE TABLE shop.\"session\" (LIKE public.\"session\" INCLUDING ALL); "
           "CREATE TABLE shop.\"account\" (LIKE public.\"account\" INCLUDING ALL); "
           "INSERT INTO shop.\"user\" SELECT * FROM public.\"user\" WHERE \"id\" = 'ulises-1'; "
           "UPDATE shop.\"user\" SET \"name\" = 'Shop'",
           "DROP SCHEMA shop CASCADE");
    Database& sql = Suite::current().database().sql();
    const std::string limit = "UserAdminTimeout 1\n";
    // mod_dbd runs the statements of the main server after those of a virtual host.
    start("DBDInitSQL \"SET search_path TO shop\"\n" +
          virtual_host("a.test", "DBDKeep 3\nDBDInitSQL \"SET search_path TO public\"\n" +
                                     location("/api/users", as_sara) +
                                     location("/short/users", as_sara + limit)));
    const auto get = [&](const std::string& path) {
        const std::vector<Request> requests(24, {"GET", path, {"Host: a.test"}});
        return client_->send_at_once(requests);
    };
    const auto expect_shop = [&] {
        for (const Response& response : get("/api/users/ulises-1"))
            STRCMP_CONTAINS(R"("name":"Shop")", response.text().c_str());
    };
    expect_shop();
    // The module reconnects, and reads the catalog again because a column is missing.
    sql.run("ALTER TABLE shop.\"user\" DROP COLUMN \"image\"");
    sql.rows("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = "
             "'client backend' AND pid <> pg_backend_pid()");
    expect_shop();
    // After a timeout, mod_dbd reconnects.
    sql.run("BEGIN; LOCK TABLE shop.\"user\" IN ACCESS EXCLUSIVE MODE");
    const std::vector<Response> responses = get("/short/users/ulises-1");
    sql.run("COMMIT; ALTER TABLE shop.\"user\" DROP COLUMN \"banReason\"");
    for (const Response& response : responses)
        CHECK_EQUAL(503, response.status);
    expect_shop();
}

TEST(database, failure_of_a_session_lookup_does_not_result_in_401) {
    expect_log("UA0103");
    start(location("/api/users", "AuthUserAdmin On"));
    hide_table("session");
    const auto response = send("GET", "/api/users");
    undo();
    expect_error(response, 500, "Error al obtener usuarios");
}

TEST(database, outage_results_in_503_with_Retry_After) {
    for (const char* line : {"UA0", "AH00", "AH02", "dbd"})
        allow_log(line);
    make_database();
    start(location("/api/users", as_sara + "UserAdminExtras On\n") +
              location("/en/users", as_sara + "UserAdminLanguage en\n") +
              location("/with-sessions/users", "AuthUserAdmin On") + sign_in("/auth", "") +
              handler("/api/users/openapi.json", "useradmin-openapi") +
              handler("/en/users/openapi.json", "useradmin-openapi") +
              handler("/with-sessions/users/console", "useradmin-console") +
              "<Location \"/basic\">\nAuthType Basic\nAuthName x\n"
              "AuthBasicProvider useradmin\nRequire valid-user\n</Location>\n",
          {"mod_auth_basic.so", "mod_authz_user.so"});
    // With PostgreSQL, open connections before the outage. SQLite would keep its file open.
    if (own_->kind() == Kind::postgresql) {
        expect_success(send("GET", "/api/users"));
        expect_error(send("GET", "/with-sessions/users"), 401, "No autorizado");
    }
    own_->make_unavailable();
    constexpr const char* new_user = R"({"name":"N","email":"n@x","password":"s3cr3t"})";
    constexpr const char* spanish =
        R"({"success":false,"error":"Servicio no disponible temporalmente"})";
    constexpr const char* english =
        R"({"success":false,"error":"The service is busy. Try again in a moment."})";
    const struct {
        const char* method;
        const char* path;
        const char* body = nullptr;
        const char* start_of_response = spanish;
        int status = 503;
        std::vector<std::string> headers = {bearer(Caller::super_admin)};
    } rows[] = {
        {"GET", "/api/users"},
        {"GET", "/api/users/x"},
        {"POST", "/api/users", new_user},
        {"PUT", "/api/users/x", "{}"},
        {"DELETE", "/api/users/x"},
        {"GET", "/api/users/x/sessions"},
        {"DELETE", "/api/users/x/sessions"},
        {"DELETE", "/api/users/x/sessions/one"},
        {"PUT", "/api/users/x/password", R"({"password":"s3cr3t-new"})"},
        {"PUT", "/api/users/x/ban", "{}"},
        {"DELETE", "/api/users/x/ban"},
        {"DELETE", "/api/users/x/second-factor"},
        {"GET", "/api/users/x/sign-in-methods"},
        {"DELETE", "/api/users/x/sign-in-methods/account/one"},
        {"GET", "/api/users/openapi.json"},
        {"GET", "/en/users", nullptr, english},
        {"GET", "/en/users/openapi.json", nullptr, english},
        {"GET", "/with-sessions/users"},
        {"OPTIONS", "/with-sessions/users"},
        {"PATCH", "/with-sessions/users/x"},
        {"GET", "/with-sessions/users/x/unknown"},
        {"GET", "/with-sessions/users/console", nullptr, "<!", 200, {}},
        {"GET", "/with-sessions/users/console?caller", nullptr, ""},
        {"GET", "/auth/get-session", nullptr, "{"},
        {"GET", "/basic", nullptr, "<!", 500, {"Authorization: Basic eDp5"}}, // x:y
    };
    for (const auto& row : rows) {
        const Response response =
            client_->send({row.method, row.path, row.headers,
                           row.body ? std::optional<std::string>(row.body) : std::nullopt});
        if (row.start_of_response == spanish || row.start_of_response == english)
            check_response(response);
        const std::string text = std::string(row.method) + " " + row.path + ":\n" + response.text();
        CHECK_EQUAL_TEXT(row.status, response.status, text.c_str());
        CHECK_TEXT(response.body.starts_with(row.start_of_response), text.c_str());
        CHECK_EQUAL_TEXT(row.status == 503, response.header("Retry-After").has_value(),
                         text.c_str());
        CHECK_EQUAL_TEXT(row.start_of_response == english,
                         response.header("Content-Language") == "en", text.c_str());
    }
    own_->make_available();
    // The first requests may still get broken connections.
    CHECK(eventually([&] { return send("GET", "/api/users").status == 200; }));
    // Wait for the auth module's connection, too. After that, requests must succeed in every child.
    CHECK(eventually([&] { return send("GET", "/with-sessions/users").status == 401; }));
    expect_success(send("POST", "/api/users", new_user));
}

TEST(database, outage_is_logged_once_for_each_tag) {
    expect_log("UA0");
    allow_log("dbd");
    allow_log("AH00629");
    make_database();
    start(location("/api/users", as_sara + "UserAdminTimeout 1"));
    own_->make_unavailable();
    const std::vector<Request> requests(20, Request{"GET", "/api/users"});
    for (const auto& response : client_->send_at_once(requests))
        expect_error(response, 503, unavailable);
    std::map<std::string, int> lines;
    for (const std::string& line : lines_of(LogWatch::instance().lines()))
        if (const auto tag = line.find("] UA"); tag != line.npos)
            ++lines[between(line, "useradmin:", "]").value_or("") + " " + line.substr(tag + 2, 6)];
    int errors_logged = 0;
    int debug = 0;
    for (const auto& [tag, count] : lines) {
        if (tag.starts_with("error "))
            CHECK_EQUAL_TEXT(1, count, tag.c_str());
        (tag.starts_with("error ") ? errors_logged : debug) += count;
    }
    CHECK(errors_logged > 0);
    CHECK_EQUAL(20, errors_logged + debug);
}

TEST(database, with_DBDMax_1_is_not_blocked_by_a_slow_reader) {
    // With one child, all requests use the same pool.
    const bool is_prefork = Suite::current().mpm() == "prefork";
    start("DBDMax 1\nDBDKeep 1\n" + location("/api/users", as_sara) +
          (is_prefork ? ""
                      : "<IfModule !mpm_prefork_module>\nServerLimit 1\nStartServers 1\n"
                        "MaxRequestWorkers 16\nMaxSpareThreads 16\n</IfModule>\n"));
    add_users(999);
    sql().run("UPDATE \"user\" SET \"image\" = '" + std::string(4000, 'x') + "'");
    const RawConnection slow(httpd_->port(), 4096);
    CHECK(slow.send(
        "GET /api/users?limit=1000 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"));
    const auto beginning = slow.receive_until("sara@example.org");
    for (int time = 0; time < 5; ++time)
        expect_success(send("GET", "/api/users/ulises-1"));
    // The response was not complete yet: four megabytes exceed all buffers.
    const auto rest = slow.receive_all();
    CHECK_TEXT(rest.size() > 1000000, std::to_string(rest.size()).c_str());
    CHECK(rest.ends_with(R"("totalPages":2}})"));
}

TEST(database, with_DBDMax_1_serves_all_concurrent_requests) {
    start("DBDMax 1\nDBDKeep 1\n" + location("/api/users", as_sara));
    const std::vector<Request> requests(16, Request{"GET", "/api/users"});
    for (const auto& response : client_->send_at_once(requests))
        expect_success(response);
}

TEST(database, with_blanks_in_table_names_does_not_read_other_tables) {
    change("CREATE TABLE \"a b\" AS SELECT * FROM \"user\"; CREATE TABLE \"a\" AS SELECT * FROM "
           "\"user\" WHERE FALSE",
           "DROP TABLE \"a b\"; DROP TABLE \"a\"");
    start("DBDMax 1\nDBDKeep 1\n" + as_sara +
          location("/one", "UserAdminTables \"a b\" c account\n") +
          location("/other", "UserAdminTables a \"b c\" account\n"));
    STRCMP_CONTAINS("ulises-1", send("GET", "/one").body.c_str());
    STRCMP_CONTAINS("\"total\":0", send("GET", "/other").body.c_str());
}

TEST(sqlite_database, serves_writers_of_a_file_in_request_order) {
    start(handler("/server-status", "server-status") + "UserAdminPasswordHash argon2id m=64\n" +
              location("/api/users", as_sara),
          {"mod_status.so"});
    const auto server_status_value = [this](const std::string& name) {
        return between(client_->send({"GET", "/server-status?auto"}).body, "\n" + name + ": ", "\n")
            .value_or("");
    };
    constexpr int count = 5;
    std::deque<RawConnection> writers;
    sql().run("BEGIN IMMEDIATE");
    for (int number = 1; number <= count; ++number) {
        const std::string body = user_json("w" + std::to_string(number) + "@x.org");
        writers.emplace_back(httpd_->port());
        CHECK(writers.back().send("POST /api/users HTTP/1.1\r\nHost: localhost\r\nConnection: "
                                  "close\r\nContent-Type: application/json\r\nContent-Length: " +
                                  std::to_string(body.size()) + "\r\n\r\n" + body));
        // Wait until a worker processes this request. The earlier ones retry in the meantime.
        CHECK(eventually(
            [&] { return std::stoi("0" + server_status_value("BusyWorkers")) == number + 1; }));
        for (int round = 0; round < 5; ++round) {
            const auto total_duration = [&] {
                return server_status_value(
                    "useradmin_database_duration_seconds_sum{virtual_host=\"localhost\"}");
            };
            const std::string before = total_duration();
            CHECK(eventually([&] { return total_duration() != before; }));
        }
    }
    sql().run("COMMIT");
    for (const RawConnection& writer : writers)
        CHECK(writer.receive_all().starts_with("HTTP/1.1 200"));
    std::string order;
    for (const auto& row :
         sql().rows("SELECT \"email\" FROM \"user\" WHERE \"name\" = 'Eva' ORDER BY rowid"))
        order += *row.front() + ";";
    CHECK_EQUAL(std::string("w1@x.org;w2@x.org;w3@x.org;w4@x.org;w5@x.org;"), order);
}

TEST(postgresql_database, rows_that_a_policy_may_hide_are_logged) {
    sql().run("CREATE ROLE limited LOGIN; GRANT ALL ON ALL TABLES IN SCHEMA public TO limited; "
              "ALTER TABLE \"session\" ENABLE ROW LEVEL SECURITY");
    std::string directives = Suite::directives_for(Suite::current().database());
    const std::string owner = "user=useradmin";
    directives.replace(directives.find(owner), owner.size(), "user=limited");
    expect_log("UA0109: row-level security may hide rows of table \"session\" from role "
               "limited");
    start(directives +
          location("/api/users", as_sara + "UserAdminProtectedEmail sara@example.org\n"));
    const Response response = send("GET", "/api/users");
    stop();
    sql().run("ALTER TABLE \"session\" DISABLE ROW LEVEL SECURITY; DROP OWNED BY limited; "
              "DROP ROLE limited");
    expect_success(response);
}

TEST(postgresql_database, may_change_column_types_with_any_table_directives) {
    sql().run("ALTER TABLE \"user\" ADD \"lastLoginAt\" timestamptz");
    change("ALTER TABLE \"user\" ALTER \"name\" TYPE varchar(50)",
           "ALTER TABLE \"user\" ALTER \"name\" TYPE text, DROP \"lastLoginAt\"");
    start("DBDKeep 1\nDBDMax 1\n" +
          location("/api/users", as_sara + "UserAdminTables user session account\n"
                                           "UserAdminCleanUp On\n"
                                           "UserAdminLastSeen lastLoginAt\n"));
    for (const char* const type : {"varchar(100)", "varchar(200)", "text"}) {
        expect_success(send("GET", "/api/users"));
        sql().run("ALTER TABLE \"user\" ALTER \"name\" TYPE " + std::string(type));
    }
    expect_success(send("GET", "/api/users"));
}

TEST(postgresql_database, with_another_DateStyle_and_time_zone_returns_the_same_times) {
    const auto expected = get(Caller::admin, "/api/users/ulises-1");
    const auto params = Suite::current().database().params() +
                        " options='-c DateStyle=German -c TimeZone=Asia/Kathmandu'";
    start("DBDParams \"" + params + "\"\n" + location("/api/users", as_sara));
    expect(send("GET", "/api/users/ulises-1"), 200, expected.body);
}

} // namespace useradmin::test
