// Load tests: load [CppUTest arguments]. They run for seconds, or much longer if
// USERADMIN_TEST_LONG is set.
#include "support/httpd.hpp"
#include "support/load.hpp"
#include "support/log_watch.hpp"
#include "support/machine.hpp"
#include "support/process.hpp"
#include "support/test_database.hpp"
#include "support/test_main.hpp"
#include "support/text.hpp"

#include <CppUTest/TestHarness.h>
#include <algorithm>
#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <unistd.h>

namespace useradmin::test {

namespace {

constexpr const char* token = "s3cr3t-token-of-sara";
constexpr int first_users = 1000;

/// Simulates a client that lists, searches, creates, reads, changes and deletes users.
class Client {
  public:
    /// Clients start at different steps. Before a client has created a user, it reads an existing
    /// one.
    Client(std::uint16_t port, int number)
        : http_(port), number_(number), turn_(number % 10),
          random_(static_cast<unsigned>(number) + 1) {}

    /// Waits for a random time that averages `pause`, and sends the next request.
    void take_turn(std::chrono::milliseconds pause) {
        std::this_thread::sleep_for(pause * (random_() % 2001) / 1000);
        const int turn = turn_++;
        const auto begin = std::chrono::steady_clock::now();
        const auto response = http_.try_send(request(turn));
        times.push_back(milliseconds(std::chrono::steady_clock::now() - begin));
        if (!response || response->status != 200) {
            ++failures[std::to_string(turn % 10) + ": " +
                       (response ? response->text() : "no response")];
            return;
        }
        if (turn % 10 == 0) {
            ++users;
            id_ = between(response->body, R"("id":")", "\"").value_or("");
        }
        if (deletes(turn))
            --users;
    }

    long connections() const noexcept { return http_.connections(); }

    /// The number of users that this client has created and not deleted.
    long users = 0;
    /// Failures, and how often each occurred.
    std::map<std::string, int> failures;
    /// The time in milliseconds until each response.
    std::vector<long> times;

  private:
    Request request(int turn) const {
        const auto make = [](const char* method, const std::string& path,
                             const std::optional<std::string>& body = {}) {
            return Request{
                method, "/api/users" + path, {"Authorization: Bearer " + std::string(token)}, body};
        };
        switch (turn % 10) {
        case 0:
            return make("POST", "",
                        R"({"name":"Crowd","role":"user","password":"s3cr3t","email":"c)" +
                            std::to_string(number_) + "-" + std::to_string(turn) +
                            R"(@example.org"})");
        case 2:
            return make("PUT", "/" + id_, R"({"name":"Changed"})");
        case 4:
            return make("GET", "?search=user" + std::to_string(number_ % 1000));
        case 6:
            return make("GET", "?page=3&role=user");
        case 8:
            return make(deletes(turn) ? "DELETE" : "GET", "/" + id_);
        default:
            return make("GET", turn % 10 == 1 ? "/" + id_ : "");
        }
    }

    /// Returns whether the client deletes its user in this step. It deletes every second user that
    /// it creates.
    bool deletes(int turn) const { return turn % 20 == 8 && id_ != "u2"; }

    HttpClient http_;
    int number_;
    int turn_;
    std::string id_ = "u2";
    std::minstd_rand random_;
};

} // namespace

TEST_GROUP(load) {
    WorkFolder work_;
    std::unique_ptr<TestDatabase> database_;
    std::unique_ptr<Httpd> httpd_;

    void setup() override {
        database_ = std::make_unique<TestDatabase>(work_, Kind::postgresql, "database");
        auto& sql = database_->sql();
        sql.run("INSERT INTO \"user\" (\"id\", \"name\", \"email\", \"role\", \"emailVerified\", "
                "\"createdAt\", \"updatedAt\") SELECT 'u' || n, 'User ' || n, 'user' || n || "
                "'@example.org', CASE n WHEN 1 THEN 'superAdmin' ELSE 'user' END, true, now(), "
                "now() FROM generate_series(1, " +
                std::to_string(first_users) + ") n; ANALYZE");
        sql.run("INSERT INTO \"session\" (\"id\", \"token\", \"userId\", \"expiresAt\", "
                "\"createdAt\", \"updatedAt\") VALUES ('s', " +
                sql_literal(token) + ", 'u1', '2999-01-01', now(), now())");
    }
    void teardown() override {
        httpd_.reset();
        database_.reset();
    }

    /// Starts an httpd with the event MPM and with enough workers and connections for the clients.
    void start(const std::string& of_server = {}, const std::string& of_location = {}) {
        HttpdSettings settings;
        settings.modules = {};
        settings.configuration =
            "DBDriver pgsql\nDBDParams \"" + database_->params() +
            "\"\nDBDMin 0\n"
            "LogLevel warn\nMaxKeepAliveRequests 0\nKeepAliveTimeout 60\n"
            "ServerLimit 2\nStartServers 2\nThreadLimit 256\nThreadsPerChild 256\n"
            "MaxRequestWorkers 512\nMinSpareThreads 32\nMaxSpareThreads 512\n"
            "AsyncRequestWorkerFactor 32\nListenBacklog 4096\n"
            "UserAdminHashQueue 128\n" +
            of_server +
            "<Location \"/api/users\">\n  UserAdmin On\n  AuthUserAdmin On\n"
            "  UserAdminPasswordHash argon2id m=64\n  Require all granted\n" +
            of_location + "</Location>\n";
        httpd_ = std::make_unique<Httpd>(work_, settings);
    }

    /// Returns the durations of consecutive requests in microseconds. All must succeed.
    std::vector<long> times_of(int requests, std::chrono::milliseconds pause) {
        HttpClient client(httpd_->port());
        std::vector<long> times;
        for (int number = 0; number < requests; ++number) {
            const auto before = std::chrono::steady_clock::now();
            const Response response =
                client.send({"GET",
                             "/api/users?page=" + std::to_string(number % 10 + 1),
                             {"Authorization: Bearer " + std::string(token)},
                             {}});
            times.push_back(static_cast<long>(std::chrono::duration_cast<std::chrono::microseconds>(
                                                  std::chrono::steady_clock::now() - before)
                                                  .count()));
            CHECK_EQUAL(200, response.status);
            usleep(static_cast<unsigned>(pause.count()) * 1000);
        }
        std::sort(times.begin(), times.end());
        return times;
    }
};

TEST(load, many_keep_alive_connections_cause_no_failures_or_leaks) {
    const int clients = machine::times(200, 2000);
    const std::chrono::seconds time(machine::times(10, 600));
    const std::chrono::milliseconds pause(machine::times(200, 5000));
    raise_file_limit();
    start();
    std::deque<Client> all;
    for (int number = 0; number < clients; ++number)
        all.emplace_back(httpd_->port(), number);
    std::vector<long> memory;
    {
        const Load load(clients, [&](int number, int) {
            all[static_cast<std::size_t>(number)].take_turn(pause);
        });
        for (auto second = time; second.count() > 0; --second) {
            std::this_thread::sleep_for(std::chrono::seconds(1));
            memory.push_back(children_kib(httpd_->main_process(), "VmRSS"));
        }
    }
    long users = first_users;
    long connections = 0;
    std::vector<long> times;
    for (const Client& client : all) {
        for (const auto& [failure, count] : client.failures)
            FAIL((std::to_string(count) + " times " + failure).c_str());
        users += client.users;
        connections += client.connections();
        times.insert(times.end(), client.times.begin(), client.times.end());
    }
    std::sort(times.begin(), times.end());
    CHECK_TEXT(times.size() > all.size(), std::to_string(times.size()).c_str());
    const Response list =
        HttpClient(httpd_->port())
            .send(
                {"GET", "/api/users?limit=1", {"Authorization: Bearer " + std::string(token)}, {}});
    CHECK_TEXT(list.body.find("\"total\":" + std::to_string(users) + ",") != std::string::npos,
               (list.body + " is not " + std::to_string(users)).c_str());
    CHECK_EQUAL(users, database_->sql().number("SELECT count(*) FROM \"account\"") + first_users);
    // Before a third of the time is over, every thread has processed every kind of request.
    const auto third = static_cast<std::ptrdiff_t>(memory.size() / 3);
    const long early = *std::max_element(memory.begin() + third, memory.begin() + 2 * third);
    const long late = *std::max_element(memory.end() - third, memory.end());
    std::printf(
        "\n%d clients, %ld s: %zu responses over %ld connections; median %ld ms, p99 %ld ms, "
        "longest %ld ms; %ld KiB resident after a third of the time, %ld KiB at its end\n",
        clients, static_cast<long>(time.count()), times.size(), connections,
        times[times.size() / 2], times[times.size() * 99 / 100], times.back(), early, late);
    // In a short run on a busy machine, memory also grows without a leak.
    CHECK_TEXT(late < (machine::is_long() ? early + early / 10 : 2 * early), "the children grow");
}

TEST(load, slow_clients_do_not_occupy_database_connections) {
    // A client that held a child's only database connection would block the child's other clients,
    // which would get 503.
    start("DBDKeep 1\nDBDMax 1\n", "  UserAdminBodyTimeout 120\n");
    const std::string address = "http://127.0.0.1:" + std::to_string(httpd_->port()) + "/api/users";
    const std::string cookie = "better-auth.session_token=" + std::string(token);
    const auto idle = times_of(100, std::chrono::milliseconds(10));
    struct Slow {
        const char* what;
        std::vector<std::string> options;
    };
    for (const Slow& slow :
         {Slow{"headers", {"-H", "-t", "GET", "-i", "1", "-u", address}},
          Slow{"bodies", {"-B", "-i", "1", "-x", "8", "-f", "application/json", "-u", address}},
          Slow{"reads",
               {"-X", "-w", "64", "-y", "128", "-n", "1", "-z", "16", "-u",
                address + "?limit=1000"}}}) {
        Command command{{"/usr/bin/env", "slowhttptest", "-c", "60", "-r", "60", "-p", "30", "-l",
                         "3600", "-j", cookie}};
        command.words.insert(command.words.end(), slow.options.begin(), slow.options.end());
        Process clients(command, work_.path() / "slowhttptest.log");
        const auto files = "/proc/" + std::to_string(clients.id()) + "/fd";
        CHECK(eventually(
            [&] { return std::distance(std::filesystem::directory_iterator(files), {}) >= 60; }));
        std::vector<long> busy = times_of(machine::times(300, 2000), std::chrono::milliseconds(10));
        CHECK_TEXT(clients.running(), (std::string("no slow ") + slow.what + " connections:\n" +
                                       read_file(work_.path() / "slowhttptest.log"))
                                          .c_str());
        std::printf("\n60 slow %s: another client's reads took %ld us (median), %ld us (p99) and "
                    "%ld us (longest); without them %ld, %ld and %ld\n",
                    slow.what, busy[busy.size() / 2], busy[busy.size() * 99 / 100], busy.back(),
                    idle[idle.size() / 2], idle[idle.size() * 99 / 100], idle.back());
    }
}

} // namespace useradmin::test

int main(int count, char** arguments) {
    return useradmin::test::run_tests(
        count, arguments, [](const auto& tests) { return tests(); });
}
