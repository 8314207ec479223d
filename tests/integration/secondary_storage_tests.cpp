// UserAdminSecondaryStorage: revoked sessions end in the application's Redis.
#include "own_httpd.hpp"

#include "support/certificates.hpp"
#include "support/process.hpp"
#include "support/redis.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>

namespace useradmin::test {

using namespace std::string_literals;

namespace {

constexpr const char* ulises_path = "/api/users/ulises-1";
constexpr const char* long_ago = "2026-01-02T03:04:05.678Z";
constexpr const char* far_away = "2999-01-02T03:04:05.678Z";

} // namespace

class SecondaryStorage : public OwnHttpd {
  protected:
    void setup() override {
        OwnHttpd::setup();
        allow_log("UA0311"); // the configuration contains a password
        redis_ = std::make_unique<Redis>(Suite::current().work(), "redis");
    }
    void teardown() override {
        OwnHttpd::teardown();
        redis_.reset();
    }

    static std::string location_with(const std::string& directives) {
        return location("/api/users", "AuthUserAdmin On\nUserAdminExtras On\n" + directives);
    }
    void start_with(const std::string& more = "app:") {
        start(location_with("UserAdminSecondaryStorage " + redis_->url() + " " + more + "\n"));
    }
    static void allow_lines_of_outages() {
        for (const char* const line : {"UA0218", "UA0219"})
            allow_log(line);
    }

    /// Adds a session to Redis, as the application does.
    void store_session(const std::string& user, const std::string& token,
                       const std::string& created_at = long_ago, const std::string& id = "") const {
        redis_->run({"SET", "app:" + token,
                     R"({"session":{"id":")" + id + R"(","token":")" + token +
                         R"(","createdAt":")" + created_at + R"("},"user":{}})"});
        std::string list = redis_->run({"GET", "app:active-sessions-" + user}).value_or("[]");
        list.insert(list.size() - 1, std::string(list.size() > 2 ? "," : "") + R"({"token":")" +
                                         token + R"(","expiresAt":32472144000000})");
        redis_->run({"SET", "app:active-sessions-" + user, list, "EX", "1000000"});
    }
    bool is_stored(const std::string& token) const {
        return redis_->run({"EXISTS", "app:" + token}) == "1";
    }
    bool is_eventually_removed(const std::string& token) const {
        return eventually([&] { return !is_stored(token); });
    }
    std::string session_list_of(const std::string& user) const {
        return redis_->run({"GET", "app:active-sessions-" + user}).value_or("none");
    }
    Response ban(const std::string& record = ulises_path) {
        return send("PUT", record, R"({"banned":true})");
    }
    /// Waits until the module has noticed that Redis is down. From then on, responses to changes
    /// have a Warning header. Returns false on timeout.
    bool await_outage_notice() {
        return eventually([&] { return ban().header("Warning").has_value(); });
    }

    /// Restarts httpd gracefully. The next request goes to a new child.
    void reload() {
        client_.reset();
        httpd_->restart_gracefully();
        client_ = std::make_unique<HttpClient>(httpd_->port());
    }

    /// Bans a user, and expects that the session of another user can still be ended.
    void expect_delivery_for_other_users(const char* reason) {
        store_session("ada-1", "one");
        ban();
        expect_success(send("PUT", ulises_path, R"({"banned":false})"));
        expect_success(send("DELETE", "/api/users/ada-1/sessions"));
        CHECK_TRUE_TEXT(is_eventually_removed("one"), reason);
    }

    std::unique_ptr<Redis> redis_;
};

TEST_GROUP_BASE(secondary_storage, SecondaryStorage){};
TEST_GROUP_BASE(postgresql_secondary_storage, SecondaryStorage){};

TEST(secondary_storage, drops_the_sessions_of_a_banned_user) {
    start_with();
    for (const char* const token : {"one", "two"})
        store_session("ulises-1", token);
    store_session("ada-1", "other");
    const Response response = ban();
    expect_success(response);
    CHECK_FALSE(response.header("Warning").has_value());
    CHECK_TRUE(is_eventually_removed("one") && is_eventually_removed("two"));
    CHECK_EQUAL(std::string("none"), session_list_of("ulises-1"));
    CHECK_TRUE(is_stored("other"));
}

TEST(secondary_storage, stores_the_time_before_which_sessions_are_rejected) {
    start_with();
    const auto before = std::chrono::system_clock::now();
    ban();
    const std::string key = "app:revoked-sessions-before-ulises-1";
    CHECK_TRUE(eventually([&] { return redis_->run({"GET", key}).has_value(); }));
    const std::chrono::milliseconds rejected(std::stoll(*redis_->run({"GET", key})));
    CHECK_TRUE(rejected >=
               std::chrono::duration_cast<std::chrono::milliseconds>(before.time_since_epoch()));
    CHECK_TRUE(std::stol(*redis_->run({"TTL", key})) > 86400);
}

TEST(secondary_storage, keeps_sessions_opened_after_the_revocation) {
    start_with();
    store_session("ulises-1", "old");
    store_session("ulises-1", "new", far_away);
    ban();
    CHECK_TRUE(is_eventually_removed("old"));
    CHECK_TRUE(is_stored("new"));
    CHECK_EQUAL(std::string(R"([{"token":"new","expiresAt":32472144000000}])"),
                session_list_of("ulises-1"));
    CHECK_TRUE(std::stol(*redis_->run({"TTL", "app:active-sessions-ulises-1"})) > 0);
}

TEST(secondary_storage, drops_only_the_ended_session) {
    start_with();
    add_session("first", "ulises-1");
    add_session("second", "ulises-1");
    store_session("ulises-1", "first");
    store_session("ulises-1", "second");
    const std::string id =
        sql().rows("SELECT \"id\" FROM \"session\" WHERE \"token\" = 'first'")[0][0].value_or("");
    expect_success(send("DELETE", std::string(ulises_path) + "/sessions/" + percent_encoded(id)));
    CHECK_TRUE(is_eventually_removed("first"));
    CHECK_TRUE(is_stored("second"));
    CHECK_FALSE(redis_->run({"GET", "app:revoked-sessions-before-ulises-1"}).has_value());
}

TEST(secondary_storage, keeps_a_session_with_another_id_and_no_row) {
    start_with();
    add_session("first", "ulises-1");
    const std::string id =
        sql().rows("SELECT \"id\" FROM \"session\" WHERE \"token\" = 'first'")[0][0].value_or("");
    store_session("ulises-1", "first", long_ago, id);
    store_session("ulises-1", "second", long_ago, "another");
    expect_success(send("DELETE", std::string(ulises_path) + "/sessions/" + percent_encoded(id)));
    CHECK_TRUE(is_eventually_removed("first"));
    CHECK_TRUE(is_stored("second"));
}

TEST(secondary_storage, drops_sessions_of_users_banned_by_the_admin_client) {
    const std::string storage = "UserAdminSecondaryStorage " + redis_->url() + " app:\n";
    const std::string endpoints = "<Location \"/api/auth/admin\">\nRequire all granted\n"
                                  "AuthUserAdmin On\nSetHandler useradmin-better-auth\n";
    for (const auto& [user, configuration] :
         {std::pair("ulises-1"s, endpoints + storage + "</Location>\n"),
          {"ada-1"s, storage + endpoints + "</Location>\n"}}) {
        start(configuration);
        store_session(user, "one");
        CHECK_EQUAL(200,
                    client_
                        ->send({"POST",
                                "/api/auth/admin/ban-user",
                                {bearer(Caller::super_admin), "Content-Type: application/json"},
                                R"({"userId":")" + user + "\"}"})
                        .status);
        CHECK_TRUE_TEXT(is_eventually_removed("one"), configuration.c_str());
    }
}

TEST(secondary_storage, storage_of_an_enclosing_Location_applies_to_the_service) {
    change("ALTER TABLE \"user\" RENAME TO other_user",
           "ALTER TABLE other_user RENAME TO \"user\"");
    start("<Location \"/api\">\nUserAdminSecondaryStorage " + redis_->url() +
          " app:\n</Location>\n" + location_with("UserAdminTables other_user session account\n"));
    store_session("ulises-1", "one");
    expect_success(ban());
    CHECK_TRUE(is_eventually_removed("one"));
}

TEST(secondary_storage, may_be_set_in_a_LocationMatch) {
    start(location_with("") + "<LocationMatch \"^/api/\">\nUserAdminSecondaryStorage " +
          redis_->url() + " app:\n</LocationMatch>\n");
    store_session("ulises-1", "one");
    expect_success(ban());
    CHECK_TRUE(is_eventually_removed("one"));
}

TEST(secondary_storage, that_is_down_is_reported_and_catches_up) {
    allow_lines_of_outages();
    start_with();
    redis_->stop();
    CHECK_TRUE(await_outage_notice());
    redis_->start();
    store_session("ulises-1", "one");
    CHECK_TRUE(is_eventually_removed("one"));
    CHECK_TRUE(eventually([&] { return !ban().header("Warning"); }));
}

TEST(secondary_storage, that_is_down_is_shown_by_metrics_and_health) {
    allow_lines_of_outages();
    start(location_with("UserAdminSecondaryStorage " + redis_->url() + " app:\n") +
          handler("/metrics", "useradmin-metrics") + handler("/health", "useradmin-health"));
    const auto eventually_shows = [&](const char* up, const char* state) {
        const std::string labels = "{virtual_host=\"localhost\"} ";
        return eventually([&] {
            const std::string metrics = client_->send({"GET", "/metrics"}).body;
            const Response health = client_->send({"GET", "/health"});
            return between(metrics, "useradmin_secondary_storage_up" + labels, "\n") == up &&
                   health.status == 200 &&
                   health.body.starts_with(
                       "ok\nsecondary storage: " + std::string(state) +
                       "\nrevocations: all delivered except those of the last ");
        });
    };
    const auto last_delivery_time = [&] {
        return std::stoll(
            between(
                client_->send({"GET", "/metrics"}).body,
                "useradmin_revocations_delivered_timestamp_seconds{virtual_host=\"localhost\"} ",
                "\n")
                .value_or("0"));
    };
    CHECK_TRUE(eventually_shows("1", "ok"));
    CHECK_EQUAL(std::string("ok\n"), client_->send({"GET", "/health", {"Via: 1.1 proxy"}}).body);
    redis_->stop();
    CHECK_TRUE(eventually_shows("0", "unreachable"));
    const auto stopped = last_delivery_time();
    CHECK_TRUE(await_outage_notice());
    CHECK_EQUAL(stopped, last_delivery_time());
    redis_->start();
    CHECK_TRUE(eventually_shows("1", "ok"));
    CHECK_TRUE(eventually([&] { return last_delivery_time() > stopped; }));
}

TEST(secondary_storage, that_is_required_and_down_prevents_revocations) {
    allow_lines_of_outages();
    start_with("app: required");
    redis_->stop();
    CHECK_TRUE(eventually([&] { return ban().status == 503; }));
    expect_error(send("DELETE", ulises_path), 503, unavailable);
    expect_success(send("PUT", ulises_path, R"({"name":"Other"})"));
    expect_success(send("GET", ulises_path));
    redis_->start();
    CHECK_TRUE(eventually([&] { return ban().status == 200; }));
}

TEST(secondary_storage, at_its_memory_limit_gets_revocations) {
    start_with("app: required");
    store_session("ulises-1", "one");
    store_session("ada-1", "new", far_away);
    redis_->run({"CONFIG", "SET", "maxmemory", "1"});
    expect_success(ban());
    CHECK_TRUE(is_eventually_removed("one"));
    expect_success(send("DELETE", "/api/users/ada-1/sessions"));
    CHECK_TRUE(eventually([&] {
        return redis_->run({"GET", "app:revoked-sessions-before-ada-1"}).has_value();
    }));
    expect_success(ban());
}

TEST(secondary_storage, that_is_unreachable_still_rejects_changes_after_a_reload) {
    allow_lines_of_outages();
    for (const auto& [words, status] : {std::pair("app: required", 503), {"app:", 200}}) {
        start_with(words);
        CHECK_TRUE(eventually([&] { return ban().status == 200; }));
        reload();
        CHECK_EQUAL(200, ban().status);
        redis_->stop();
        CHECK_TRUE(
            eventually([&] { return ban().status == 503 || ban().header("Warning").has_value(); }));
        reload();
        const Response response = ban();
        CHECK_EQUAL(status, response.status);
        CHECK_EQUAL(status == 200, response.header("Warning").has_value());
        redis_->start();
    }
}

TEST(secondary_storage, without_the_revocation_table_gets_nothing_and_is_logged) {
    change("ALTER TABLE useradmin_revocation RENAME TO other_revocation",
           "ALTER TABLE other_revocation RENAME TO useradmin_revocation");
    expect_log(
        "UA0222: table useradmin_revocation does not exist, so revoked sessions stay valid in "
        "the application; run: useradminctl schema");
    start_with("app:\n</Location>\n<Location \"/health\">\n  SetHandler useradmin-health");
    CHECK_TRUE(await_outage_notice());
    STRCMP_CONTAINS("\nrevocations: not delivered, see UA0222 in the error log\n",
                    client_->send({"GET", "/health"}).body.c_str());
    undo();
    CHECK_TRUE(eventually([&] { return !ban().header("Warning"); }));
}

TEST(postgresql_secondary_storage, that_is_required_needs_a_usable_revocation_table) {
    // SQLite has no roles.
    change("CREATE ROLE stranger; ALTER TABLE useradmin_revocation OWNER TO stranger",
           "ALTER TABLE useradmin_revocation OWNER TO useradmin; DROP ROLE stranger");
    allow_log("UA0103");
    expect_log("UA0222: table useradmin_revocation cannot be read, so revoked sessions stay valid "
               "in the application; see UA0103 or UA0106");
    start_with("app: required");
    CHECK_TRUE(eventually([&] { return ban().status == 503; }));
    undo();
    CHECK_TRUE(eventually([&] { return ban().status == 200; }));
}

TEST(secondary_storage, without_the_table_of_one_host_gets_those_of_others) {
    allow_log("UA0222");
    TestDatabase other(Suite::current().work(), Suite::current().kind(), "no-revocations");
    other.sql().run("DROP TABLE useradmin_revocation");
    start(
        "UserAdminSecondaryStorage " + redis_->url() + " app: required\n" +
        virtual_host("localhost", location("/api/users", as_sara)) +
        virtual_host("other.test", Suite::directives_for(other) + location("/api/users", as_sara)));
    const auto ban_at = [&](const std::string& host) {
        return client_->send({"PUT", ulises_path, {"Host: " + host}, R"({"banned":true})"}).status;
    };
    CHECK_TRUE(eventually([&] { return ban_at("other.test") == 503; }));
    CHECK_EQUAL(200, ban_at("localhost"));
    stop();
}

TEST(secondary_storage, without_the_table_of_one_host_gets_those_of_its_namesake) {
    allow_log("UA0222");
    TestDatabase other(Suite::current().work(), Suite::current().kind(), "namesake");
    other.sql().run("DROP TABLE useradmin_revocation");
    const auto namesake = [](const std::string& address, const std::string& directives) {
        return "<VirtualHost " + address + ":${PORT}>\nServerName localhost\n" + directives +
               location("/api/users", as_sara) + "</VirtualHost>\n";
    };
    start("UserAdminSecondaryStorage " + redis_->url() + " app: required\n" +
          namesake("127.0.0.1", "") + namesake("127.0.0.2", Suite::directives_for(other)));
    CHECK_TRUE(eventually(
        [] { return LogWatch::instance().lines().find("UA0222") != std::string::npos; }));
    CHECK_EQUAL(200, ban().status);
    stop();
}

TEST(postgresql_secondary_storage, does_not_wait_for_the_slow_database_of_another_host) {
    // A reader of SQLite does not wait.
    TestDatabase other(Suite::current().work(), Suite::current().kind(), "slow");
    start(
        "UserAdminTimeout 300\nUserAdminSecondaryStorage " + redis_->url() + " app:\n" +
        virtual_host("localhost", location("/api/users", as_sara)) +
        virtual_host("other.test", Suite::directives_for(other) + location("/api/users", as_sara)));
    other.sql().run("BEGIN; LOCK TABLE useradmin_revocation");
    CHECK_TRUE(eventually(
        [&] { return other.sql().number("SELECT count(*) FROM pg_locks WHERE NOT granted") > 0; }));
    store_session("ulises-1", "one");
    expect_success(ban());
    const bool is_removed = is_eventually_removed("one");
    other.sql().run("ROLLBACK");
    CHECK_TRUE(is_removed);
    stop();
}

TEST(secondary_storage, gets_revocations_made_before_httpd_started) {
    allow_lines_of_outages();
    start_with();
    redis_->stop();
    CHECK_TRUE(await_outage_notice());
    stop();
    redis_->start();
    store_session("ulises-1", "one");
    start_with();
    CHECK_TRUE(is_eventually_removed("one"));
}

TEST(secondary_storage, gets_revocations_soon_after_the_delivering_child_was_killed) {
    allow_log("AH00052");
    start("LogLevel watchdog:debug\n" +
          location_with("UserAdminSecondaryStorage " + redis_->url() + " app:\n"));
    // Each child's thread must be running. One that waited for a mutex of mod_watchdog would start
    // ten seconds after it gets the mutex.
    auto children = children_of(httpd_->main_process());
    CHECK_TRUE(eventually([&] {
        constexpr std::string_view line = "Watchdog (mod_useradmin 1) running";
        const std::string log = LogWatch::instance().lines();
        std::size_t count = 0;
        for (auto at = log.find(line); at != log.npos; at = log.find(line, at + 1))
            ++count;
        return count >= children.size();
    }));
    client_.reset();
    children.pop_back();
    for (const pid_t child : children)
        ::kill(child, SIGKILL);
    // A child that is being killed may still accept a connection.
    CHECK_TRUE(eventually([&] { return std::ranges::all_of(children, has_ended); }));
    client_ = std::make_unique<HttpClient>(httpd_->port());
    store_session("ulises-1", "one");
    expect_success(ban());
    CHECK_TRUE(is_eventually_removed("one"));
}

TEST(secondary_storage, with_unexpected_content_does_not_affect_other_users) {
    start_with();
    const std::string list = "app:active-sessions-ulises-1";
    for (const char* const text : {"no JSON", "null", "7", R"({"token":"one"})",
                                   R"([7,null,{"token":8},{"token":"gone"}])"}) {
        redis_->run({"SET", list, text});
        redis_->run({"SET", "app:gone", "no JSON"});
        expect_delivery_for_other_users(text);
    }
    for (const std::string& key : {list, "app:revoked-sessions-before-ulises-1"s}) {
        redis_->run({"DEL", key});
        redis_->run({"HSET", key, "field", "value"});
        expect_delivery_for_other_users(key.c_str());
    }
}

class TlsStorage : public SecondaryStorage {
  protected:
    static CommandResult configtest(const std::string& url) {
        return Httpd::check(
            Suite::current().work(),
            Suite::current().settings(Suite::directives_for(Suite::current().database()) +
                                      location_with("UserAdminSecondaryStorage " + url + "\n")));
    }
    /// Returns whether the build supports TLS. If it does not, expects httpd to report what is
    /// missing.
    static bool has_tls() {
        const CommandResult result = configtest("rediss://localhost");
        if (result.status == 0)
            return true;
        STRCMP_CONTAINS("cannot use TLS (rediss:), because this build does not support it (hiredis "
                        "1.0 or later",
                        result.errors.c_str());
        std::printf("\nskipped: this build does not support TLS with Redis\n");
        return false;
    }
    void setup() override {
        SecondaryStorage::setup();
        certificates_.make("authority", "/CN=authority");
        certificates_.make("other-authority", "/CN=other authority");
        create_certificate("right", "DNS:localhost,IP:127.0.0.1");
        create_certificate("wrong", "DNS:elsewhere.example.com");
    }
    void create_certificate(const std::string& name, const std::string& hosts) const {
        auto words = Certificates::signed_by("authority", certificates_);
        words.insert(words.end(), {"-addext", "subjectAltName=" + hosts});
        certificates_.make(name, "/CN=redis", words);
    }
    void start_redis(const std::string& certificate) {
        redis_.reset();
        redis_ =
            std::make_unique<Redis>(Suite::current().work(), "redis-tls",
                                    ServerCertificate{certificates_.file(certificate + ".crt"),
                                                      certificates_.file(certificate + ".key")});
    }
    /// Starts an httpd that trusts only this authority.
    void start_with_authority(const std::string& name, const std::string& host = "localhost") {
        environment_ = {{"SSL_CERT_FILE", certificates_.file(name + ".crt")}};
        start(location_with("UserAdminSecondaryStorage " + redis_->tls_url(host) + " app:\n"));
    }
    /// Expects that delivery fails for this reason and succeeds later.
    void expect_failed_delivery(const std::string& authority, const std::string& certificate,
                                const std::string& reason) {
        allow_log("UA0219");
        expect_log("UA0218: the secondary storage at localhost:");
        expect_log(reason);
        start_redis(certificate);
        store_session("ulises-1", "one");
        start_with_authority(authority);
        CHECK_TRUE(await_outage_notice());
        CHECK_TRUE(is_stored("one"));
        stop();
        start_redis("right");
        store_session("ulises-1", "one");
        start_with_authority("authority");
        CHECK_TRUE(is_eventually_removed("one"));
    }

    Certificates certificates_{Suite::current().work(), "redis-certificates"};
};

TEST_GROUP_BASE(secondary_storage_tls, TlsStorage){};

TEST(secondary_storage_tls, accepts_a_server_with_a_certificate_for_the_host) {
    if (!has_tls())
        return;
    for (const char* const host : {"localhost", "127.0.0.1"}) {
        start_redis("right");
        start_with_authority("authority", host);
        store_session("ulises-1", "one");
        expect_success(ban());
        CHECK_TRUE_TEXT(is_eventually_removed("one"), host);
        expect_success(send("PUT", ulises_path, R"({"banned":false})"));
    }
}

TEST(secondary_storage_tls, sends_nothing_to_a_server_certified_for_another_host) {
    if (has_tls())
        expect_failed_delivery("authority", "wrong",
                               "its certificate was rejected: hostname mismatch");
}

TEST(secondary_storage_tls, sends_nothing_to_a_server_of_an_unknown_authority) {
    if (has_tls())
        expect_failed_delivery("other-authority", "right", "its certificate was rejected: ");
}

TEST(secondary_storage_tls, that_is_frozen_in_the_handshake_does_not_delay_requests) {
    if (!has_tls())
        return;
    allow_lines_of_outages();
    start_redis("right");
    store_session("ulises-1", "one");
    redis_->signal(SIGSTOP);
    start_with_authority("authority");
    const bool is_seen = await_outage_notice();
    redis_->signal(SIGCONT);
    CHECK_TRUE(is_seen);
    CHECK_TRUE(is_eventually_removed("one"));
}

} // namespace useradmin::test
