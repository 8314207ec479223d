// Requests that wait for a connection in mod_dbd's pool.
#include "own_httpd.hpp"

#include "support/process.hpp"

#include <algorithm>
#include <deque>

namespace useradmin::test {

namespace {

/// Locks the user table for the lifetime of the object.
class Lock {
  public:
    Lock() { sql().run("BEGIN; LOCK TABLE \"user\" IN ACCESS EXCLUSIVE MODE"); }
    ~Lock() { sql().run("COMMIT"); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

  private:
    static Database& sql() { return Suite::current().database().sql(); }
};

} // namespace

class Connections : public OwnHttpd {
  protected:
    /// Returns whether a request can wait for a connection that another request in its child holds.
    /// A prefork child has one thread. With a locked SQLite database, no request holds a
    /// connection.
    static bool can_be_occupied() {
        return Suite::current().mpm() != "prefork" && Suite::current().kind() == Kind::postgresql;
    }

    void teardown() override {
        waiting_.clear();
        OwnHttpd::teardown();
    }

    /// Sends enough requests that one in each child waits for the database.
    void occupy(const std::string& path, const std::string& host = "localhost") {
        for (int number = 0; number < 8; ++number) {
            waiting_.emplace_back(httpd_->port());
            waiting_.back().send("GET " + path + " HTTP/1.1\r\nHost: " + host +
                                 "\r\nConnection: close\r\n\r\n");
        }
    }
    /// Returns whether one of the requests got 503, because its child has only one connection.
    bool one_was_refused() {
        return eventually([this] {
            return std::any_of(
                waiting_.begin(), waiting_.end(),
                [](const auto& connection) {
                    return connection.has_input(std::chrono::milliseconds(10));
                });
        });
    }

    std::deque<RawConnection> waiting_;
};

TEST_GROUP_BASE(connections, Connections){};

TEST(connections, that_the_request_already_has_are_reused) {
    // Not for SQLite: apr_dbd's driver returns no row for mod_authn_dbd's query.
    if (Suite::current().kind() != Kind::postgresql)
        return;
    sql().run("UPDATE \"user\" SET \"image\" = '{SHA}JauGvtFJymypwcDV23yakTiN3qs='");
    // mod_authn_dbd keeps its connection until the request ends. The password is "s3cr3t".
    start("DBDMax 2\nDBDKeep 2\n"
          "<AuthnProviderAlias dbd by_table>\n"
          "AuthDBDUserPWQuery \"SELECT \\\"image\\\" FROM \\\"user\\\" "
          "WHERE \\\"email\\\" = %s\"\n</AuthnProviderAlias>\n"
          "<Location \"/api/users\">\nUserAdmin On\n" +
              as_sara +
              "AuthType Basic\nAuthName x\nAuthBasicProvider by_table\nRequire valid-user\n"
              "</Location>\n",
          {"mod_auth_basic.so", "mod_authn_dbd.so", "mod_authz_user.so"});
    // The forty concurrent requests may exceed the number of idle workers.
    allow_log("server reached MaxRequestWorkers");
    // sara@example.org:s3cr3t
    const std::string basic = "Authorization: Basic c2FyYUBleGFtcGxlLm9yZzpzM2NyM3Q=";
    const std::vector<Request> requests(40, Request{"GET", "/api/users", {basic}});
    for (const auto& reply : client_->send_at_once(requests))
        expect_success(reply);
}

TEST(connections, are_limited_to_DBDMax_even_if_it_is_quoted) {
    if (!can_be_occupied())
        return;
    expect_log("UA0201");
    allow_log("UA010");
    start("DBDMax \"1\"\nDBDKeep 1\n" + location("/long/users", as_sara + "UserAdminTimeout 30") +
          location("/short/users", as_sara + "UserAdminTimeout 1"));
    const Lock lock;
    occupy("/long/users");
    occupy("/short/users");
    CHECK(one_was_refused());
}

TEST(connections, of_one_virtual_host_do_not_delay_another) {
    if (!can_be_occupied())
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

TEST(connections, of_virtual_hosts_with_the_same_settings_are_shared) {
    if (!can_be_occupied())
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
    CHECK(one_was_refused());
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
