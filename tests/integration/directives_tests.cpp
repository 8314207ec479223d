// Directives that are allowed at server level, in a virtual host and in a Location, as a table.
// configuration_tests.cpp tests the others.
#include "own_httpd.hpp"

#include "support/process.hpp"

#include <algorithm>
#include <cctype>
#include <deque>
#include <functional>
#include <tuple>

namespace useradmin::test {

namespace {

/// The number of levels: server, virtual host and Location.
constexpr int levels = 3;
constexpr const char* level_names[levels] = {"server level", "a virtual host", "a Location"};

/// The virtual host and the path to which the value for a level applies.
struct Place {
    HttpClient& client;
    std::string host;
    std::string folder; ///< "/plain" or "/own"

    Response send(const std::string& method, const std::string& path,
                  const std::optional<std::string>& body = {},
                  std::vector<std::string> headers = {"X-Id: sara-1", "X-Role: superAdmin"}) const {
        headers.push_back("Host: " + host);
        return client.send({method, folder + path, headers, body});
    }
    Response create(const std::string& email) const {
        return send("POST", "/users", user_json(email));
    }
    Response read_own(const std::vector<std::string>& headers) const {
        return send("GET", "/users/ulises-1", {}, headers);
    }
};

std::string query_value(const std::string& query) {
    return Suite::current().database().sql().value(query).value_or("(none)");
}

/// A directive's values for the levels, and a function that finds out which one applies.
struct Row {
    const char* name;
    const char* values[levels];
    std::function<std::string(const Place&)> find;
};

/// Returns the first value for which the function returns true, or "(none)".
std::string first_value_for(const Row& row,
                            const std::function<bool(const std::string&)>& succeeds) {
    for (const char* value : row.values)
        if (succeeds(value))
            return value;
    return "(none)";
}

std::string session_cookie(const std::string& name) {
    return "Cookie: " + name + "=" + token_of(Caller::user);
}

const std::vector<Row>& rows();

const Row& find_row(std::string_view name) {
    return *std::find_if(
        rows().begin(), rows().end(), [&](const Row& row) { return row.name == name; });
}

const std::vector<Row>& rows() {
    static const std::vector<Row> all = {
        {"UserAdminSession",
         {R"("%{req:X-Id}%{note:session-user-id}" "%{req:X-Role}%{note:session-user-role}")",
          R"("%{req:X-B}")", R"("%{req:X-C}")"},
         [](const Place& place) {
             const std::pair<const char*, int> headers[] = {
                 {"X-Id: ulises-1", 0}, {"X-B: ulises-1", 1}, {"X-C: ulises-1", 2}};
             for (const auto& [header, level] : headers)
                 if (place.read_own({header}).status == 200)
                     return std::string(find_row("UserAdminSession").values[level]);
             return std::string("(none)");
         }},
        {"UserAdminProtectedEmail",
         {"a@x.org", "b@x.org", "c@x.org"},
         [](const Place& place) {
             std::string kept;
             for (const char* email : {"a@x.org", "b@x.org", "c@x.org"}) {
                 const auto id = text_member(place.create(email), "id");
                 if (place.send("DELETE", "/users/" + id).status != 200)
                     kept += email;
             }
             Suite::current().database().sql().run(
                 R"(DELETE FROM "account"; DELETE FROM "user" WHERE "email" LIKE '%@x.org')");
             return kept;
         }},
        {"UserAdminPasswordHash",
         {"argon2id m=64 t=1 p=1", "argon2id m=64 t=2 p=1", "argon2id m=64 t=3 p=1"},
         [](const Place& place) {
             const auto id = text_member(place.create("hash@y.org"), "id");
             const auto hash = query_value(
                 "SELECT \"password\" FROM \"account\" WHERE \"userId\" = " + sql_literal(id));
             Suite::current().database().sql().run(
                 R"(DELETE FROM "account"; DELETE FROM "user" WHERE "email" = 'hash@y.org')");
             return "argon2id m=64 t=" + between(hash, ",t=", ",").value_or("?") + " p=1";
         }},
        {"UserAdminGuard",
         {"none", "rank", "last-superadmin"},
         [](const Place& place) {
             const auto is_forbidden = [&](const char* id, const char* role, const char* body) {
                 const int status = place
                                        .send("PUT", std::string("/users/") + id, body,
                                              {"X-Id: sara-1", std::string("X-Role: ") + role})
                                        .status;
                 CHECK(status == 200 || status == 403 || status == 409);
                 return status != 200;
             };
             const bool is_rank = is_forbidden("ada-1", "admin", R"({"name":"Ada"})");
             const bool is_last = is_forbidden("sara-1", "superAdmin", R"({"role":"admin"})");
             Suite::current().database().sql().run(
                 R"(UPDATE "user" SET "role" = 'superAdmin' WHERE "id" = 'sara-1')");
             return std::string(is_rank && !is_last   ? "rank"
                                : is_last && !is_rank ? "last-superadmin"
                                : !is_last            ? "none"
                                                      : "(both)");
         }},
        {"UserAdminEndSessions",
         {"On", "Off", "On"},
         [](const Place& place) {
             auto& sql = Suite::current().database().sql();
             sql.run(R"(INSERT INTO "session" ("id", "expiresAt", "token", "createdAt", "updatedAt",
                        "userId") SELECT 'open', "expiresAt", 's3cr3t-open', "createdAt",
                        "updatedAt", 'ada-1' FROM "session" WHERE "userId" = 'ulises-1')");
             CHECK_EQUAL(200, place.send("PUT", "/users/ada-1", R"({"banned":true})").status);
             const long left = sql.number(R"(SELECT count(*) FROM "session" WHERE "id" = 'open')");
             sql.run(
                 R"(UPDATE "user" SET "banned" = NULL; DELETE FROM "session" WHERE "id" = 'open')");
             return std::string(left == 0 ? "On" : "Off");
         }},
        {"UserAdminCleanUp",
         {"On", "Off", "On"},
         [](const Place& place) {
             auto& sql = Suite::current().database().sql();
             const auto id = text_member(place.create("clean@y.org"), "id");
             sql.run(R"(INSERT INTO "verification" ("id", "identifier", "value", "expiresAt",
                        "createdAt", "updatedAt") VALUES ('v', 'clean@y.org', 'x', '2030-01-01',
                        '2026-01-01', '2026-01-01'))");
             CHECK_EQUAL(200, place.send("DELETE", "/users/" + id).status);
             const long left = sql.number(R"(SELECT count(*) FROM "verification")");
             sql.run(R"(DELETE FROM "verification")");
             return std::string(left == 0 ? "On" : "Off");
         }},
        {"UserAdminExtras",
         {"On", "Off", "On"},
         [](const Place& place) {
             const int status = place.send("GET", "/users/ada-1/sessions").status;
             return std::string(status == 200 ? "On" : status == 404 ? "Off" : "(none)");
         }},
        {"UserAdminColumns",
         {"shown_a", "shown_b", "shown_c"},
         [](const Place& place) {
             return between(place.send("GET", "/users/console?caller").body,
                            R"("columns":[{"name":")", "\"")
                 .value_or("?");
         }},
        // The user table does not have these columns.
        {"UserAdminEditable",
         {"set_a", "set_b", "set_c"},
         [](const Place& place) {
             return first_value_for(find_row("UserAdminEditable"), [&](const std::string& name) {
                 return place.send("PUT", "/users/ada-1", R"({"data":{")" + name + R"(":"x"}})")
                            .status == 400;
             });
         }},
        {"UserAdminMaxLimit",
         {"3", "4", "5"},
         [](const Place& place) {
             return between(place.send("GET", "/users?limit=100").body, R"("limit":)", ",")
                 .value_or("?");
         }},
        {"UserAdminMaxBody",
         {"1100", "1200", "1300"},
         [](const Place& place) {
             std::string largest;
             for (const int size : {1100, 1200, 1300, 1301}) {
                 std::string body = R"({"x":")";
                 body += std::string(static_cast<std::size_t>(size) - body.size() - 2, 'x') + "\"}";
                 if (place.send("PUT", "/users/ulises-1", body).status == 200)
                     largest = std::to_string(size);
             }
             return largest;
         }},
        {"UserAdminAccountId",
         {"user-id", "email", "user-id"},
         [](const Place& place) {
             const auto id = text_member(place.create("account@y.org"), "id");
             const auto account = query_value(
                 "SELECT \"accountId\" FROM \"account\" WHERE \"userId\" = " + sql_literal(id));
             Suite::current().database().sql().run(
                 R"(DELETE FROM "account"; DELETE FROM "user" WHERE "email" = 'account@y.org')");
             return std::string(account == id ? "user-id" : "email");
         }},
        {"UserAdminEmailCase",
         {"lower", "keep", "lower"},
         [](const Place& place) {
             const auto email = text_member(place.create("Case@y.org"), "email");
             Suite::current().database().sql().run(
                 R"(DELETE FROM "account"; DELETE FROM "user" WHERE "email" LIKE '%ase@y.org')");
             return std::string(email == "Case@y.org" ? "keep" : "lower");
         }},
        {"UserAdminEmailChange",
         {"unverify", "keep", "unverify"},
         [](const Place& place) {
             const auto response =
                 place.send("PUT", "/users/ada-1", R"({"email":"another@example.org"})");
             const bool is_verified =
                 response.body.find(R"("emailVerified":true)") != std::string::npos;
             Suite::current().database().sql().run(
                 R"(UPDATE "user" SET "email" = 'ada@example.org', "emailVerified" = TRUE
                    WHERE "id" = 'ada-1')");
             return std::string(is_verified ? "keep" : "unverify");
         }},
        {"UserAdminLanguage",
         {"accept", "es", "en"},
         [](const Place& place) {
             const auto response =
                 place.send("GET", "/users/unknown", {},
                            {"X-Id: sara-1", "X-Role: superAdmin", "Accept-Language: en"});
             const bool is_english = response.header("Content-Language") == "en";
             return std::string(response.header("Vary").has_value() ? "accept"
                                : is_english                        ? "en"
                                                                    : "es");
         }},
        {"UserAdminBetterAuthRole",
         {"user session:list", "user user:ban", "user user:list user:get"},
         [](const Place& place) {
             const auto has_permission = [&](const std::string& resource, const std::string& name) {
                 const auto response = place.send(
                     "POST", "/admin/has-permission",
                     R"({"permissions":{")" + resource + "\":[\"" + name + "\"]}}",
                     {"X-Id: ulises-1", "X-Role: user", "Content-Type: application/json"});
                 return response.body.find("\"success\":true") != std::string::npos;
             };
             return std::string(has_permission("session", "list") ? "user session:list"
                                : has_permission("user", "ban")   ? "user user:ban"
                                : has_permission("user", "list") && has_permission("user", "get")
                                    ? "user user:list user:get"
                                    : "?");
         }},
        // At server level, UserAdminBetterAuthRole gives the "user" role session:list.
        {"UserAdminBetterAuthTokens",
         {"On", "Off", "On"},
         [](const Place& place) {
             auto& sql = Suite::current().database().sql();
             sql.run(R"(INSERT INTO "session" ("id", "expiresAt", "token", "createdAt", "updatedAt",
                        "userId") VALUES ('shown', '2999-01-01T00:00:00.000Z', 's3cr3t-shown',
                        '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', 'ada-1'))");
             const auto response =
                 place.send("POST", "/admin/list-user-sessions", R"({"userId":"ada-1"})",
                            {"X-Id: sara-1", "X-Role: user", "Content-Type: application/json"});
             sql.run(R"(DELETE FROM "session" WHERE "id" = 'shown')");
             const auto token = between(response.body, "\"token\":\"", "\"");
             return std::string(token == "s3cr3t-shown" ? "On" : token == "shown" ? "Off" : "?");
         }},
        {"UserAdminConsoleSignIn",
         {"/a", "/b", "/c"},
         [](const Place& place) {
             return between(place.send("GET", "/users/console").body, "data-sign-in-page=\"", "\"")
                 .value_or("?");
         }},
        {"UserAdminConsoleTitle",
         {"A", "B", "C"},
         [](const Place& place) {
             return between(place.send("GET", "/users/console").body, "data-title=\"", "\"")
                 .value_or("?");
         }},
        {"UserAdminConsoleAccent",
         {"#123456", "#3451b2", "#662200"},
         [](const Place& place) {
             const std::string page = place.send("GET", "/users/console").body;
             return first_value_for(find_row("UserAdminConsoleAccent"),
                                    [&](const std::string& color) {
                                        return page.find("}:root{--accent:" + color) != page.npos;
                                    });
         }},
        {"UserAdminApplicationCache",
         {"60", "0", "3600"},
         [](const Place& place) {
             return between(place.send("GET", "/users/console").body, "data-application-cache=\"",
                            "\"")
                 .value_or("?");
         }},
        {"AuthUserAdmin",
         {"On", "Off", "On"},
         [](const Place& place) {
             return std::string(place.read_own({session_cookie("a_token")}).status == 200 ? "On"
                                                                                          : "Off");
         }},
        {"AuthUserAdminCookie",
         {"a_token", "b_token", "c_token"},
         [](const Place& place) {
             return first_value_for(find_row("AuthUserAdminCookie"), [&](const std::string& name) {
                 return place.read_own({session_cookie(name)}).status == 200;
             });
         }},
        {"AuthUserAdminBearer",
         {"Off", "On", "Off"},
         [](const Place& place) {
             return std::string(place.read_own({bearer(Caller::user)}).status == 200 ? "On"
                                                                                     : "Off");
         }},
        {"AuthUserAdminCache",
         {"3600", "0", "3600"},
         [](const Place& place) {
             const std::string kept = "Cookie: a_token=s3cr3t-kept";
             auto& sql = Suite::current().database().sql();
             sql.run(R"(INSERT INTO "session" ("id", "expiresAt", "token", "createdAt", "updatedAt",
                        "userId") SELECT 'kept', "expiresAt", 's3cr3t-kept', "createdAt",
                        "updatedAt", "userId" FROM "session" WHERE "userId" = 'ulises-1')");
             place.read_own({kept});
             sql.run(R"(DELETE FROM "session" WHERE "token" = 's3cr3t-kept')");
             const bool is_kept = place.read_own({kept}).status == 200;
             // Sign-out removes the session from all caches.
             const auto response =
                 place.send("POST", "/auth/sign-out", "{}", {kept, "Origin: http://" + place.host});
             CHECK_EQUAL(200, response.status);
             return std::string(is_kept ? "3600" : "0");
         }},
        {"UserAdminTotalCache",
         {"3600", "0", "3600"},
         [](const Place& place) {
             auto& sql = Suite::current().database().sql();
             const std::string list = "/users?search=" + place.host + place.folder.substr(1);
             const auto before = between(place.send("GET", list).body, R"("total":)", ",");
             sql.run("UPDATE \"user\" SET \"name\" = " + sql_literal(list.substr(14)) +
                     " WHERE \"id\" = 'ada-1'");
             const auto after = between(place.send("GET", list).body, R"("total":)", ",");
             return std::string(before == "0" && after == "0"   ? "3600"
                                : before == "0" && after == "1" ? "0"
                                                                : "(none)");
         }},
        {"AuthUserAdminMaxSessions",
         {"2", "3", "4"},
         [](const Place& place) {
             const std::string email = "cap@" + place.host + ".org";
             const auto id = text_member(place.create(email), "id");
             for (int times = 0; times < 6; ++times)
                 place.send("POST", "/auth/sign-in/email", sign_in_body(email, right_password),
                            {"Content-Type: application/json"});
             const auto count = query_value("SELECT count(*) FROM \"session\" WHERE \"userId\" = " +
                                            sql_literal(id));
             place.send("DELETE", "/users/" + id);
             return count;
         }},
        {"AuthUserAdminSignInLimit",
         {"2 1000", "3 1000", "4 1000"},
         [](const Place& place) {
             const std::string login = R"({"email":"guess-)" + place.host + place.folder.substr(1) +
                                       R"(@y.org","password":"x"})";
             int failures = 0;
             while (failures < 10 && place.send("POST", "/auth/sign-in/email", login,
                                                {"Content-Type: application/json"})
                                             .status == 401)
                 ++failures;
             return std::to_string(failures) + " 1000";
         }},
    };
    return all;
}

std::string line_of(const Row& row, int level) {
    return std::string(row.name) + " " + row.values[level] + "\n";
}

std::string host_of(const Row& row) {
    std::string name = row.name;
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char character) { return std::tolower(character); });
    return name + ".test";
}

/// Returns the Locations of the service and of sign-in below the path `folder`.
std::string locations(const std::string& folder, const std::string& directives) {
    std::string text;
    for (const auto& [path, on] :
         {std::pair("/users", "UserAdmin On\n"), std::pair("/auth", "AuthUserAdminSignIn On\n"),
          std::pair("/users/console", "SetHandler useradmin-console\n"),
          std::pair("/admin", "SetHandler useradmin-better-auth\n")})
        text += "<Location \"" + folder + path + "\">\n" + on + directives +
                "Require all granted\n</Location>\n";
    return text;
}

} // namespace

class Directives : public OwnHttpd {
  protected:
    void setup() override {
        OwnHttpd::setup();
        // Add the columns that UserAdminColumns names.
        for (const std::string column : find_row("UserAdminColumns").values)
            change("ALTER TABLE \"user\" ADD COLUMN \"" + column + "\" text",
                   "ALTER TABLE \"user\" DROP COLUMN \"" + column + "\"");
    }
};

TEST_GROUP_BASE(directives, Directives){};
TEST_GROUP_BASE(postgresql_directives, Directives){};

TEST(directives, merge_from_server_to_virtual_host_to_Location) {
    exclude_from_document();
    expect_log("UA0305");
    std::string configuration;
    for (const auto& row : rows())
        configuration += line_of(row, 0);
    configuration += locations("/plain", "") + virtual_host("localhost", "");
    for (const auto& row : rows())
        configuration +=
            virtual_host(host_of(row), line_of(row, 1) + locations("/own", line_of(row, 2)));
    start(configuration);
    for (const auto& row : rows()) {
        const Place places[levels] = {{*client_, "localhost", "/plain"},
                                      {*client_, host_of(row), "/plain"},
                                      {*client_, host_of(row), "/own"}};
        for (int level = 0; level < levels; ++level) {
            const auto found = row.find(places[level]);
            if (found != row.values[level])
                fail_test(std::string(row.name) + " at " + level_names[level] + " came to " +
                              found + " instead of " + row.values[level],
                          {});
        }
    }
}

TEST(directives, that_disable_the_service_restore_the_errors_of_httpd) {
    const auto disabled_location = [](const char* path) {
        return "<Location \"" + std::string(path) + "\">\nUserAdmin Off\n</Location>\n";
    };
    start(location("/api/users", as_sara) + handler("/metrics", "useradmin-metrics") +
          virtual_host("localhost", "") +
          virtual_host("off.test", disabled_location("/api/users")) +
          virtual_host("wide.test", disabled_location("/api")));
    expect_error(client_->send({"GET", "/api/users/x"}), 404, "Usuario no encontrado");
    for (const char* host : {"Host: off.test", "Host: wide.test"})
        for (const char* path : {"/api/users", "/api/users/x"}) {
            const Response response = client_->send({"GET", path, {host}});
            CHECK_EQUAL(404, response.status);
            STRCMP_CONTAINS("text/html", response.header("Content-Type").value_or("").c_str());
        }
    const Response metrics = client_->send({"GET", "/metrics"});
    STRCMP_CONTAINS("virtual_host=\"localhost:", metrics.body.c_str());
    for (const char* host : {"off.test", "wide.test"})
        CHECK(metrics.body.find(host) == std::string::npos);
}

TEST(directives, timeouts_merge_from_server_to_Location) {
    for (const char* seconds : {"1", "2", "3"})
        expect_log("UA0209: timed out after " + std::string(seconds) +
                   " s reading the request body");
    start("UserAdminBodyTimeout 1\n" + as_sara + locations("/plain", "") +
          virtual_host("localhost", "") +
          virtual_host("b.test",
                       "UserAdminBodyTimeout 2\n" + locations("/own", "UserAdminBodyTimeout 3\n")));
    std::deque<RawConnection> connections;
    for (const auto& [host, path] : {std::pair("localhost", "/plain"),
                                     std::pair("b.test", "/plain"), std::pair("b.test", "/own")}) {
        connections.emplace_back(httpd_->port());
        connections.back().send("POST " + std::string(path) + "/users HTTP/1.1\r\nHost: " + host +
                                "\r\nContent-Length: 9\r\n\r\n");
    }
    for (const RawConnection& connection : connections)
        CHECK_EQUAL(408, parse_response(connection.receive_all()).status);
}

TEST(directives, tables_merge_from_server_to_Location) {
    start("UserAdminTables a session account\n" + as_sara + locations("/plain", "") +
          virtual_host("localhost", "") +
          virtual_host("b.test", "UserAdminTables b session account\n" +
                                     locations("/own", "UserAdminTables c session account\n")));
    for (const auto& [host, path, table] :
         {std::tuple("localhost", "/plain", "\"a\""), std::tuple("b.test", "/plain", "\"b\""),
          std::tuple("b.test", "/own", "\"c\"")}) {
        expect_log("UA0103: table " + std::string(table) + " does not exist");
        expect_error(
            client_->send({"GET", std::string(path) + "/users", {"Host: " + std::string(host)}}),
            500, "Error al obtener usuarios");
    }
}

TEST(directives, audit_logs_merge_from_server_to_Location) {
    const auto folder = Suite::current().work().make("audit-levels");
    const auto log_directive = [&](const char* file) {
        return "UserAdminAuditLog \"" + (folder / file).string() + "\"\n";
    };
    start(log_directive("a") + as_sara + locations("/plain", "") + virtual_host("localhost", "") +
          virtual_host("b.test", log_directive("b") + locations("/own", log_directive("c"))));
    for (const auto& [host, path, file] :
         {std::tuple("localhost", "/plain", "a"), std::tuple("b.test", "/plain", "b"),
          std::tuple("b.test", "/own", "c")}) {
        // Cause a rejection by each module.
        const std::vector<std::string> headers = {"Host: " + std::string(host)};
        CHECK_EQUAL(404, client_->send({"DELETE", std::string(path) + "/users/x", headers}).status);
        CHECK_EQUAL(405,
                    client_->send({"PUT", std::string(path) + "/auth/sign-out", headers}).status);
        CHECK_EQUAL(400,
                    client_->send({"POST", std::string(path) + "/auth/sign-in/email", headers, "x"})
                        .status);
        const std::string text = read_file(folder / file);
        CHECK_EQUAL(2, std::count(text.begin(), text.end(), '\n'));
    }
}

TEST(directives, secrets_merge_from_server_to_Location) {
    const std::string secrets[levels] = {"the s3cr3t of the server", "the s3cr3t of the host",
                                         "the s3cr3t of the Location"};
    environment_ = {{"A", secrets[0]}, {"B", secrets[1]}, {"C", secrets[2]}};
    start("AuthUserAdmin On\nAuthUserAdminSecret env:A\n" + locations("/plain", "") +
          virtual_host("localhost", "") +
          virtual_host("b.test", "AuthUserAdminSecret env:B\n" +
                                     locations("/own", "AuthUserAdminSecret env:C\n")));
    const Place places[levels] = {{*client_, "localhost", "/plain"},
                                  {*client_, "b.test", "/plain"},
                                  {*client_, "b.test", "/own"}};
    for (int place = 0; place < levels; ++place)
        for (int secret = 0; secret < levels; ++secret)
            CHECK_EQUAL(place == secret ? 200 : 401,
                        places[place]
                            .read_own({"Authorization: Bearer " +
                                       signed_token(token_of(Caller::user), secrets[secret])})
                            .status);
}

TEST(postgresql_directives, connection_timeouts_merge_from_server_to_Location) {
    // In a prefork child, no request waits for another. With a locked SQLite database, no request
    // holds a connection.
    if (Suite::current().mpm() == "prefork")
        return;
    allow_log("UA010");
    for (const char* name : {"UserAdminTimeout", "AuthUserAdminTimeout"})
        for (const char* seconds : {"1", "2", "3"})
            expect_log("was available within " + std::string(seconds) + " s; raise DBDMax or " +
                       name);
    const auto timeout_directives = [](const std::string& seconds) {
        return "UserAdminTimeout " + seconds + "\nAuthUserAdminTimeout " + seconds + "\n";
    };
    const auto guarded_location = [](const std::string& folder, const std::string& directives) {
        return "<Location \"" + folder + "/guarded\">\nAuthUserAdmin On\n" + directives +
               "</Location>\n";
    };
    start("ServerLimit 1\nStartServers 1\nMaxRequestWorkers 16\nDBDMax 1\nDBDKeep 1\n" +
          timeout_directives("1") + as_sara + locations("/plain", "") +
          guarded_location("/plain", "") + location("/first/users", "UserAdminTimeout 30") +
          virtual_host("localhost", "") +
          virtual_host("b.test", timeout_directives("2") +
                                     locations("/own", timeout_directives("3")) +
                                     guarded_location("/own", timeout_directives("3"))));
    sql().run("BEGIN; LOCK TABLE \"user\" IN ACCESS EXCLUSIVE MODE");
    std::deque<RawConnection> connections;
    const auto send = [&](const std::string& host, const std::string& path) {
        connections.emplace_back(httpd_->port());
        connections.back().send("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n" +
                                bearer(Caller::user) + "\r\nConnection: close\r\n\r\n");
    };
    send("localhost", "/first/users");
    const bool holds_the_connection = eventually(
        [] { return sql().number("SELECT count(*) FROM pg_locks WHERE NOT granted") > 0; });
    for (const auto& [host, folder] :
         {std::pair("localhost", "/plain"), std::pair("b.test", "/plain"),
          std::pair("b.test", "/own")}) {
        send(host, std::string(folder) + "/users");
        send(host, std::string(folder) + "/guarded");
    }
    std::vector<int> statuses;
    for (std::size_t number = 1; number < connections.size(); ++number)
        statuses.push_back(parse_response(connections[number].receive_all()).status);
    sql().run("COMMIT");
    CHECK(holds_the_connection);
    for (const int status : statuses)
        CHECK_EQUAL(503, status);
}

} // namespace useradmin::test
