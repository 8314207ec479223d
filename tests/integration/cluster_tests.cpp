// Three httpds behind HAProxy, three PostgreSQL servers under Patroni, and one Redis. Each
// component fails in turn under load.
#include "own_httpd.hpp"
#include "traced_bans.hpp"
#include "traced_users.hpp"

#include "support/haproxy.hpp"
#include "support/load.hpp"
#include "support/machine.hpp"
#include "support/patroni.hpp"
#include "support/redis.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <map>
#include <mutex>

namespace useradmin::test {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

/// How a component of the cluster fails and is repaired.
struct Fault {
    const char* name;
    std::function<void()> begin;
    /// Waits up to a minute for another node to take over.
    std::function<void()> await_takeover = [] {};
    std::function<void()> end = [] {};
    /// Whether a short run includes this fault.
    bool is_short = false;
};

struct Failure {
    Clock::time_point started_at;
    int status;
    std::string body;
};

} // namespace

class Cluster : public Scene {
  protected:
    static constexpr std::size_t server_count = TracedBans::server_count;
    // More users than the tests can ban.
    static inline const int user_count = machine::times(5000, 100000);
    static constexpr seconds run_duration{20 * 60};
    // The guaranteed maximum.
    static constexpr seconds ban_applies_within{2};
    // A margin for busy machines.
    static constexpr seconds busy_margin{60};

    void setup() override {
        Scene::setup();
        if (!should_run())
            return;
        TracedUsers::allow_lines_of_outages();
        allow_log("MaxRequestWorkers");
        const WorkFolder& work = Suite::current().work();
        etcd_ = std::make_unique<Etcd>(work);
        for (std::size_t index = 0; index < server_count; ++index) {
            nodes_.at(index) =
                std::make_unique<PatroniNode>(work, "node-" + std::to_string(index + 1), *etcd_);
            httpd_relays_.at(index) = std::make_unique<TcpRelay>(std::uint16_t{1});
        }
        await_healthy_cluster();
        redis_ = std::make_unique<Redis>(work, "redis-of-cluster");
        redis_relay_ = std::make_unique<TcpRelay>(redis_->port());
        HaProxyServers servers{};
        for (std::size_t index = 0; index < server_count; ++index) {
            servers.httpds.at(index) = httpd_relays_.at(index)->port();
            servers.databases.at(index) = nodes_.at(index)->database_port();
            servers.patronis.at(index) = nodes_.at(index)->rest_port();
        }
        haproxy_ = std::make_unique<HaProxy>(work, servers);
        Database database("pgsql", primary().params());
        database.run(read_file(machine::source("sql/postgresql/schema.sql")));
        add_users_with_sessions(database, user_count);
        for (std::size_t index = 0; index < server_count; ++index)
            start_httpd(index);
    }
    void teardown() override {
        for (auto& httpd : httpds_)
            httpd.reset();
        haproxy_.reset();
        for (auto& node : nodes_)
            node.reset();
        etcd_.reset();
        redis_.reset();
    }

    static bool should_run() {
        return Suite::current().kind() == Kind::postgresql &&
               Suite::current().is_event_without_sanitizers();
    }

    void start_httpd(std::size_t index) {
        const std::string configuration =
            "Include \"" + machine::source("conf/recipes/proxy-inside.conf").string() +
            "\"\nDBDriver pgsql\nDBDParams \"host=127.0.0.1 port=" +
            std::to_string(haproxy_->database_port()) +
            " dbname=postgres user=postgres connect_timeout=2 password='" + PatroniNode::password +
            "'\"\nUserAdminTimeout 2\nAuthUserAdminTimeout 2\nAuthUserAdminCache 3600\n"
            "<Location \"/health\">\n  SetHandler useradmin-health\n  UserAdminHealth writable\n"
            "  UserAdminDrainFile \"${WORK}/drain\"\n</Location>\n"
            "<Location \"/private\">\n  AuthUserAdmin On\n  Require user-role user\n</Location>\n" +
            location("/api/users", as_sara + "UserAdminPasswordHash argon2id m=64\n" +
                                       "UserAdminSecondaryStorage " +
                                       redis_->url(redis_relay_->port()) + " app:\n") +
            "<Location \"/api/auth\">\n  AuthUserAdminSignIn On\n"
            "  AuthUserAdminSignInLimit 3 1000 shared\n  Require all granted\n</Location>\n";
        auto settings = Suite::current().settings(configuration);
        settings.modules = {"mod_remoteip.so"};
        httpds_.at(index) = std::make_unique<Httpd>(Suite::current().work(), settings);
        httpd_relays_.at(index)->set_server_port(httpds_.at(index)->port());
    }

    PatroniNode& primary() const { return node_that_answers("/primary"); }
    /// Waits for a node whose REST API answers this path with 200, and returns it.
    PatroniNode& node_that_answers(const char* path) const {
        PatroniNode* found = nullptr;
        await([&] {
            for (const auto& node : nodes_)
                if (node->answers_ok(path))
                    found = node.get();
            return found != nullptr;
        });
        return *found;
    }
    int count_nodes_that_answer(const char* path) const {
        return static_cast<int>(std::count_if(
            nodes_.begin(), nodes_.end(),
            [&](const auto& node) { return node->answers_ok(path); }));
    }
    /// Waits for a condition on the nodes. On timeout, fails the test and shows their logs.
    template <typename Condition>
    void await(Condition condition) const {
        if (eventually(condition, seconds(180)))
            return;
        std::string logs;
        for (const auto& node : nodes_)
            logs += node->name() + ":\n" + node->log();
        fail_test(logs);
    }
    /// Waits until there is a primary with two standbys, one of them synchronous.
    void await_healthy_cluster() const {
        await([this] {
            return count_nodes_that_answer("/primary") == 1 &&
                   count_nodes_that_answer("/replica?lag=1MB") == server_count - 1 &&
                   count_nodes_that_answer("/sync") == 1;
        });
    }
    /// Returns a fault of the current primary.
    Fault fault_of_primary(const char* name, void (PatroniNode::*begin)(),
                           void (PatroniNode::*end)()) {
        return {name,
                [this, begin] {
                    lost_ = &primary();
                    (lost_->*begin)();
                },
                [this] { await_takeover("/primary"); }, [this, end] { (lost_->*end)(); }};
    }

    std::vector<Fault> faults() {
        std::vector<Fault> all = {
            {"an httpd killed, and started again", [this] { httpds_[0]->crash(); }, [] {},
             [this] { start_httpd(0); }, true},
            {"an httpd frozen", [this] { signal_httpd(1, SIGSTOP); }, [] {},
             [this] { signal_httpd(1, SIGCONT); }},
            {"an httpd cut off", [this] { httpd_relays_[2]->disconnect(); }, [] {},
             [this] { httpd_relays_[2]->reconnect(); }, true},
            {"an httpd drained, restarted and undrained",
             [this] {
                 drain("on");
                 // Wait until HAProxy has noticed.
                 const auto count_failed_health_checks = [this] {
                     const auto log = httpds_[0]->access_log();
                     return std::count(log.begin(), log.end(), "- 503 GET /health");
                 };
                 await([&, before = count_failed_health_checks()] {
                     return count_failed_health_checks() >= before + 3;
                 });
                 httpds_[0]->restart_gracefully();
             },
             [] {}, [this] { drain("off"); }, true},
            {"Redis killed, and started empty", [this] { redis_->stop(); }, [] {},
             [this] { redis_->start(); }, true},
            {"Redis frozen", [this] { redis_->signal(SIGSTOP); }, [] {},
             [this] { redis_->signal(SIGCONT); }},
            {"Redis cut off", [this] { redis_relay_->disconnect(); }, [] {},
             [this] { redis_relay_->reconnect(); }},
            {"PostgreSQL of the primary killed",
             [this] {
                 lost_ = &primary();
                 lost_->kill_postgresql();
             },
             [this] {
                 await_any_node([](const PatroniNode& node) {
                     return !node.is_killed() && node.answers_ok("/primary");
                 });
             },
             [] {}, true},
            fault_of_primary("the primary's server lost, and started again", &PatroniNode::kill,
                             &PatroniNode::start),
            fault_of_primary("the primary's server frozen", &PatroniNode::freeze,
                             &PatroniNode::thaw),
            {"the primary's server cut off",
             [this] {
                 lost_ = &primary();
                 lost_->disconnect();
                 // The nodes' relays cannot tell who sends a request. If the nodes still responded,
                 // the failsafe mode would keep the primary.
                 for (const auto& node : nodes_)
                     node->disconnect_from_nodes();
             },
             [this] { await_takeover("/primary"); },
             [this] {
                 lost_->reconnect();
                 for (const auto& node : nodes_)
                     node->reconnect_to_nodes();
             }},
            {"a planned change of the primary",
             [this] {
                 lost_ = &primary();
                 CHECK(lost_->switch_over());
             },
             [this] { await_takeover("/primary"); }, [] {}},
            {"the synchronous standby lost, and started again",
             [this] {
                 lost_ = &node_that_answers("/sync");
                 lost_->kill();
             },
             [this] { await_takeover("/sync"); }, [this] { lost_->start(); }},
            {"the synchronous standby frozen",
             [this] {
                 lost_ = &node_that_answers("/sync");
                 lost_->freeze();
             },
             [this] { await_takeover("/sync"); }, [this] { lost_->thaw(); }},
            {"etcd killed, and started again", [this] { etcd_->kill(); }, [] {},
             [this] { etcd_->start(); }},
            {"HAProxy reloaded", [this] { haproxy_->reload(); }, [] {}, [] {}},
            {"HAProxy killed, and started again",
             [this] {
                 haproxy_->kill();
                 haproxy_->start();
             }},
        };
        if (!machine::is_long())
            std::erase_if(all, [](const Fault& fault) { return !fault.is_short; });
        return all;
    }

    /// Waits up to a minute for a matching node. Does not fail the test on timeout.
    template <typename Condition>
    void await_any_node(Condition condition) const {
        static_cast<void>(eventually([&] {
            return std::any_of(
                nodes_.begin(), nodes_.end(), [&](const auto& node) { return condition(*node); });
        }));
    }
    /// Waits up to a minute for a node other than lost_ to answer this path with 200. Does not fail
    /// the test on timeout: in synchronous mode, a node that may lack a confirmed change does not
    /// take over.
    void await_takeover(const char* path) const {
        await_any_node(
            [&](const PatroniNode& node) { return &node != lost_ && node.answers_ok(path); });
    }

    void signal_httpd(std::size_t index, int number) const {
        ::kill(-httpds_.at(index)->main_process(), number);
    }
    void drain(const char* word) const {
        const auto result = test::run({{machine::built("useradminctl"), "drain", word, "--file",
                                        (httpds_[0]->folder() / "drain").string()},
                                       machine::sanitizer_environment()});
        CHECK_EQUAL_TEXT(0, result.status, result.errors.c_str());
    }

    /// Injects a fault, repairs it, and checks when requests succeed again.
    void run_fault(const Fault& fault) {
        await_successes();
        const auto fault_start = Clock::now();
        const int requests_before = requests_;
        fault.begin();
        fault.await_takeover();
        const auto taken_over = Clock::now();
        std::this_thread::sleep_for(seconds(machine::times(2, 10)));
        fault.end();
        const auto ended = Clock::now();
        await_successes();
        await_healthy_cluster();
        const std::lock_guard lock(mutex_);
        std::map<int, int> statuses;
        Clock::duration last{};
        for (const Failure& failure : failures_) {
            ++statuses[failure.status];
            last = std::max(last, failure.started_at - fault_start);
            // HAProxy's own errors use the same envelope. Status 0 means that the connection was
            // closed.
            CHECK_TEXT(failure.status == 0 ||
                           failure.body.starts_with(R"({"success":false,"error":")"),
                       failure.body.c_str());
            CHECK_TEXT(failure.started_at <= ended + busy_margin, fault.name);
        }
        std::string figures = std::string("| ") + fault.name + " | " +
                              std::to_string(requests_ - requests_before) + " | ";
        for (const auto& [status, count] : statuses)
            figures += std::to_string(count) + " × " + std::to_string(status) + " ";
        figures += "| " + std::to_string(milliseconds(taken_over - fault_start)) + " | " +
                   std::to_string(milliseconds(last)) + " | " +
                   std::to_string(milliseconds(longest_)) + " |";
        failures_.clear();
        longest_ = {};
        if (machine::is_long())
            std::printf("\n%s\n", figures.c_str());
        std::fflush(stdout);
    }

    /// Checks that each wrong password counts, regardless of the server.
    void check_sign_in_limit() const {
        const auto sign_in = [&](std::size_t server) {
            return send_alone(httpds_.at(server)->port(), "POST", "/api/auth/sign-in/email",
                              sign_in_body("nobody@example.org", "s3cr3t"),
                              "Content-Type: application/json")
                .status;
        };
        for (std::size_t server = 0; server < server_count; ++server)
            CHECK_EQUAL(401, sign_in(server));
        for (std::size_t server = 0; server < server_count; ++server)
            CHECK_EQUAL(429, sign_in(server));
    }

    /// Checks that each confirmed ban is in the database, and that each ban there is in Redis.
    void check_bans(Database& database) {
        for (const int user : bans_.check_database(database)) {
            const std::string id = "b" + std::to_string(user);
            CHECK_TEXT(
                eventually([&] {
                    return redis_->run({"EXISTS", "app:revoked-sessions-before-" + id}) == "1";
                }),
                id.c_str());
        }
    }

    Response ask(const std::string& method, const std::string& path, const std::string& body = {}) {
        const auto started_at = Clock::now();
        const Response response = send_alone(haproxy_->port(), method, path, body);
        // Errors arrive immediately, so pause before the next request.
        if (response.status != 200)
            pause_briefly();
        const std::lock_guard lock(mutex_);
        ++requests_;
        longest_ = std::max(longest_, Clock::now() - started_at);
        successes_ = response.status == 200 ? successes_ + 1 : 0;
        if (response.status != 200)
            failures_.push_back({started_at, response.status, response.body});
        return response;
    }

    /// Called repeatedly by a load thread.
    void work(int thread, int turn) {
        if (thread < 2) {
            for (const char* path : {"/api/users?limit=5", "/api/users/b1", "/api/users?search=b9"})
                ask("GET", path);
        } else if (thread < 4) {
            users_.write(
                thread, turn,
                [this](const std::string& method, const std::string& path,
                       const std::string& body) { return ask(method, path, body); });
        } else {
            const int user = turn + 2;
            bans_.fill_caches(user);
            if (ask("PUT", "/api/users/b" + std::to_string(user), R"({"banned":true})").status ==
                200)
                bans_.add(user);
            pause_briefly();
        }
    }

    /// Waits for a number of consecutive successes.
    void await_successes() {
        {
            const std::lock_guard lock(mutex_);
            successes_ = 0;
        }
        await([this] {
            const std::lock_guard lock(mutex_);
            return successes_ >= machine::times(30, 100);
        });
    }

    std::unique_ptr<Etcd> etcd_;
    std::array<std::unique_ptr<PatroniNode>, server_count> nodes_;
    std::unique_ptr<Redis> redis_;
    std::unique_ptr<TcpRelay> redis_relay_;
    std::unique_ptr<HaProxy> haproxy_;
    std::array<std::unique_ptr<TcpRelay>, server_count> httpd_relays_;
    std::array<std::unique_ptr<Httpd>, server_count> httpds_;
    /// The node that the current fault affects.
    PatroniNode* lost_ = nullptr;
    TracedUsers users_;
    TracedBans bans_{[this](std::size_t server, const std::string& bearer) {
        return send_alone(httpd_relays_.at(server)->port(), "GET", "/private", "", bearer).status;
    }};

  private:
    std::mutex mutex_;
    int requests_ = 0;
    int successes_ = 0;
    std::vector<Failure> failures_;
    Clock::duration longest_{};
};

TEST_GROUP_BASE(cluster, Cluster){};

TEST(cluster, loses_no_change_or_ban_while_components_fail) {
    if (!should_run())
        return;
    const auto end = Clock::now() + run_duration;
    {
        const Load watchers(
            server_count,
            [this](int server, int) { bans_.poll_bans(static_cast<std::size_t>(server)); });
        Load load(5, [this](int thread, int turn) { work(thread, turn); });
        do {
            for (const Fault& fault : faults())
                run_fault(fault);
        } while (machine::is_long() && Clock::now() < end);
        load.stop();
        CHECK(eventually([this] { return bans_.all_enforced(); }));
    }
    Database database("pgsql", primary().params());
    users_.check(database);
    check_bans(database);
    check_sign_in_limit();
    const std::string figures = std::to_string(users_.done()) + " confirmed changes and " +
                                std::to_string(bans_.confirmed().size()) +
                                " confirmed bans; a server accepted a banned user for " +
                                std::to_string(milliseconds(bans_.longest_acceptance())) + " ms";
    if (machine::is_long())
        std::printf("\n%s\n", figures.c_str());
    CHECK_TEXT(bans_.longest_acceptance() < ban_applies_within + busy_margin, figures.c_str());
}

} // namespace useradmin::test
