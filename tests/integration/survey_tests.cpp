// Log lines about the database, written once after httpd has started.
#include "own_httpd.hpp"

namespace useradmin::test {

class Survey : public OwnHttpd {
  protected:
    void start_with(const std::string& directives) {
        start(location("/api/users", as_sara + directives) +
              location("/other/users", as_sara + directives));
    }
    /// Returns how many log lines have this tag.
    static int count_lines_with(std::string_view tag) {
        const auto seen = LogWatch::instance().lines();
        int count = 0;
        for (auto at = seen.find(tag); at != std::string::npos; at = seen.find(tag, at + 1))
            ++count;
        return count;
    }
    /// Sends requests. When the last one returns, the survey that follows the first one has ended.
    void send_requests() {
        expect_success(send("GET", "/api/users"));
        expect_success(send("GET", "/api/users/sara-1"));
        expect_success(send("GET", "/other/users"));
    }
};

TEST_GROUP_BASE(survey, Survey){};

TEST(survey, warns_once_if_no_user_has_the_protected_address) {
    start_with("UserAdminProtectedEmail nadie@example.org\n");
    expect_log("UA0212: no user has the protected address 'nadie@example.org'");
    send_requests();
    CHECK_EQUAL(1, count_lines_with("UA0212"));
    CHECK_EQUAL(0, count_lines_with("UA0213"));
}

TEST(survey, warns_of_two_addresses_that_differ_only_in_case) {
    add_user({"twin", "Sara", "Sara@example.org", "user", "2026-01-01T00:00:00.000Z"});
    start_with("UserAdminProtectedEmail sara@example.org\n");
    expect_log("UA0213");
    send_requests();
    CHECK_EQUAL(1, count_lines_with("UA0213"));
}

TEST(survey, warns_of_a_missing_column_for_the_last_activity) {
    start_with("UserAdminProtectedEmail sara@example.org\nUserAdminLastSeen lastLoginAt\n");
    expect_log("UA0225: table");
    send_requests();
    CHECK_EQUAL(1, count_lines_with("UA0225"));
}

TEST(survey, warns_if_DBDMax_exceeds_the_connection_limit) {
    if (Suite::current().kind() != Kind::postgresql)
        return;
    // There are two children with four connections each, or 32 with one each.
    const int most = Suite::current().mpm() == "prefork" ? 32 : 8;
    const auto limit_connections = [&](int connections) {
        sql().run("ALTER ROLE bounded CONNECTION LIMIT " + std::to_string(connections));
    };
    sql().run("CREATE ROLE bounded LOGIN; GRANT ALL ON ALL TABLES IN SCHEMA public TO bounded");
    std::string directives = Suite::directives_for(Suite::current().database());
    const std::string owner = "user=useradmin";
    directives.replace(directives.find(owner), owner.size(), "user=bounded");
    directives += "DBDMax 4\n" +
                  location("/api/users", as_sara + "UserAdminProtectedEmail sara@example.org\n");
    const auto send_to_new_httpd = [&] {
        start(directives);
        expect_success(send("GET", "/api/users"));
        expect_success(send("GET", "/api/users/sara-1"));
        stop();
    };
    limit_connections(most);
    send_to_new_httpd();
    CHECK_EQUAL(0, count_lines_with("UA0216"));
    limit_connections(most - 1);
    expect_log("UA0216: httpd's children may open " + std::to_string(most) +
               " connections, but the database allows this account only " +
               std::to_string(most - 1) + "; lower DBDMax, or raise max_connections");
    send_to_new_httpd();
    CHECK_EQUAL(1, count_lines_with("UA0216"));
    sql().run("DROP OWNED BY bounded; DROP ROLE bounded");
}

TEST(survey, is_not_repeated_after_a_timeout) {
    if (Suite::current().kind() != Kind::postgresql)
        return;
    start_with("UserAdminTimeout 5\nUserAdminProtectedEmail nadie@example.org\n");
    CHECK_EQUAL(404, send("GET", "/api/users/unknown").status);
    expect_log("UA0107: the query timed out after 5 s");
    // Of all statements, only the survey reads this table.
    sql().run("BEGIN; LOCK TABLE pg_catalog.pg_db_role_setting IN ACCESS EXCLUSIVE MODE");
    expect_success(send("GET", "/api/users"));
    const bool has_timed_out = eventually([] { return count_lines_with("UA0107") > 0; });
    sql().run("COMMIT");
    CHECK_TRUE(has_timed_out);
    send_requests();
    CHECK_EQUAL(0, count_lines_with("UA0212"));
}

TEST(survey, does_not_delay_replies) {
    if (Suite::current().kind() != Kind::postgresql)
        return;
    start_with("UserAdminTimeout 300\nUserAdminProtectedEmail sara@example.org\n");
    CHECK_EQUAL(404, send("GET", "/api/users/unknown").status);
    // Of all statements, only the survey reads this table.
    sql().run("BEGIN; LOCK TABLE pg_catalog.pg_db_role_setting IN ACCESS EXCLUSIVE MODE");
    const Reply reply = send("GET", "/api/users/sara-1");
    sql().run("COMMIT");
    expect_success(reply);
}

TEST(survey, runs_after_the_first_answered_request) {
    start_with("UserAdminProtectedEmail nadie@example.org\n");
    // On a connection, httpd runs what follows a reply before the next request.
    for (int time = 0; time < 2; ++time)
        CHECK_EQUAL(404, send("GET", "/api/users/unknown").status);
    CHECK_EQUAL(0, count_lines_with("UA0212"));
    expect_log("UA0212");
    send_requests();
}

} // namespace useradmin::test
