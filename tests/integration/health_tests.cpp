// SetHandler useradmin-health: health checks of a load balancer.
#include "own_httpd.hpp"

#include "support/ports.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace useradmin::test {

class Health : public OwnHttpd {
  protected:
    static std::string health_location(const std::string& directives = {}) {
        return handler("/health", "useradmin-health", directives);
    }
    Response health(const std::vector<std::string>& headers = {},
                    const std::string& method = "GET") {
        const Response response = client_->send({method, "/health", headers});
        CHECK_EQUAL(std::string("no-store"), response.header("Cache-Control").value_or(""));
        CHECK_EQUAL(std::string("text/plain; charset=utf-8"),
                    response.header("Content-Type").value_or(""));
        CHECK_EQUAL(std::string("nosniff"), response.value("X-Content-Type-Options"));
        return response;
    }
    void expect_health(int status, const std::string& body,
                       const std::vector<std::string>& headers = {}) {
        const Response response = health(headers);
        CHECK_EQUAL(status, response.status);
        CHECK_EQUAL(body, response.body);
    }
};

TEST_GROUP_BASE(health, Health){};
TEST_GROUP_BASE(postgresql_health, Health){};

TEST(health, returns_200_while_the_database_answers) {
    start(health_location());
    expect_health(200, "ok\n");
    const Response head = health({}, "HEAD");
    CHECK_EQUAL(200, head.status);
    CHECK_EQUAL(std::string(), head.body);
}

TEST(health, below_a_base_address_is_not_counted) {
    start(location("/", as_sara) + health_location() + handler("/metrics", "useradmin-metrics"));
    expect_health(200, "ok\n");
    const std::string metrics = client_->send({"GET", "/metrics"}).body;
    STRCMP_CONTAINS("# TYPE useradmin_requests_total", metrics.c_str());
    CHECK_EQUAL(std::string::npos, metrics.find("useradmin_requests_total{"));
}

TEST(health, allows_only_GET_HEAD_and_OPTIONS) {
    start(health_location());
    expect_read_methods_only("/health");
}

TEST(health, shows_the_reason_only_to_local_callers) {
    for (const char* line : {"UA0", "AH00", "dbd"})
        allow_log(line);
    make_database();
    start("RemoteIPHeader X-Client\nRemoteIPInternalProxy 127.0.0.1\n" + health_location(),
          {"mod_remoteip.so"});
    // If SQLite's file were opened now, the child could still use it after the outage begins.
    if (Suite::current().kind() == Kind::postgresql)
        expect_health(200, "ok\n");
    own_->make_unavailable();
    CHECK_EQUAL(503, health({}, "HEAD").status);
    for (const char* header :
         {"X-Client: 192.0.2.1", "X-Client: 2001:db8::1", "X-Forwarded-For: 127.0.0.1",
          "Forwarded: for=127.0.0.1", "Via: 1.1 proxy"})
        expect_health(503, "unavailable\n", {header});
    STRCMP_CONTAINS("unavailable\nUA0", health({"X-Client: ::1"}).body.c_str());
    own_->make_available();
    CHECK(eventually([&] { return health().status == 200; }));
}

TEST(postgresql_health, returns_503_within_the_timeout_while_the_database_hangs) {
    for (const char* line : {"UA0", "AH00", "dbd"})
        allow_log(line);
    make_database();
    start(health_location("UserAdminTimeout 1\n"));
    CHECK(eventually([&] {
        const Response response = health();
        return response.status == 200 && response.body == "ok\n";
    }));
    own_->freeze();
    expect_log("UA0107: the query timed out after 1 s (UserAdminTimeout)");
    STRCMP_CONTAINS("unavailable\nUA0107: the query timed out after 1 s (UserAdminTimeout)",
                    health().body.c_str());
    own_->thaw();
    CHECK(eventually([&] { return health().status == 200; }));
}

TEST(health, returns_503_while_the_drain_file_exists) {
    const std::filesystem::path file = Suite::current().work().path() / "drain";
    start(health_location("UserAdminDrainFile " + file.string() + "\n"));
    expect_health(200, "ok\n");
    std::ofstream(file).close();
    expect_health(503, "draining\n" + file.string() + " exists; run: useradminctl drain off\n");
    expect_health(503, "draining\n", {"Via: 1.1 proxy"});
    std::filesystem::remove(file);
    expect_health(200, "ok\n");
}

TEST(health, returns_503_if_it_cannot_check_for_the_drain_file) {
    const std::filesystem::path file = Suite::current().work().path() / "loop";
    std::filesystem::create_symlink(file, file);
    start(health_location("UserAdminDrainFile " + file.string() + "\n"));
    expect_health(503, "unavailable\ncannot check whether UserAdminDrainFile " + file.string() +
                           " exists: Too many levels of symbolic links\n");
    std::filesystem::remove(file);
    expect_health(200, "ok\n");
}

TEST(health, shows_local_callers_whether_the_audit_log_works) {
    expect_log("UA0401");
    const std::string log = unwritable_log("health-audit").string();
    start("UserAdminAuditLog " + log + "\n" + health_location() + location("/api/users", as_sara));
    expect_health(200, "ok\naudit log " + log + ": ok\n");
    expect_success(client_->send({"PUT", "/api/users/ulises-1", {}, R"({"name":"U"})"}));
    expect_health(200, "ok\naudit log " + log + ": No space left on device\n");
    expect_health(200, "ok\n", {"Via: 1.1 proxy"});
}

TEST(health, names_only_the_program_of_an_audit_log) {
    start("UserAdminAuditLog \"|/bin/sh -c 'while read line; do :; done'\"\n" + health_location());
    expect_health(200, "ok\naudit log |/bin/sh: ok\n");
}

TEST(health, answers_a_request_that_begins_before_a_graceful_stop) {
    const std::filesystem::path file = Suite::current().work().path() / "stopping";
    start(health_location("UserAdminDrainFile " + file.string() + "\n") +
              handler("/server-status", "server-status"),
          {"mod_status.so"});
    const RawConnection running(httpd_->port());
    CHECK(running.send("GET /health HTTP/1.1\r\nHost: localhost\r\n"));
    // Wait until a worker reads the request.
    CHECK(eventually([&] {
        const std::string status = client_->send({"GET", "/server-status?auto"}).body;
        return between(status, "Scoreboard: ", "\n").value_or("").find('R') != std::string::npos;
    }));
    std::ofstream(file).close();
    ::kill(httpd_->main_process(), SIGWINCH);
    CHECK(eventually([&] {
        const int socket = connect_to(httpd_->port());
        return socket < 0 || ::close(socket) != 0;
    }));
    CHECK(running.send("\r\n"));
    const Response response = parse_response(running.receive_all());
    CHECK_EQUAL(503, response.status);
    CHECK_EQUAL(std::string("close"), response.value("Connection"));
    STRCMP_CONTAINS("draining\n", response.body.c_str());
    std::filesystem::remove(file);
}

TEST(health, escapes_control_characters_in_the_reason) {
    expect_log("UA0103");
    start(health_location("UserAdminTables \"us\x1b\u009b\u202eer\" session account\n"));
    const Response response = health();
    CHECK_EQUAL(503, response.status);
    STRCMP_CONTAINS("UA0103", response.body.c_str());
    STRCMP_CONTAINS("us\\x1b\\u009b\\u202eer", response.body.c_str());
    CHECK(response.body.find('\x1b') == std::string::npos);
}

TEST(health, returns_503_if_no_database_is_configured) {
    auto settings = Suite::current().settings(health_location());
    httpd_ = std::make_unique<Httpd>(Suite::current().work(), settings);
    client_ = std::make_unique<HttpClient>(httpd_->port());
    const Response response = health();
    CHECK_EQUAL(503, response.status);
    STRCMP_CONTAINS("unavailable\nDBDriver is not set", response.body.c_str());
}

} // namespace useradmin::test
