// SetHandler useradmin-metrics: Prometheus metrics of a running server.
#include "own_httpd.hpp"

#include "support/machine.hpp"
#include "support/process.hpp"

#include <functional>
#include <memory>
#include <regex>

namespace useradmin::test {

namespace {

const std::string metrics_location = handler("/metrics", "useradmin-metrics");

} // namespace

class Metrics : public OwnHttpd {
  protected:
    /// Starts the service and sign-in in three virtual hosts.
    void start_three(const std::string& configuration = {}) {
        std::string all = "UserAdminPasswordHash argon2id m=64\nUserAdminHashQueue 32\n" +
                          configuration + metrics_location;
        for (const char* name : {"one.test", "two.test", "three.test"})
            all += virtual_host(name,
                                location("/api/users", "AuthUserAdmin On") + sign_in("/auth", ""));
        start(all);
    }

    /// Sends a request to the service in the virtual host.
    Response send_to_host(const std::string& host, const std::string& method,
                          const std::string& path, const std::optional<std::string>& body = {},
                          std::vector<std::string> headers = {bearer(Caller::super_admin)}) {
        headers.push_back("Host: " + host);
        return client_->send({method, path, headers, body});
    }

    std::string metrics(const std::string& path = "/metrics") {
        const Response response = client_->send({"GET", path});
        CHECK_EQUAL(200, response.status);
        return response.body;
    }

    /// Returns the value of a sample, or "(none)". Replaces "${PORT}" in the name with the port.
    std::string sample(std::string name) {
        constexpr std::string_view port = "${PORT}";
        if (const auto at = name.find(port); at != name.npos)
            name.replace(at, port.size(), std::to_string(httpd_->port()));
        return between("\n" + metrics(), "\n" + name + " ", "\n").value_or("(none)");
    }
    /// Waits until the sample has this value, because requests are counted after the response.
    void expect_sample(const std::string& name, const std::string& value,
                       SourceLocation where = {}) {
        std::string last;
        if (!eventually([&] { return (last = sample(name)) == value; }))
            UtestShell::getCurrent()->fail(
                (name + " is " + last + ", not " + value + ":\n" + metrics()).c_str(), where.file,
                static_cast<std::size_t>(where.line));
    }
    static std::string request_sample(const std::string& host, const std::string& operation,
                                      int status) {
        return "useradmin_requests_total{virtual_host=\"" + host + ":${PORT}\",operation=\"" +
               operation + "\",status=\"" + std::to_string(status) + "\"}";
    }
};

TEST_GROUP_BASE(metrics, Metrics){};
TEST_GROUP_BASE(postgresql_metrics, Metrics){};

TEST(metrics, count_each_request_by_virtual_host_operation_and_status) {
    start_three();
    const std::string user = user_json("n@x");
    for (int time = 0; time < 3; ++time)
        expect_success(send_to_host("one.test", "GET", "/api/users"));
    CHECK_EQUAL(200, send_to_host("one.test", "HEAD", "/api/users").status);
    expect_success(send_to_host("one.test", "GET", "/api/users/" + ada().id));
    expect_success(send_to_host("two.test", "POST", "/api/users", user));
    CHECK_EQUAL(400, send_to_host("two.test", "POST", "/api/users", user).status);
    expect_success(send_to_host("one.test", "PUT", "/api/users/" + ulises().id, R"({"name":"U"})"));
    expect_success(send_to_host("one.test", "DELETE", "/api/users/" + ulises().id));
    CHECK_EQUAL(404, send_to_host("one.test", "GET", "/api/users/nobody").status);
    CHECK_EQUAL(401, send_to_host("one.test", "GET", "/api/users", {}, {}).status);
    CHECK_EQUAL(405, send_to_host("one.test", "PATCH", "/api/users").status);
    CHECK_EQUAL(204, send_to_host("one.test", "OPTIONS", "/api/users").status);
    CHECK_EQUAL(404, send_to_host("one.test", "GET", "/api/users/a/b").status);
    CHECK_EQUAL(200, send_to_host("one.test", "GET", "/auth/get-session").status);
    CHECK_EQUAL(401, send_to_host("three.test", "POST", "/auth/sign-in/email",
                                  sign_in_body("a@x.org", "s3cr3t"))
                         .status);
    expect_sample(request_sample("one.test", "list", 200), "4");
    expect_sample(request_sample("one.test", "get", 200), "1");
    expect_sample(request_sample("two.test", "create", 200), "1");
    expect_sample(request_sample("two.test", "create", 400), "1");
    expect_sample(request_sample("one.test", "update", 200), "1");
    expect_sample(request_sample("one.test", "delete", 200), "1");
    expect_sample(request_sample("one.test", "get", 404), "1");
    expect_sample(request_sample("one.test", "list", 401), "1");
    expect_sample(request_sample("one.test", "other", 405), "1");
    expect_sample(request_sample("one.test", "other", 204), "1");
    expect_sample(request_sample("one.test", "other", 404), "1");
    expect_sample(request_sample("one.test", "get-session", 200), "1");
    expect_sample(request_sample("three.test", "sign-in", 401), "1");
    expect_sample(request_sample("two.test", "list", 200), "(none)");
    expect_sample("useradmin_request_duration_seconds_count{virtual_host=\"one.test:${PORT}\","
                  "operation=\"list\"}",
                  "5");
    expect_sample("useradmin_request_duration_seconds_bucket{virtual_host=\"one.test:${PORT}\","
                  "operation=\"list\",le=\"+Inf\"}",
                  "5");
}

TEST(metrics, count_repeated_slashes_in_the_base_address_as_other) {
    start("MergeSlashes Off\n" + metrics_location +
          location("/api/users", as_sara + "UserAdminExtras On\n"));
    // With seven slashes, the last characters look like those of a change of password.
    CHECK_EQUAL(404,
                client_->send({"PUT", "/api///////users/password", {}, R"({"name":"N"})"}).status);
    expect_sample("useradmin_requests_total{virtual_host=\"localhost\",operation=\"other\","
                  "status=\"404\"}",
                  "1");
}

TEST(metrics, count_errors_of_httpd_below_the_base_address) {
    start(metrics_location + location("/api/users", as_sara) +
          "<Location \"/closed/users\">\n  UserAdmin On\n  Require all denied\n</Location>\n");
    expect_log("AH01630"); // client denied
    expect_log("AH10244"); // invalid URI path
    CHECK_EQUAL(403, client_->send({"GET", "/closed/users"}).status);
    // httpd rejects this before it looks for the Location.
    CHECK_EQUAL(400, client_->send({"GET", "/api/users/%zz"}).status);
    expect_sample("useradmin_requests_total{virtual_host=\"localhost\",operation=\"list\","
                  "status=\"403\"}",
                  "1");
    expect_sample("useradmin_requests_total{virtual_host=\"localhost\",operation=\"get\","
                  "status=\"400\"}",
                  "1");
}

TEST(metrics, survive_a_graceful_restart) {
    start_three();
    for (int time = 1; time <= 3; ++time) {
        expect_success(send_to_host("one.test", "GET", "/api/users"));
        expect_sample(request_sample("one.test", "list", 200), std::to_string(time));
        client_ = std::make_unique<HttpClient>(httpd_->port());
        httpd_->restart_gracefully();
    }
    expect_sample(request_sample("one.test", "list", 200), "3");
}

TEST(metrics, require_SetHandler_and_obey_Require) {
    start(location("/api/users", as_sara) +
          handler("/closed", "useradmin-metrics", "Require all denied\n"));
    expect_log("AH01630"); // client denied
    for (const char* path : {"/metrics", "/useradmin-metrics", "/api/users/useradmin-metrics"})
        CHECK_EQUAL(404, client_->send({"GET", path}).status);
    const Response closed = client_->send({"GET", "/closed"});
    CHECK_EQUAL(403, closed.status);
    CHECK(closed.body.find("useradmin_") == std::string::npos);
}

TEST(metrics, allow_only_GET_HEAD_and_OPTIONS) {
    start(metrics_location);
    expect_read_methods_only("/metrics");
}

TEST(metrics, count_the_outcomes_of_session_tokens) {
    start(metrics_location + location("/api/users", "AuthUserAdmin On") +
          location("/kept/users", "AuthUserAdmin On\nAuthUserAdminCache 60") +
          location("/signed/users", "AuthUserAdmin On\nAuthUserAdminSecret file:" +
                                        Suite::current().secret_file().string()));
    const auto lookup_sample = [&](const char* result) {
        return "useradmin_session_lookups_total{virtual_host=\"localhost\",result=\"" +
               std::string(result) + "\"}";
    };
    add_session("s3cr3t-expired", sara().id, "2001-01-01T00:00:00.000Z");
    const auto get_with_token = [&](const std::string& path, const std::string& token) {
        client_->send({"GET", path, {"Authorization: Bearer " + token}});
    };
    client_->send({"GET", "/api/users"});
    for (const char* path : {"/api/users", "/api/users", "/kept/users", "/kept/users"})
        get_with_token(path, token_of(Caller::super_admin));
    get_with_token("/api/users", "s3cr3t-unknown");
    get_with_token("/api/users", "s3cr3t-expired");
    get_with_token("/api/users", "s3cr3t-%ff");
    get_with_token("/signed/users", token_of(Caller::super_admin));
    expect_sample(lookup_sample("recognised"), "3");
    expect_sample(lookup_sample("kept"), "1");
    expect_sample(lookup_sample("unknown"), "1");
    expect_sample(lookup_sample("expired"), "1");
    expect_sample(lookup_sample("malformed"), "1");
    expect_sample(lookup_sample("signature"), "1");
    expect_sample(lookup_sample("failed"), "0");
}

TEST(metrics, count_sign_in_attempts_that_the_limit_rejects) {
    allow_log("UA0305");
    start(metrics_location +
          "<Location \"/auth\">\n  AuthUserAdminSignIn On\n"
          "  UserAdminPasswordHash argon2id m=64\n  AuthUserAdminSignInLimit 1\n</Location>\n");
    for (const int status : {401, 429, 429})
        CHECK_EQUAL(
            status,
            client_->send({"POST", "/auth/sign-in/email", {}, sign_in_body("a@x.org", "s3cr3t")})
                .status);
    expect_sample("useradmin_refusals_total{virtual_host=\"localhost\",reason=\"sign-in-limit\"}",
                  "2");
}

TEST(postgresql_metrics, report_connections_in_use_and_timeouts) {
    // A prefork child processes one request at a time, so no request waits for its connection.
    if (Suite::current().mpm() == "prefork")
        return;
    expect_log("UA0201");
    make_database();
    // With one child, there is only one connection.
    start("ServerLimit 1\nStartServers 1\nMaxRequestWorkers 16\nDBDMax 1\nDBDKeep 1\n" +
          metrics_location + location("/api/users", as_sara + "UserAdminTimeout 1") +
          location("/patient/users", as_sara + "UserAdminTimeout 300"));
    const std::string in_use = "useradmin_connections_in_use{virtual_host=\"localhost\"}";
    const auto list_sample = [](int status) {
        return "useradmin_requests_total{virtual_host=\"localhost\",operation=\"list\",status=\"" +
               std::to_string(status) + "\"}";
    };
    expect_success(client_->send({"GET", "/patient/users"}));
    expect_sample(in_use, "0");
    own_->freeze();
    const RawConnection patient(httpd_->port());
    CHECK(patient.send("GET /patient/users HTTP/1.1\r\nHost: localhost\r\n"
                       "Connection: close\r\n\r\n"));
    expect_sample(in_use, "1");
    CHECK_EQUAL(503, client_->send({"GET", "/api/users"}).status);
    expect_sample("useradmin_refusals_total{virtual_host=\"localhost\",reason=\"connection-wait\"}",
                  "1");
    own_->thaw();
    CHECK_EQUAL(200, parse_response(patient.receive_all(std::chrono::minutes(1))).status);
    expect_sample(in_use, "0");
    expect_sample(list_sample(200), "2");
    expect_sample(list_sample(503), "1");
}

TEST(metrics, show_a_read_only_database_until_it_accepts_a_change) {
    allow_log("UA0108");
    make_database();
    start(metrics_location + handler("/health", "useradmin-health", "UserAdminHealth writable\n") +
          handler("/readable", "useradmin-health"));
    const auto eventually_returns = [&](int status) {
        return eventually([&] { return client_->send({"GET", "/health"}).status == status; });
    };
    const std::string is_read_only = "useradmin_database_read_only{virtual_host=\"localhost\"}";
    const std::string errors =
        "useradmin_database_errors_total{virtual_host=\"localhost\",reason=\"read-only\"}";
    CHECK(eventually_returns(200));
    expect_sample(is_read_only, "0");
    expect_sample(errors, "0");
    own_->set_read_only(true);
    httpd_->restart_gracefully(); // a child could still write to an open file
    CHECK(eventually_returns(503));
    STRCMP_CONTAINS("unavailable\nUA0108", client_->send({"GET", "/health"}).body.c_str());
    CHECK_EQUAL(200, client_->send({"GET", "/readable"}).status);
    expect_sample(is_read_only, "1");
    CHECK(sample(errors) != "0");
    own_->set_read_only(false);
    CHECK(eventually_returns(200));
    expect_sample(is_read_only, "0");
}

TEST(metrics, count_database_errors_of_the_health_check_too) {
    allow_log("UA0103");
    start(metrics_location + "<Location \"/health\">\n  SetHandler useradmin-health\n"
                             "  UserAdminTables none session account\n</Location>\n");
    CHECK_EQUAL(503, client_->send({"GET", "/health"}).status);
    expect_sample("useradmin_database_errors_total{virtual_host=\"localhost\",reason=\"failed\"}",
                  "1");
}

TEST(metrics, count_changes_without_an_audit_line) {
    expect_log("UA0401: cannot write the audit log: No space left on device");
    const auto log = unwritable_log("metrics-audit");
    start(metrics_location + location("/api/users", as_sara + "UserAdminAuditLog " + log.string()) +
          location("/closed/users", "UserAdminAuditLog " + log.string()));
    const std::string lost = "useradmin_audit_lines_lost_total{virtual_host=\"localhost\"}";
    // Rejected requests of anonymous callers are aggregated and written later, so no line is lost
    // yet.
    CHECK_EQUAL(401, client_->send({"GET", "/closed/users"}).status);
    expect_sample(lost, "0");
    for (const char* const count : {"1", "2"}) {
        expect_success(client_->send({"PUT", "/api/users/ulises-1", {}, R"({"name":"U"})"}));
        expect_sample(lost, count);
    }
}

TEST(metrics, used_by_the_alert_examples_exist) {
    start_three();
    expect_success(send_to_host("one.test", "GET", "/api/users"));
    expect_sample(request_sample("one.test", "list", 200), "1");
    const std::string all = metrics();
    const std::string alerts = read_file(machine::source("conf/useradmin-alerts.yml"));
    int found = 0;
    const std::regex selector("(useradmin_[a-z_]+)\\{([a-z]+)(=~?|!~)\"([^\"]*)\"");
    for (std::sregex_iterator match(alerts.begin(), alerts.end(), selector), end; match != end;
         ++match, ++found) {
        const std::string name = (*match)[1];
        const std::string label = (*match)[2];
        CHECK_TEXT(all.find("\n" + name + "{") != std::string::npos, name.c_str());
        CHECK_TEXT(all.find("," + label + "=\"") != std::string::npos, label.c_str());
        const std::string value = (*match)[4];
        if ((*match)[3] == "=" && label != "operation")
            CHECK_TEXT(all.find(label + "=\"" + value + "\"") != std::string::npos, value.c_str());
    }
    CHECK(found >= 7);
}

} // namespace useradmin::test
