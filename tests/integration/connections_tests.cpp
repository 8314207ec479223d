// Requests that wait for a connection in mod_dbd's pool.
#include "own_httpd.hpp"

#include "support/process.hpp"

#include <algorithm>
#include <deque>

namespace useradmin::test {

namespace {

Database& suite_sql() {
    return Suite::current().database().sql();
}

/// Locks the user table for the lifetime of the object.
class Lock {
  public:
    Lock() { suite_sql().run("BEGIN; LOCK TABLE \"user\" IN ACCESS EXCLUSIVE MODE"); }
    ~Lock() { suite_sql().run("COMMIT"); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
};

/// An advisory lock of PostgreSQL, for the lifetime of the object.
class AdvisoryLock {
  public:
    AdvisoryLock() { suite_sql().rows("SELECT pg_advisory_lock(1)"); }
    ~AdvisoryLock() { suite_sql().rows("SELECT pg_advisory_unlock(1)"); }
    AdvisoryLock(const AdvisoryLock&) = delete;
    AdvisoryLock& operator=(const AdvisoryLock&) = delete;
};

/// The SQL expression that waits until there is no AdvisoryLock.
const std::string await_advisory_lock = "pg_advisory_xact_lock_shared(1)";

/// Waits until this many connections wait for locks of the type.
bool await_waiting_connections(int count, const std::string& type) {
    return eventually([&] {
        return suite_sql().number("SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype "
                                  "= '" +
                                  type + "'") == count;
    });
}

} // namespace

class Connections : public OwnHttpd {
  protected:
    /// Returns whether a request can wait for a connection that another request in its child holds.
    /// A prefork child has one thread. With a locked SQLite database, no request holds a
    /// connection.
    static bool can_exhaust_connections() {
        return Suite::current().mpm() != "prefork" && Suite::current().kind() == Kind::postgresql;
    }

    void teardown() override {
        waiting_.clear();
        OwnHttpd::teardown();
    }

    /// Sends enough requests that one in each child waits for the database.
    void occupy(const std::string& path, const std::string& host = "localhost") {
        for (int number = 0; number < 8; ++number)
            send_without_waiting(path, "Host: " + host);
    }
    void send_without_waiting(const std::string& path, const std::string& headers) {
        waiting_.emplace_back(httpd_->port());
        waiting_.back().send("GET " + path + " HTTP/1.1\r\n" + headers +
                             "\r\nConnection: close\r\n\r\n");
    }
    /// Returns whether one of the requests got 503, because its child has only one connection.
    bool one_was_rejected() {
        return eventually([this] {
            return std::any_of(
                waiting_.begin(), waiting_.end(),
                [](const auto& connection) {
                    return connection.has_input(std::chrono::milliseconds(10));
                });
        });
    }

    /// All requests use the same pool.
    static constexpr const char* one_child =
        "ServerLimit 1\nStartServers 1\nMaxRequestWorkers 16\nMaxSpareThreads 16\n";

    /// Starts httpd with one child that opens and closes a connection for each use.
    void start_without_persistence(const std::string& configuration) {
        start(one_child + ("DBDPersist Off\n" + configuration));
        // After the first request, the child checks the database before it reads the second.
        for (int time = 0; time < 2; ++time)
            expect_success(send("GET", "/api/users"));
    }

    /// Returns the by_table provider, which accepts the password "s3cr3t". condition: added to its
    /// query. mod_authn_dbd keeps its connection until the request ends.
    static std::string provider(const std::string& condition = "") {
        sql().run("UPDATE \"user\" SET \"image\" = '{SHA}JauGvtFJymypwcDV23yakTiN3qs='");
        return "<AuthnProviderAlias dbd by_table>\n"
               "AuthDBDUserPWQuery \"SELECT \\\"image\\\" FROM \\\"user\\\" "
               "WHERE \\\"email\\\" = %s" +
               condition + "\"\n</AuthnProviderAlias>\n";
    }
    static constexpr const char* by_provider =
        "AuthType Basic\nAuthName x\nAuthBasicProvider by_table\nRequire valid-user\n"
        "</Location>\n";
    /// sara@example.org:s3cr3t
    static constexpr const char* basic = "Authorization: Basic c2FyYUBleGFtcGxlLm9yZzpzM2NyM3Q=";
    const std::vector<std::string> provider_modules = {"mod_auth_basic.so", "mod_authn_dbd.so",
                                                       "mod_authz_user.so"};

    std::deque<RawConnection> waiting_;
};

TEST_GROUP_BASE(connections, Connections){};
TEST_GROUP_BASE(postgresql_connections, Connections){};

TEST(postgresql_connections, that_the_request_already_has_are_reused) {
    // Not for SQLite: apr_dbd's driver returns no row for mod_authn_dbd's query.
    start("DBDMax 2\nDBDKeep 2\n" + provider() + "<Location \"/api/users\">\nUserAdmin On\n" +
              as_sara + by_provider,
          provider_modules);
    // The forty concurrent requests may exceed the number of idle workers.
    allow_log("server reached MaxRequestWorkers");
    const std::vector<Request> requests(40, Request{"GET", "/api/users", {basic}});
    for (const auto& response : client_->send_at_once(requests))
        expect_success(response);
}

TEST(connections, that_another_module_holds_do_not_block_other_requests) {
    if (!can_exhaust_connections())
        return;
    start(one_child +
              ("DBDMax 2\nDBDKeep 2\n" + provider(" AND " + await_advisory_lock + " IS NOT NULL") +
               "<Location \"/held\">\n" + by_provider + location("/api/users", "AuthUserAdmin On")),
          provider_modules);
    const AdvisoryLock advisory_lock;
    send_without_waiting("/held", "Host: localhost\r\n" + std::string(basic));
    CHECK(await_waiting_connections(1, "advisory"));
    const std::vector<Request> requests(
        12, Request{"GET", "/api/users", {bearer(Caller::super_admin)}});
    for (const auto& response : client_->send_at_once(requests))
        expect_success(response);
    CHECK(await_waiting_connections(1, "advisory"));
}

TEST(connections, slow_to_open_without_DBDPersist_do_not_crash_the_child) {
    if (!can_exhaust_connections())
        return;
    start_without_persistence("DBDInitSQL \"SELECT " + await_advisory_lock + "\"\n" +
                              location("/api/users", as_sara));
    {
        std::optional<Lock> lock(std::in_place);
        occupy("/api/users/ulises-1");
        CHECK(await_waiting_connections(8, "relation"));
        const AdvisoryLock advisory_lock;
        send_without_waiting("/api/users/ulises-1", "Host: localhost");
        CHECK(await_waiting_connections(1, "advisory"));
        // The requests return their connections while another one is being opened.
        lock.reset();
        for (std::size_t number = 0; number < 8; ++number)
            CHECK_EQUAL(200, parse_response(waiting_.at(number).receive_response()).status);
    }
    CHECK_EQUAL(200, parse_response(waiting_.back().receive_response()).status);
    for (int time = 0; time < 20; ++time)
        expect_success(send("GET", "/api/users"));
}

TEST(connections, timing_out_without_DBDPersist_do_not_crash_the_child) {
    if (!can_exhaust_connections())
        return;
    expect_log("UA0107");
    // On a busy machine, the connections cannot all be opened within a second.
    allow_log("UA0202");
    start_without_persistence(location("/api/users", as_sara) +
                              location("/short/users", as_sara + "UserAdminTimeout 1"));
    {
        const Lock lock;
        occupy("/short/users");
        for (const auto& connection : waiting_)
            CHECK_EQUAL(503, parse_response(connection.receive_response()).status);
    }
    for (int time = 0; time < 20; ++time)
        expect_success(send("GET", "/api/users"));
}

TEST(connections, are_limited_to_DBDMax_even_if_it_is_quoted) {
    if (!can_exhaust_connections())
        return;
    expect_log("UA0201");
    allow_log("UA010");
    start("DBDMax \"1\"\nDBDKeep 1\n" + location("/long/users", as_sara + "UserAdminTimeout 30") +
          location("/short/users", as_sara + "UserAdminTimeout 1"));
    const Lock lock;
    occupy("/long/users");
    occupy("/short/users");
    CHECK(one_was_rejected());
}

TEST(connections, connections_of_one_virtual_host_do_not_delay_another) {
    if (!can_exhaust_connections())
        return;
    allow_log("UA010");
    allow_log("UA0201");
    TestDatabase other(Suite::current().work(), Suite::current().kind(), "neighbor");
    const std::string few = "DBDMax 1\nDBDKeep 1\n";
    start(virtual_host("slow.test", few + location("/api/users", as_sara + "UserAdminTimeout 60")) +
          virtual_host("quick.test", Suite::directives_for(other) + few +
                                         location("/api/users", as_sara + "UserAdminTimeout 30")));
    const Lock lock;
    occupy("/api/users", "slow.test");
    for (int time = 0; time < 8; ++time) {
        HttpClient client(httpd_->port());
        expect_success(client.send({"GET", "/api/users", {"Host: quick.test"}}));
    }
}

TEST(connections, virtual_hosts_with_the_same_settings_share_connections) {
    if (!can_exhaust_connections())
        return;
    expect_log("UA0201");
    allow_log("UA010");
    const std::string same =
        Suite::directives_for(Suite::current().database()) + "DBDMax 1\nDBDKeep 1\n";
    start(
        virtual_host("long.test", same + location("/api/users", as_sara + "UserAdminTimeout 30")) +
        virtual_host("short.test", same + location("/api/users", as_sara + "UserAdminTimeout 1")));
    const Lock lock;
    occupy("/api/users", "long.test");
    occupy("/api/users", "short.test");
    CHECK(one_was_rejected());
}

TEST(connections, that_could_not_be_opened_are_not_counted) {
    allow_log("UA0");
    allow_log("AH0062"); // mod_dbd: cannot connect
    allow_log("AH0063");
    make_database();
    own_->make_unavailable();
    start("DBDMax 1\nDBDKeep 1\n" + location("/api/users", as_sara));
    for (int time = 0; time < 12; ++time)
        expect_error(send("GET", "/api/users"), 503, unavailable);
    own_->make_available();
    CHECK(eventually([&] { return send("GET", "/api/users").status == 200; }));
    allow_log("dbd");
}

} // namespace useradmin::test
