// A database that keeps connections open but does not respond, because it is suspended, swapped out
// or unreachable. PostgreSQL only: SQLite runs in the child itself.
#include "own_httpd.hpp"

#include <algorithm>
#include <thread>

namespace useradmin::test {

namespace {

constexpr const char* new_user = R"({"name":"N","email":"n@x","password":"s3cr3t","role":"user"})";

bool are_successes(const std::vector<Response>& responses) {
    return std::all_of(
        responses.begin(), responses.end(),
        [](const Response& response) { return response.status == 200; });
}

} // namespace

class FrozenDatabase : public OwnHttpd {
  protected:
    /// Creates a PostgreSQL database. Returns false in runs with SQLite, which cannot be frozen.
    bool create_database() {
        allow_log("AH00629"); // mod_dbd: Can't connect to …
        allow_log("AH00632");
        allow_log("AH00633");
        allow_log("dbd");
        if (Suite::current().kind() != Kind::postgresql)
            return false;
        make_database();
        own_->sql().insert("user",
                           {{"id", "ada"}, {"name", "Ada"}, {"email", "ada@x"}, {"role", "user"}});
        return true;
    }

    void teardown() override {
        if (own_ != nullptr)
            own_->thaw();
        OwnHttpd::teardown();
    }

    /// Starts an httpd whose DBDParams set no timeout.
    void start_without_timeout(const std::string& configuration) {
        std::string directives = Suite::directives_for(*own_);
        const std::string bound = " connect_timeout=30";
        directives.erase(directives.find(bound), bound.size());
        auto settings = Suite::current().settings(directives + configuration);
        httpd_ = std::make_unique<Httpd>(Suite::current().work(), settings);
        client_ = std::make_unique<HttpClient>(httpd_->port());
    }

    /// Uses the suite's long timeout, so its requests succeed on a busy machine, too.
    const std::string patient = location("/patient/users", as_sara);

    void expect_unavailable(const Response& response) {
        expect_error(response, 503, unavailable);
        CHECK_TEXT(response.header("Retry-After").has_value(), response.text().c_str());
    }

    /// Sends the requests simultaneously to save time.
    void expect_unavailable(std::vector<Request> requests) {
        allow_log("MaxRequestWorkers"); // all workers wait
        for (Request& request : requests)
            request.timeout = std::chrono::seconds(45);
        for (const Response& response : client_->send_at_once(requests))
            expect_unavailable(response);
    }
};

TEST_GROUP_BASE(frozen_database, FrozenDatabase){};

TEST(frozen_database, results_in_503_within_the_timeout) {
    if (!create_database())
        return;
    allow_log("UA0");
    expect_log("UA0107: the query timed out after 1 s (UserAdminTimeout)");
    start_without_timeout(
        location("/api/users", as_sara + "UserAdminTimeout 1") +
        location("/with-sessions/users", "AuthUserAdmin On\nAuthUserAdminTimeout 1") + patient);
    const std::vector<Request> reads(27, Request{"GET", "/api/users/ada"});
    const std::vector<Request> patient_reads(27, Request{"GET", "/patient/users?limit=1"});
    for (const Response& response : client_->send_at_once(patient_reads))
        expect_success(response);
    own_->freeze();
    // These are more requests than connections.
    std::vector<Request> requests = {
        {"GET", "/api/users"},
        {"POST", "/api/users", {}, new_user},
        {"PUT", "/api/users/ada", {}, R"({"name":"X"})"},
        {"DELETE", "/api/users/ada"},
        {"GET", "/with-sessions/users", {bearer(Caller::super_admin)}}};
    requests.insert(requests.end(), reads.begin(), reads.end());
    expect_unavailable(requests);
    own_->thaw();
    CHECK(eventually([&] { return send("GET", "/api/users").status == 200; }));
    CHECK(eventually([&] { return send("GET", "/with-sessions/users").status == 401; }));
    // Connections that survived work again, too.
    CHECK(eventually([&] { return are_successes(client_->send_at_once(patient_reads)); }));
}

TEST(frozen_database, results_in_503_even_at_startup) {
    if (!create_database())
        return;
    allow_log("UA0");
    // A prefork child processes one request at a time, so no request waits for another.
    const bool is_prefork = Suite::current().mpm() == "prefork";
    expect_log(is_prefork ? "UA0202: mod_dbd provided no connection; "
                          : "UA0229: no time was left to connect to the database, because");
    own_->freeze();
    start_without_timeout("DBDMin 0\n" + location("/api/users", as_sara + "UserAdminTimeout 1") +
                          handler("/metrics", "useradmin-metrics") + patient);
    const std::vector<Request> requests(32, Request{"GET", "/api/users"});
    expect_unavailable(requests);
    const std::string metrics = client_->send({"GET", "/metrics"}).body;
    const auto rejections = [&](const std::string& reason) {
        const std::string label = "reason=\"" + reason + "\"} ";
        const std::size_t at = metrics.find("useradmin_refusals_total{");
        return std::stol(metrics.substr(metrics.find(label, at) + label.size()));
    };
    // In each child, only one thread connects.
    CHECK(is_prefork || rejections("connection-failed") < rejections("connection-wait"));
    own_->thaw();
    CHECK(eventually([&] {
        return are_successes(
            client_->send_at_once(std::vector<Request>(32, Request{"GET", "/patient/users"})));
    }));
}

TEST(frozen_database, cancels_abandoned_statements) {
    // PostgreSQL 14 and later can check during a query whether the client is still connected.
    if (!create_database() || own_->sql().number("SHOW server_version_num") < 140000)
        return;
    allow_log("UA0");
    start_without_timeout(location("/api/users", as_sara + "UserAdminTimeout 1"));
    own_->sql().run("BEGIN; LOCK TABLE \"account\" IN ACCESS EXCLUSIVE MODE");
    expect_unavailable(send("POST", "/api/users", new_user));
    // The lock is still held, but no statement is waiting for it.
    CHECK(eventually([&] {
        return own_->sql().number("SELECT count(*) FROM pg_locks WHERE NOT granted") == 0;
    }));
    own_->sql().run("COMMIT");
    CHECK_EQUAL(0, own_->sql().number("SELECT count(*) FROM \"user\" WHERE \"email\" = 'n@x'"));
}

} // namespace useradmin::test
