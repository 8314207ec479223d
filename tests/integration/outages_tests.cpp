// All kinds of database outages under load. Requests are answered in time, no write is lost or done
// twice, and the service recovers by itself.
#include "own_httpd.hpp"
#include "traced_users.hpp"

#include "support/load.hpp"
#include "support/machine.hpp"
#include "support/pgbouncer.hpp"
#include "support/process.hpp"
#include "support/small_disk.hpp"
#include "support/tcp_relay.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <optional>
#include <set>

namespace useradmin::test {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds timeout{5};
// The guaranteed maximum.
constexpr std::chrono::seconds max_response_time = timeout + std::chrono::seconds(1);
// A margin for busy machines.
constexpr std::chrono::seconds busy_margin{60};

/// How an outage begins and ends.
struct Outage {
    std::string name;
    std::function<void()> begin;
    std::function<void()> end;
    /// Whether all reads must succeed.
    bool reads_must_succeed = false;
    /// Whether all requests may succeed.
    bool all_may_succeed = false;
    std::chrono::milliseconds length = std::chrono::seconds(machine::times(1, 5));
    /// The status of failed requests: 503 for an outage, another for a storage error.
    int status = 503;
    /// How long requests may still fail after the outage.
    std::chrono::seconds recovers_within{1};
    /// Called after the load, before requests to all workers must succeed.
    std::function<void()> then = [] {};
};

struct AnsweredRequest {
    Clock::time_point started_at;
    Clock::duration taken;
    int status;
    bool is_read;
    std::string text;
};

} // namespace

class Outages : public OwnHttpd {
  protected:
    void setup() override {
        OwnHttpd::setup();
        TracedUsers::allow_lines_of_outages();
        // The tests use all workers.
        allow_log("MaxRequestWorkers");
    }
    void teardown() override {
        stop();
        bouncer_.reset();
        relay_.reset();
        standby_.reset();
        OwnHttpd::teardown();
        disk_.reset();
    }

    /// Which runs include a test.
    enum class Runs { all, long_ones };
    /// Returns whether to run the test. It needs this kind of database, and a short run includes it
    /// only once.
    static bool should_run(Kind kind, Runs runs = Runs::all) {
        return Suite::current().kind() == kind &&
               (machine::is_long() ||
                (runs == Runs::all && Suite::current().is_event_without_sanitizers()));
    }

    /// Creates a database with one user and one session.
    void create_database(PostgreSql::Settings settings = {}) {
        make_database(std::move(settings));
        add_rows(own_->sql());
    }
    static void add_rows(Database& sql) {
        if (is_postgresql())
            TracedUsers::enable_synchronous_commit(sql);
        sql.insert("user", {{"id", "sara-1"},
                            {"name", "Sara"},
                            {"email", "sara@example.org"},
                            {"role", "superAdmin"}});
        sql.insert("session", {{"id", "s"},
                               {"token", token_of(Caller::super_admin)},
                               {"userId", "sara-1"},
                               {"expiresAt", "2999-01-01T00:00:00.000Z"}});
    }

    /// Starts an httpd for the database. params: DBDParams, or an empty string for a direct
    /// connection.
    void start_on_database(const std::string& params = {}, std::chrono::seconds limit = timeout) {
        const std::string seconds = std::to_string(limit.count()) + "\n";
        const std::string configuration =
            "UserAdminHashQueue 32\n" +
            location("/api/users", as_sara +
                                       "UserAdminPasswordHash argon2id m=64\n"
                                       "UserAdminTimeout " +
                                       seconds) +
            location("/with-sessions/users", "AuthUserAdmin On\nAuthUserAdminTimeout " + seconds +
                                                 "UserAdminTimeout " + seconds);
        start("DBDParams \"" + (params.empty() ? own_->params() : params) + "\"\n" + configuration);
    }

    /// Runs an outage during reads and writes, and checks the guarantees. params_then: returns the
    /// parameters of the database to check afterwards.
    void run_outage(const Outage& outage, const std::function<std::string()>& params_then) {
        Clock::time_point outage_start;
        Clock::time_point outage_end;
        {
            const Load load(6, [this](int thread, int turn) { work(thread, turn); });
            await_successes();
            outage_start = Clock::now();
            outage.begin();
            std::this_thread::sleep_for(outage.length);
            outage.end();
            outage_end = Clock::now();
            await_successes();
        }
        check_responses(outage, outage_start, outage_end);
        Database database(Suite::current().database().driver(), params_then());
        users_.check(database);
        // No worker may be stuck.
        outage.then();
        for (const Response& response : ask_all_workers())
            expect_success(response);
    }
    void run_outage(const Outage& outage) {
        run_outage(
            outage, [this] { return own_->params(); });
    }

    std::vector<Response> ask_all_workers() const {
        return client_->send_at_once(
            std::vector<Request>(32, Request{"GET", "/api/users?limit=1"}));
    }

    // Only some tests use these.
    std::unique_ptr<SmallDisk> disk_;
    std::unique_ptr<PostgreSql> standby_;
    std::unique_ptr<TcpRelay> relay_;
    std::unique_ptr<PgBouncer> bouncer_;
    TracedUsers users_;

    /// Terminates the oldest backend and waits for the requests sent so far. Otherwise, one read
    /// could lose two connections.
    void terminate_backend() {
        const auto ended =
            own_->sql().value("SELECT pid FROM (SELECT pid, pg_terminate_backend(pid) FROM "
                              "pg_stat_activity WHERE backend_type = 'client backend' AND pid <> "
                              "pg_backend_pid() ORDER BY backend_start LIMIT 1) s");
        if (!ended)
            return;
        CHECK(eventually([&] {
            return !own_->sql().value("SELECT 1 FROM pg_stat_activity WHERE pid = " + *ended);
        }));
        std::optional<int> last;
        CHECK(eventually([&] {
            const std::lock_guard lock(mutex_);
            last = last.value_or(started_);
            return under_way_.empty() || *under_way_.begin() > *last;
        }));
    }

    void crash() {
        own_->close_connection();
        own_->server().crash();
    }

    /// Tests a database crash behind PgBouncer. mode: the pool mode, "session" or "transaction".
    void crash_behind_bouncer(const std::string& mode) {
        create_database();
        bouncer_ = std::make_unique<PgBouncer>(Suite::current().work(), "bouncer-" + mode,
                                               own_->server(), mode);
        start_on_database(bouncer_->params());
        Outage outage{"crashed behind PgBouncer, " + mode + " mode", [this] { crash(); },
                      [this] { own_->server().start(); }};
        // PgBouncer may make all requests wait until the server has restarted.
        outage.all_may_succeed = true;
        run_outage(outage);
    }

  private:
    Response ask(const std::string& method, const std::string& path, const std::string& body = {}) {
        const auto started_at = Clock::now();
        const int number = [this] {
            const std::lock_guard lock(mutex_);
            return *under_way_.insert(++started_).first;
        }();
        const Response response =
            send_alone(httpd_->port(), method, path, body, bearer(Caller::super_admin));
        const std::lock_guard lock(mutex_);
        under_way_.erase(number);
        answered_.push_back({started_at, Clock::now() - started_at, response.status,
                             method == "GET",
                             response.status == 200 ? std::string() : response.text()});
        successes_ = response.status == 200 ? successes_ + 1 : 0;
        return response;
    }

    /// Called repeatedly by a load thread.
    void work(int thread, int turn) {
        if (thread % 2 == 0) {
            for (const char* path : {"/api/users?limit=5", "/api/users/sara-1",
                                     "/with-sessions/users?limit=1&search=sara"})
                ask("GET", path);
        } else {
            users_.write(
                thread, turn,
                [this](const std::string& method, const std::string& path,
                       const std::string& body) { return ask(method, path, body); });
        }
    }

    /// Waits for a number of consecutive successes.
    void await_successes() {
        {
            const std::lock_guard lock(mutex_);
            successes_ = 0;
        }
        CHECK(eventually([this] {
            const std::lock_guard lock(mutex_);
            return successes_ >= machine::times(100, 1000);
        }));
    }

    void check_responses(const Outage& outage, Clock::time_point outage_start,
                         Clock::time_point outage_end) {
        Clock::duration longest{};
        Clock::duration recovered_after{};
        int meanwhile = 0;
        std::map<int, int> failures;
        for (const AnsweredRequest& each : answered_) {
            const std::string text =
                std::string(each.is_read ? "a read" : "a write") + " that began " +
                std::to_string(milliseconds(each.started_at - outage_start)) +
                " ms after the outage and took " + std::to_string(milliseconds(each.taken)) +
                " ms:\n" + each.text;
            longest = std::max(longest, each.taken);
            if (each.started_at + each.taken >= outage_start && each.started_at <= outage_end)
                ++meanwhile;
            CHECK_TEXT(each.taken < max_response_time + busy_margin, text.c_str());
            if (each.status == 200)
                continue;
            ++failures[each.status];
            recovered_after = std::max(recovered_after, each.started_at - outage_end);
            CHECK_TEXT(each.status == outage.status, text.c_str());
            CHECK_TEXT(each.started_at + each.taken >= outage_start, text.c_str());
            CHECK_TEXT(!outage.reads_must_succeed || !each.is_read, text.c_str());
        }
        std::string statuses;
        for (const auto& [status, count] : failures)
            statuses += ", " + std::to_string(count) + " times " + std::to_string(status);
        const std::string figures =
            outage.name + " for " + std::to_string(milliseconds(outage_end - outage_start)) +
            " ms: " + std::to_string(meanwhile) + " requests in progress" + statuses +
            "; the slowest response took " + std::to_string(milliseconds(longest)) +
            " ms; recovered " + std::to_string(milliseconds(recovered_after)) +
            " ms after the outage";
        CHECK_TEXT(outage.all_may_succeed || !failures.empty(), figures.c_str());
        CHECK_TEXT(recovered_after <= outage.recovers_within + busy_margin, figures.c_str());
        if (machine::is_long())
            std::printf("\n%s\n", figures.c_str());
    }

    std::mutex mutex_;
    std::vector<AnsweredRequest> answered_;
    int successes_ = 0;
    /// The number of requests that have been started.
    int started_ = 0;
    /// The numbers of the requests that have no response yet.
    std::set<int> under_way_;
};

TEST_GROUP_BASE(outages, Outages){};

TEST(outages, crash_of_the_server_ends_with_its_restart) {
    if (!should_run(Kind::postgresql))
        return;
    create_database();
    start_on_database();
    run_outage(
        {"crashed and started again", [this] { crash(); }, [this] { own_->server().start(); }});
}

TEST(outages, killed_backends_do_not_fail_reads) {
    if (!should_run(Kind::postgresql))
        return;
    // Otherwise, a backend logs its termination first, which takes long on a busy disk.
    create_database({"log_min_messages=panic"});
    start_on_database({}, busy_margin);
    run_outage({"backends terminated one by one", [] {},
                [this] {
                    for (int times = machine::times(30, 300); times > 0; --times)
                        terminate_backend();
                },
                true, true, std::chrono::milliseconds(0)});
}

TEST(outages, frozen_server_serves_again_when_it_continues) {
    if (!should_run(Kind::postgresql, Runs::long_ones))
        return;
    create_database();
    start_on_database();
    run_outage({"frozen and thawed", [this] { own_->freeze(); }, [this] { own_->thaw(); }, false,
                false, std::chrono::seconds(machine::times(8, 10))});
}

TEST(outages, with_dropped_packets_end_in_503) {
    if (!should_run(Kind::postgresql))
        return;
    create_database();
    relay_ = std::make_unique<TcpRelay>(own_->server().folder() / ".s.PGSQL.5432");
    start_on_database("host=127.0.0.1 port=" + std::to_string(relay_->port()) +
                      " dbname=postgres user=useradmin");
    run_outage({"black-holed", [this] { relay_->disconnect(); }, [this] { relay_->reconnect(); },
                false, false, std::chrono::seconds(machine::times(8, 10))});
}

TEST(outages, caused_by_a_changed_database_password_end) {
    if (!should_run(Kind::postgresql, Runs::long_ones))
        return;
    create_database();
    RoleWithPassword role(*own_);
    start_on_database(role.params());
    run_outage(
        {"wrong password", [&] { role.change_password(); }, [&] { role.restore_password(); }});
}

TEST(outages, failing_writes_do_not_fail_reads) {
    if (!should_run(Kind::postgresql, Runs::long_ones))
        return;
    create_database();
    start_on_database();
    run_outage({"read-only", [&] { own_->set_read_only(true); },
                [&] { own_->set_read_only(false); }, true});
}

TEST(outages, read_only_file_serves_again_when_it_is_writable) {
    if (!should_run(Kind::sqlite))
        return;
    expect_log("UA0108");
    create_database();
    start_on_database({}, busy_margin);
    run_outage({"read-only",
                [&] {
                    own_->set_read_only(true);
                    // A child that already has the file open could still write to it.
                    httpd_->restart_gracefully();
                },
                [&] { own_->set_read_only(false); }, true, false,
                std::chrono::seconds(machine::times(3, 5))});
}

TEST(outages, full_disk_does_not_fail_reads) {
    if (!(should_run(Kind::sqlite) || should_run(Kind::postgresql, Runs::long_ones)))
        return;
    const auto folder = Suite::current().work().make("small");
    disk_ = std::make_unique<SmallDisk>(folder);
    if (!*disk_)
        return;
    if (is_postgresql()) {
        // Autovacuum could free space on the full disk.
        create_database({"autovacuum=off"});
        std::filesystem::create_directory(folder / "space");
        if (const auto& account = own_->server().account())
            account->take_ownership(folder / "space");
        own_->sql().run("CREATE TABLESPACE small LOCATION '" + (folder / "space").string() + "'");
        own_->sql().run("ALTER TABLE \"user\" SET TABLESPACE small");
    } else {
        own_ = std::make_unique<TestDatabase>(Suite::current().work(), Kind::sqlite, "small/full");
        add_rows(own_->sql());
    }
    expect_log("UA0106");
    start_on_database({}, busy_margin);
    run_outage({"disk full", [this] { disk_->fill(); }, [this] { disk_->free(); }, true, false,
                std::chrono::seconds(machine::times(2, 5)), 500});
}

TEST(outages, crash_of_the_primary_ends_with_a_promotion) {
    if (!should_run(Kind::postgresql))
        return;
    create_database({"synchronous_standby_names=*"});
    standby_ = std::make_unique<PostgreSql>(Suite::current().work(), "standby", own_->server());
    start_on_database("host=" + own_->server().folder().string() + "," +
                      standby_->folder().string() +
                      " dbname=postgres user=useradmin connect_timeout=2 "
                      "target_session_attrs=read-write");
    run_outage(
        {"primary lost, standby promoted", [this] { crash(); }, [this] { standby_->promote(); }},
        [this] { return standby_->params(); });
}

TEST(outages, unreachable_primary_is_replaced_by_a_promotion) {
    if (!should_run(Kind::postgresql, Runs::long_ones))
        return;
    create_database({"synchronous_standby_names=*"});
    standby_ =
        std::make_unique<PostgreSql>(Suite::current().work(), "bright-standby", own_->server());
    relay_ = std::make_unique<TcpRelay>(own_->server().folder() / ".s.PGSQL.5432");
    start_on_database("host=127.0.0.1," + standby_->folder().string() +
                      " port=" + std::to_string(relay_->port()) +
                      ",5432 dbname=postgres user=useradmin connect_timeout=2 "
                      "target_session_attrs=read-write");
    run_outage({.name = "primary black-holed, standby promoted",
                .begin =
                    [this] {
                        relay_->disconnect();
                        crash();
                    },
                .end = [this] { standby_->promote(); },
                // Each connection first times out and then tries the unreachable address again.
                .recovers_within = std::chrono::seconds(30),
                // Then the address refuses connections.
                .then = [this] { relay_.reset(); }},
               [&] { return standby_->params(); });
}

TEST(outages, behind_PgBouncer_with_session_pooling_end) {
    if (!should_run(Kind::postgresql, Runs::long_ones))
        return;
    crash_behind_bouncer("session");
}

TEST(outages, behind_PgBouncer_with_transaction_pooling_end) {
    if (!should_run(Kind::postgresql))
        return;
    crash_behind_bouncer("transaction");
}

} // namespace useradmin::test
