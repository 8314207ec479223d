// UserAdminTotalCache, and totals that many ask for at once.
#include "own_httpd.hpp"

#include "support/process.hpp"

#include <deque>
#include <set>
#include <sstream>

namespace useradmin::test {

namespace {

constexpr const char* searched = "/api/users?search=example.org";

std::string total_of(const Reply& reply) {
    return between(reply.body, R"("total":)", ",").value_or("(none)");
}

} // namespace

class TotalCache : public OwnHttpd {
  public:
    void teardown() override {
        OwnHttpd::teardown();
        // How large the catalogue takes the table for, the lists of the next tests would go by.
        if (Suite::current().kind() == Kind::postgresql)
            sql().run("DELETE FROM \"user\"; ANALYZE \"user\"");
    }

  protected:
    void start_keeping(const std::string& seconds, const std::string& further = {}) {
        start("UserAdminPasswordHash argon2id m=64\nUserAdminTotalCache " + seconds + "\n" +
                  location("/api/users", as_sara) + further,
              {"mod_status.so"});
    }

    /// The totals that all see who ask at once: "3", or "3 4".
    std::string totals_of(const std::string& path, int count = 24) {
        const std::vector<Request> requests(static_cast<std::size_t>(count), Request{"GET", path});
        std::set<std::string> totals;
        for (const auto& reply : client_->send_at_once(requests))
            totals.insert(total_of(reply));
        std::string text;
        for (const auto& total : totals)
            text += (text.empty() ? "" : " ") + total;
        return text;
    }

    static void add_behind_its_back(const std::string& id) {
        add_user({id, "Nueva", id + "@example.org", "user", "2026-02-01T00:00:00.000Z"});
    }
};

TEST_GROUP_BASE(total_cache, TotalCache){};

TEST(total_cache, reuses_totals_that_others_have_changed_in_all_children) {
    start_keeping("3600");
    CHECK_EQUAL(std::string("3"), totals_of(searched));
    add_behind_its_back("nueva");
    CHECK_EQUAL(std::string("3"), totals_of(searched));
    CHECK_EQUAL(std::string("4"), totals_of("/api/users?search=EXAMPLE.org"));
}

TEST(total_cache, reuses_totals_for_as_long_as_UserAdminTotalCache_says) {
    start_keeping("1");
    CHECK_EQUAL(std::string("3"), totals_of(searched));
    add_behind_its_back("nueva");
    CHECK_TRUE(eventually([&] { return totals_of(searched, 1) == "4"; }, std::chrono::seconds(30)));
}

TEST(total_cache, is_off_where_nobody_says_otherwise) {
    start(location("/api/users", as_sara));
    CHECK_EQUAL(std::string("3"), totals_of(searched));
    add_behind_its_back("nueva");
    CHECK_EQUAL(std::string("4"), totals_of(searched));
}

TEST(total_cache, is_right_at_once_after_the_service_itself_changes_users) {
    start_keeping("3600");
    const char* const of_role = "/api/users?role=editor&search=nobody";
    CHECK_EQUAL(std::string("3"), totals_of(searched));
    CHECK_EQUAL(std::string("0"), totals_of(of_role));
    const auto created =
        send("POST", "/api/users",
             R"({"name":"N","email":"n@example.org","password":"s3cr3t 123","role":"user"})");
    expect_success(created);
    CHECK_EQUAL(std::string("4"), totals_of(searched));
    expect_success(send("PUT", "/api/users/" + text_member(created, "id"), R"({"role":"editor"})"));
    CHECK_EQUAL(std::string("1"), totals_of(of_role));
    expect_success(send("DELETE", "/api/users/" + text_member(created, "id")));
    CHECK_EQUAL(std::string("3"), totals_of(searched));
    CHECK_EQUAL(std::string("0"), totals_of(of_role));
}

TEST(total_cache, is_right_after_another_virtual_host_changes_users) {
    start_keeping("3600", "<VirtualHost *:${PORT}>\nServerName localhost\n</VirtualHost>\n"
                          "<VirtualHost *:${PORT}>\nServerName other.test\nDBDKeep 3\n" +
                              location("/other/users", as_sara) + "</VirtualHost>\n");
    CHECK_EQUAL(std::string("3"), totals_of(searched));
    expect_success(client_->send({"DELETE", "/other/users/ulises-1", {"Host: other.test"}}));
    CHECK_EQUAL(std::string("2"), totals_of(searched));
}

TEST(total_cache, begins_anew_when_httpd_reads_its_configuration_anew) {
    start_keeping("3600");
    CHECK_EQUAL(std::string("3"), totals_of(searched));
    add_behind_its_back("nueva");
    httpd_->restart_gracefully();
    CHECK_TRUE(eventually([&] { return totals_of(searched, 1) == "4"; }));
}

TEST(total_cache, knows_the_totals_of_each_set_of_tables) {
    sql().run("CREATE TABLE \"other user\" AS SELECT * FROM \"user\" WHERE \"id\" = 'ada-1'");
    start_keeping("3600", location("/other/users",
                                   as_sara + "UserAdminTables \"other user\" session account"));
    CHECK_EQUAL(std::string("3"), totals_of(searched, 1));
    CHECK_EQUAL(std::string("1"), totals_of("/other/users?search=example.org", 1));
    CHECK_EQUAL(std::string("3"), totals_of(searched, 1));
    sql().run("DROP TABLE \"other user\"");
}

TEST(total_cache, or_none_sixteen_who_ask_for_the_same_total_at_once_cost_two_counts_at_most) {
    if (Suite::current().kind() != Kind::postgresql)
        return;
    sql().run("INSERT INTO \"user\" (\"id\", \"name\", \"email\", \"emailVerified\", \"role\", "
              "\"createdAt\", \"updatedAt\") SELECT 'n' || n, 'N', 'n' || n || '@example.org', "
              "TRUE, 'user', now(), now() FROM generate_series(1, 12000) n");
    sql().run("ANALYZE \"user\"");
    const auto log =
        std::filesystem::path(sql().value("SHOW data_directory").value_or("")).parent_path() /
        "log";
    for (const auto& [seconds, path] : {std::pair("0", "/api/users?limit=1"),
                                        std::pair("60", "/api/users?limit=1&search=example")}) {
        start_keeping(seconds, "UserAdminTimeout 60\n<Location \"/status\">\n"
                               "SetHandler server-status\n</Location>\n");
        sql().run("ALTER ROLE \"useradmin\" SET \"log_statement\" = 'all'");
        const auto begin = read_file(log).size();
        std::deque<RawConnection> connections;
        sql().run("BEGIN; LOCK TABLE \"user\" IN ACCESS EXCLUSIVE MODE");
        const auto waiting = [] {
            return sql().number("SELECT count(*) FROM pg_locks WHERE NOT granted");
        };
        for (int number = 0; number < 16; ++number) {
            connections.emplace_back(httpd_->port());
            connections.back().send("GET " + std::string(path) +
                                    " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        }
        // The one who asks for the status is at work as well. The others wait when the database has
        // nothing more to do than to let one of them wait.
        int quiet = 0;
        const bool all_are_at_work = eventually([&] {
            const auto status = client_->send({"GET", "/status?auto"}).body;
            sql().rows("SELECT pg_stat_clear_snapshot()");
            const bool is_quiet =
                between(status, "BusyWorkers: ", "\n") == "17" && waiting() == 1 &&
                sql().number("SELECT count(*) FROM pg_stat_activity WHERE backend_type = "
                             "'client backend' AND pid <> pg_backend_pid() AND state = 'active'") ==
                    1;
            quiet = is_quiet ? quiet + 1 : 0;
            return quiet > 20;
        });
        const long waiting_for_the_table = waiting();
        sql().run("COMMIT");
        std::vector<Reply> replies;
        for (const RawConnection& connection : connections)
            replies.push_back(parse_reply(connection.receive_all()));
        sql().run("ALTER ROLE \"useradmin\" RESET \"log_statement\"");
        CHECK_TRUE(all_are_at_work);
        for (const Reply& reply : replies)
            if (total_of(reply) != "12003")
                fail(reply, "another total", {});
        CHECK_EQUAL(1, waiting_for_the_table);
        std::istringstream lines(read_file(log).substr(begin));
        int counts = 0;
        for (std::string line; std::getline(lines, line);)
            counts += line.find("LOG:  execute") != line.npos && line.find("count(*)") != line.npos
                          ? 1
                          : 0;
        CHECK_TRUE(counts == 1 || counts == 2);
    }
}

} // namespace useradmin::test
