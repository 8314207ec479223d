// AuthUserAdminCache: a session cache shared by all children.
#include "own_httpd.hpp"

#include "support/files.hpp"
#include "support/machine.hpp"
#include "support/process.hpp"

#include <algorithm>
#include <set>

namespace useradmin::test {

namespace {

constexpr const char* ulises_record = "/api/users/ulises-1";

std::filesystem::path children_file() {
    return Suite::current().work().path() / "children";
}

} // namespace

class SessionCache : public OwnHttpd {
  protected:
    void setup() override {
        OwnHttpd::setup();
        std::filesystem::remove(children_file());
    }

    /// Starts an httpd with several children that cache sessions. They log the PID of the child
    /// that responded.
    void start_caching(const std::string& seconds, const std::string& more = {}) {
        start("LoadModule test_callers_module \"" +
              machine::built("tests/mod_test_callers.so").string() +
              "\"\nLogFormat \"%P\" child\nCustomLog \"" + children_file().string() +
              "\" child\nAuthUserAdminCache " + seconds + "\n" +
              location("/api/users", "AuthUserAdmin On") + test::sign_in("/auth", "") + more);
    }

    /// Sends a request over a new connection. Returns the status.
    int status_of(Caller caller, const std::string& path) const {
        return HttpClient(httpd_->port()).send({"GET", path, {bearer(caller)}}).status;
    }
    /// Returns the distinct statuses of concurrent requests, such as "200" or "200 401".
    std::string statuses_of(Caller caller, const std::string& path, int count = 24) {
        std::set<int> statuses;
        const std::vector<Request> requests(static_cast<std::size_t>(count),
                                            Request{"GET", path, {bearer(caller)}});
        for (const auto& response : client_->send_at_once(requests))
            statuses.insert(response.status);
        std::string text;
        for (const int status : statuses)
            text += (text.empty() ? "" : " ") + std::to_string(status);
        return text;
    }

    /// Returns how many different children have responded so far.
    static std::size_t count_children() {
        const std::vector<std::string> children = words_of(read_file(children_file()));
        return std::set(children.begin(), children.end()).size();
    }

    static void delete_session_row() {
        sql().run("DELETE FROM \"session\" WHERE \"userId\" = 'ulises-1'");
    }
};

TEST_GROUP_BASE(session_cache, SessionCache){};
TEST_GROUP_BASE(postgresql_session_cache, SessionCache){};

TEST(session_cache, serves_all_children_without_another_lookup) {
    start_caching("3600");
    CHECK_EQUAL(200, status_of(Caller::user, ulises_record));
    delete_session_row();
    CHECK_TRUE(eventually([&] {
        CHECK_EQUAL(std::string("200"), statuses_of(Caller::user, ulises_record));
        return count_children() > 1;
    }));
}

TEST(session_cache, drops_a_banned_user_immediately) {
    start_caching("3600");
    for (int time = 0; time < 3; ++time) {
        CHECK_EQUAL(std::string("200"), statuses_of(Caller::user, ulises_record));
        expect_success(send("PUT", ulises_record, R"({"banned":true})"));
        CHECK_EQUAL(std::string("401"), statuses_of(Caller::user, ulises_record));
        expect_success(send("PUT", ulises_record, R"({"banned":false})"));
    }
    CHECK_TRUE(eventually([&] {
        statuses_of(Caller::user, ulises_record);
        return count_children() > 1;
    }));
}

TEST(session_cache, drops_a_session_at_sign_out) {
    start_caching("3600");
    CHECK_EQUAL(std::string("200"), statuses_of(Caller::user, ulises_record));
    CHECK_EQUAL(200,
                client_->send({"POST", "/auth/sign-out", {bearer(Caller::user)}, "{}"}).status);
    CHECK_EQUAL(std::string("401"), statuses_of(Caller::user, ulises_record));
}

TEST(session_cache, drops_a_session_that_exceeds_the_maximum) {
    start_caching("3600", "UserAdminPasswordHash scrypt\nAuthUserAdminMaxSessions 1\n");
    const std::string record =
        "/api/users/" + text_member(send("POST", "/api/users", user_json(eva)), "id");
    const auto sign_in = [&] {
        const Response response =
            client_->send({"POST", "/auth/sign-in/email", {}, sign_in_body(eva, right_password)});
        return between(response.body, "\"token\":\"", "\"").value_or("");
    };
    const auto status_with = [&](const std::string& token) {
        return client_->send({"GET", record, {"Authorization: Bearer " + token}}).status;
    };
    const std::string first = sign_in();
    CHECK_EQUAL(200, status_with(first));
    CHECK_EQUAL(200, status_with(sign_in()));
    CHECK_EQUAL(401, status_with(first));
}

TEST(session_cache, drops_a_user_banned_by_another_virtual_host) {
    const auto& database = Suite::current().database();
    start_caching("3600",
                  "<VirtualHost *:${PORT}>\nServerName localhost\n</VirtualHost>\n"
                  "<VirtualHost *:${PORT}>\nServerName other.test\nDBDriver " +
                      database.driver() + "\nDBDParams \"" + database.params() +
                      (database.kind() == Kind::postgresql ? " application_name=other" : "") +
                      "\"\nDBDKeep 3\n" + location("/other/users", as_sara) + "</VirtualHost>\n");
    CHECK_EQUAL(std::string("200"), statuses_of(Caller::user, ulises_record));
    expect_success(client_->send(
        {"PUT", "/other/users/ulises-1", {"Host: other.test"}, R"({"banned":true})"}));
    CHECK_EQUAL(std::string("401"), statuses_of(Caller::user, ulises_record));
}

TEST(session_cache, virtual_hosts_from_a_file_included_twice_share_no_sessions) {
    make_database();
    const TestDatabase& suite = Suite::current().database();
    const auto file = Suite::current().work().make("included") / "site.conf";
    write_file(file, "<VirtualHost *:${SITE_PORT}>\nServerName ${SITE}.test\nDBDriver " +
                         suite.driver() + "\nDBDParams \"${SITE_PARAMS}\"\n" +
                         location("/api/users", "AuthUserAdmin On") + "</VirtualHost>\n");
    std::string sites = "Define SITE_PORT ${PORT}\nAuthUserAdminCache 60\n";
    for (const auto& [name, params] :
         {std::pair("a", suite.params()), {"b", own_->params()}, {"c", own_->params()}})
        sites += std::string("Define SITE ") + name + "\nDefine SITE_PARAMS \"" + params +
                 "\"\nInclude \"" + file.string() + "\"\nUnDefine SITE\nUnDefine SITE_PARAMS\n";
    start(sites);
    const auto status_at = [&](const std::string& host) {
        return client_->send({"GET", ulises_record, {"Host: " + host, bearer(Caller::user)}})
            .status;
    };
    CHECK_EQUAL(200, status_at("a.test"));
    CHECK_EQUAL(401, status_at("b.test"));
    CHECK_EQUAL(401, status_at("c.test"));
}

TEST(postgresql_session_cache, schemas_selected_by_DBDInitSQL_do_not_share_sessions) {
    // SQLite has no schemas.
    change("CREATE SCHEMA shop;"
           "CREATE TABLE shop.\"user\" (LIKE public.\"user\" INCLUDING ALL);"
           "CREATE TABLE shop.\"session\" (LIKE public.\"session\" INCLUDING ALL);"
           "CREATE TABLE shop.\"account\" (LIKE public.\"account\" INCLUDING ALL)",
           "DROP SCHEMA shop CASCADE");
    start("AuthUserAdminCache 60\n" +
          virtual_host("a.test", location("/api/users", "AuthUserAdmin On")) +
          // mod_dbd ignores DBDInitSQL if all other settings are equal to those of another host.
          virtual_host("b.test", "DBDKeep 3\nDBDInitSQL \"SET search_path TO shop\"\n" +
                                     location("/api/users", "AuthUserAdmin On")));
    const auto status_at = [&](const std::string& host) {
        return client_->send({"GET", ulises_record, {"Host: " + host, bearer(Caller::user)}})
            .status;
    };
    CHECK_EQUAL(200, status_at("a.test"));
    CHECK_EQUAL(401, status_at("b.test"));
}

TEST(session_cache, drops_a_user_banned_or_deleted_by_another_server) {
    start_caching("3600");
    const auto change_on_other_server = [](const char* method,
                                           const std::optional<std::string>& body) {
        expect_success(Suite::current().client().send(
            {method, ulises_record, {bearer(Caller::super_admin)}, body}));
    };
    const auto eventually_returns = [&](int status) {
        return eventually([&] { return status_of(Caller::user, ulises_record) == status; });
    };
    CHECK_EQUAL(200, status_of(Caller::user, ulises_record));
    change_on_other_server("PUT", R"({"banned":true})");
    CHECK_TRUE(eventually_returns(401));
    change_on_other_server("PUT", R"({"banned":false})");
    CHECK_TRUE(eventually_returns(200));
    change_on_other_server("DELETE", {});
    CHECK_TRUE(eventually_returns(401));
    // Other sessions stay cached.
    CHECK_EQUAL(200, status_of(Caller::super_admin, "/api/users"));
}

TEST(postgresql_session_cache, is_not_used_while_revocations_cannot_be_read) {
    // With SQLite, an open file can still be read.
    start_caching("3600");
    CHECK_EQUAL(200, status_of(Caller::user, ulises_record));
    for (const char* const line : {"UA0105", "UA0202", "dbd"})
        allow_log(line);
    Suite::current().database().make_unavailable();
    const bool is_rejected =
        eventually([&] { return status_of(Caller::user, "/api/users/other") == 503; });
    Suite::current().database().make_available();
    CHECK_TRUE(is_rejected);
    CHECK_TRUE(eventually([&] { return status_of(Caller::user, ulises_record) == 200; }));
}

TEST(session_cache, is_cleared_by_a_restart) {
    start_caching("3600");
    CHECK_EQUAL(200, status_of(Caller::user, ulises_record));
    delete_session_row();
    CHECK_EQUAL(200, status_of(Caller::user, ulises_record));
    httpd_->restart_gracefully();
    CHECK_TRUE(eventually([&] { return status_of(Caller::user, ulises_record) == 401; }));
}

TEST(session_cache, does_not_accept_another_Locations_signature) {
    environment_ = {{"SECRET", std::string(secret)}, {"OTHER", "another s3cr3t of somebody"}};
    start_caching("3600", location("/signed/users", "AuthUserAdmin On\n"
                                                    "AuthUserAdminSecret env:SECRET") +
                              location("/other/users", "AuthUserAdmin On\n"
                                                       "AuthUserAdminSecret env:OTHER"));
    const std::string authorization =
        "Authorization: Bearer " + signed_token(token_of(Caller::user), secret);
    const std::string of_other = "Authorization: Bearer " +
                                 signed_token(token_of(Caller::user), "another s3cr3t of somebody");
    for (int time = 0; time < 2; ++time) {
        CHECK_EQUAL(200, client_->send({"GET", "/signed/users/ulises-1", {authorization}}).status);
        CHECK_EQUAL(401, client_->send({"GET", "/other/users/ulises-1", {authorization}}).status);
        CHECK_EQUAL(401, client_->send({"GET", "/signed/users/ulises-1", {of_other}}).status);
    }
}

// --- Number of session lookups ---------------------------------------------------------------

class SessionLookups : public SessionCache {
  protected:
    /// Returns whether the database logs its statements.
    static bool logs_statements() { return is_postgresql(); }

    void setup() override {
        SessionCache::setup();
        if (logs_statements())
            change("ALTER ROLE useradmin SET log_statement = 'all'",
                   "ALTER ROLE useradmin RESET log_statement");
    }

    /// Returns the statements that httpd sent during the action.
    template <class Action>
    static std::vector<std::string> statements_during(const Action& action) {
        const auto log =
            std::filesystem::path(sql().value("SHOW data_directory").value_or("")).parent_path() /
            "log";
        const auto begin = read_file(log).size();
        action();
        std::vector<std::string> lines = lines_of(read_file(log).substr(begin));
        std::erase_if(lines,
                      [](const std::string& line) { return line.find("LOG:  ") == line.npos; });
        return lines;
    }

    /// Returns the number of statements for ten requests. This is the minimum of several attempts,
    /// because some requests also read the system catalog.
    template <class Ask>
    static std::size_t statements_of_ten(const Ask& ask) {
        std::size_t least = SIZE_MAX;
        for (int time = 0; time < 3; ++time) {
            ask();
            least = std::min(least, statements_during([&] {
                                        for (int request = 0; request < 10; ++request)
                                            ask();
                                    }).size());
        }
        return least;
    }

    /// Returns a Location with sessions whose handler redirects to another Location.
    static std::string redirecting_location(const std::string& path, const std::string& handler) {
        return test::handler(path, handler, "AuthUserAdmin On\n");
    }
    static constexpr const char* one_child =
        "ServerLimit 1\nStartServers 1\nMaxRequestWorkers 16\nDBDMax 1\nDBDKeep 1\n";
};

TEST_GROUP_BASE(session_lookups, SessionLookups){};

TEST(session_lookups, are_not_repeated_within_one_request) {
    if (!logs_statements() || Suite::current().mpm() == "prefork")
        return;
    start_caching("0", one_child + redirecting_location("/redirect", "test-redirect") +
                           redirecting_location("/subrequest", "test-subrequest"));
    HttpClient client(httpd_->port());
    for (const char* path : {"/redirect", "/subrequest"})
        CHECK_EQUAL(20U, statements_of_ten([&] {
                        const auto response =
                            client.send({"GET",
                                         path,
                                         {bearer(Caller::user),
                                          "X-Test-Target: " + std::string(ulises_record)}});
                        CHECK_EQUAL(200, response.status);
                    }));
}

} // namespace useradmin::test
