// Bans on three servers with caches and one Redis, during outages of Redis and of the database.
// Soon after the outage, a ban must apply on every server and in Redis.
#include "own_httpd.hpp"
#include "traced_bans.hpp"
#include "traced_users.hpp"

#include "support/load.hpp"
#include "support/machine.hpp"
#include "support/process.hpp"
#include "support/redis.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <mutex>

namespace useradmin::test {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t server_count = TracedBans::server_count;
constexpr int writer_count = 6;
// More users than the tests can ban.
constexpr int user_count = 20000;
constexpr const char* timeout_seconds = "2";
// The guaranteed maxima.
constexpr std::chrono::seconds max_response_time{3};
constexpr std::chrono::seconds ban_applies_within{2};
// A margin for busy machines.
constexpr std::chrono::seconds busy_margin{30};

} // namespace

class BanOutages : public Scene {
  protected:
    void setup() override {
        Scene::setup();
        TracedUsers::allow_lines_of_outages();
        allow_log("UA0311"); // the configuration contains a password
        redis_ = std::make_unique<Redis>(Suite::current().work(), "redis-of-bans");
    }
    void teardown() override {
        for (auto& httpd : httpds_)
            httpd.reset();
        redis_.reset();
    }

    /// Returns whether to run the test. A short run includes it only once.
    static bool should_run() {
        return machine::is_long() || Suite::current().is_event_without_sanitizers();
    }

    /// Adds users with sessions in the database and in Redis, and starts the servers with these
    /// DBDParams.
    void start(const std::string& params = Suite::current().database().params()) {
        add_users_with_sessions(sql(), user_count);
        redis_->run({"EVAL", R"(
for number = 1, tonumber(ARGV[1]) do
  local token = '"token":"t' .. number .. '"'
  redis.call('SET', 'app:t' .. number,
             '{"session":{' .. token .. ',"createdAt":"2026-01-01T00:00:00.000Z"},"user":{}}')
  redis.call('SET', 'app:active-sessions-b' .. number,
             '[{' .. token .. ',"expiresAt":32472144000000}]')
end
return 1)",
                     "0", std::to_string(user_count)});
        const std::string timeout = std::string("Timeout ") + timeout_seconds + "\n";
        const std::string configuration =
            Suite::directives_for(Suite::current().database()) + "DBDParams \"" + params +
            "\"\nAuthUserAdminCache 3600\n" + "UserAdmin" + timeout + "AuthUserAdmin" + timeout +
            location("/api/users",
                     as_sara + "UserAdminSecondaryStorage " + redis_->url() + " app:\n") +
            "<Location \"/private\">\nAuthUserAdmin On\nRequire user-role user\n</Location>\n";
        for (auto& httpd : httpds_)
            httpd = std::make_unique<Httpd>(Suite::current().work(),
                                            Suite::current().settings(configuration));
    }

    /// Bans users on all servers during the action. Then waits until each confirmed ban applies on
    /// all servers.
    void ban_during(const std::function<void()>& action) {
        const Load watchers(
            server_count,
            [this](int server, int) { bans_.poll_bans(static_cast<std::size_t>(server)); });
        Load writers(writer_count, [this](int, int) { ban(); });
        await_bans(20);
        action();
        await_bans(20);
        writers.stop();
        CHECK(eventually([this] { return bans_.all_enforced(); }));
    }

    void await_bans(std::size_t count) {
        const std::size_t before = bans_.confirmed().size();
        CHECK(eventually([&] { return bans_.confirmed().size() >= before + count; }));
    }

    /// Waits for some bans and limits how many more can begin, because the servers deliver all bans
    /// again after each kill.
    void ban_a_few() {
        last_allowed_ = last_user_ + 4 * writer_count;
        await_bans(writer_count);
    }

    /// Returns whether Redis has no sessions of these users and has a revocation key for each.
    bool are_revoked_in_redis(const std::vector<int>& users) const {
        std::vector<std::string> sessions = {"EXISTS"};
        std::vector<std::string> rejections = {"EXISTS"};
        for (const int user : users) {
            const std::string number = std::to_string(user);
            sessions.push_back("app:t" + number);
            sessions.push_back("app:active-sessions-b" + number);
            rejections.push_back("app:revoked-sessions-before-b" + number);
        }
        return redis_->run(sessions) == "0" &&
               redis_->run(rejections) == std::to_string(users.size());
    }

    /// Checks that each confirmed ban is in the database, and that each ban in the database applies
    /// on all servers and in Redis. Returns the number of bans.
    std::size_t check_bans() {
        const std::vector<int> users = bans_.check_database(sql());
        CHECK(eventually([&] { return are_revoked_in_redis(users); }));
        for (const auto& httpd : httpds_) {
            HttpClient client(httpd->port());
            for (const int user : users)
                CHECK(eventually([&] {
                    return client.send({"GET", "/private", {TracedBans::bearer_of(user)}}).status ==
                           401;
                }));
        }
        return users.size();
    }

    /// Bans users during an outage, and checks that each ban applies soon after the outage. params:
    /// the servers' DBDParams.
    void run_outage(const char* name, const std::function<void()>& begin,
                    const std::function<void()>& end,
                    const std::string& params = Suite::current().database().params()) {
        if (!should_run())
            return;
        start(params);
        Clock::duration delivered{};
        ban_during([&] {
            begin();
            std::this_thread::sleep_for(std::chrono::seconds(machine::times(3, 10)));
            end();
            const auto outage_end = Clock::now();
            const std::vector<int> users = bans_.confirmed();
            CHECK(eventually([&] { return are_revoked_in_redis(users); }));
            delivered = Clock::now() - outage_end;
        });
        const std::string figures =
            std::string(name) + ": " + std::to_string(check_bans()) + " bans, " +
            std::to_string(unavailable_) + " × 503; the slowest response took " +
            std::to_string(milliseconds(longest_)) + " ms; Redis had all bans " +
            std::to_string(milliseconds(delivered)) +
            " ms after the outage; a server accepted a banned user for " +
            std::to_string(milliseconds(bans_.longest_acceptance())) + " ms";
        CHECK_TEXT(longest_ < max_response_time + busy_margin, figures.c_str());
        CHECK_TEXT(std::max(delivered, bans_.longest_acceptance()) <
                       ban_applies_within + busy_margin,
                   figures.c_str());
        if (machine::is_long())
            std::printf("\n%s\n", figures.c_str());
    }

    std::atomic<int> last_allowed_{user_count};
    std::unique_ptr<Redis> redis_;
    std::array<std::unique_ptr<Httpd>, server_count> httpds_;
    TracedBans bans_{[this](std::size_t server, const std::string& bearer) {
        return ask(server, "GET", "/private", "", bearer);
    }};

  private:
    int ask(std::size_t server, const std::string& method, const std::string& path,
            const std::string& body, const std::string& header) {
        const auto started_at = Clock::now();
        const Response response =
            send_alone(httpds_.at(server)->port(), method, path, body, header);
        const std::lock_guard lock(mutex_);
        longest_ = std::max(longest_, Clock::now() - started_at);
        unavailable_ += response.status == 503;
        return response.status;
    }

    /// Puts the next user's session in all caches, then bans the user.
    void ban() {
        pause_briefly();
        if (last_user_ >= last_allowed_)
            return;
        const int user = ++last_user_;
        bans_.fill_caches(user);
        if (ask(static_cast<std::size_t>(user) % server_count, "PUT",
                "/api/users/b" + std::to_string(user), R"({"banned":true})", "") == 200)
            bans_.add(user);
    }

    std::atomic<int> last_user_{0};

    std::mutex mutex_;
    Clock::duration longest_{};
    int unavailable_ = 0;
};

TEST_GROUP_BASE(ban_outages, BanOutages){};
TEST_GROUP_BASE(postgresql_ban_outages, BanOutages){};

TEST(ban_outages, restarting_Redis_with_old_entries_loses_no_bans) {
    run_outage(
        "Redis stopped and started with old entries",
        [this] {
            redis_->run({"SAVE"});
            await_bans(20);
            redis_->stop();
        },
        [this] { redis_->start(); });
}

TEST(ban_outages, restarting_Redis_without_entries_loses_no_bans) {
    run_outage(
        "Redis restarted empty", [this] { redis_->stop(); }, [this] { redis_->start(); });
}

TEST(ban_outages, freezing_Redis_loses_no_bans) {
    run_outage(
        "Redis frozen and thawed", [this] { redis_->signal(SIGSTOP); },
        [this] { redis_->signal(SIGCONT); });
}

TEST(ban_outages, changing_the_password_of_Redis_loses_no_bans) {
    run_outage(
        "Redis with another password",
        [this] { redis_->change_password("another s3cr3t of @redis"); },
        [this] { redis_->change_password(Redis::password); });
}

TEST(postgresql_ban_outages, restarting_the_database_loses_no_bans) {
    run_outage(
        "PostgreSQL stopped and started", [] { Suite::current().database().make_unavailable(); },
        [] { Suite::current().database().make_available(); });
}

TEST(postgresql_ban_outages, freezing_the_database_loses_no_bans) {
    // The connect_timeout limits how long requests wait for a new connection.
    run_outage(
        "PostgreSQL frozen and thawed", [] { Suite::current().database().freeze(); },
        [] { Suite::current().database().thaw(); },
        Suite::current().database().params() + " connect_timeout=2");
}

TEST(postgresql_ban_outages, changing_the_password_of_the_database_loses_no_bans) {
    if (!should_run())
        return;
    RoleWithPassword role(Suite::current().database());
    run_outage(
        "PostgreSQL with another password", [&] { role.change_password(); },
        [&] { role.restore_password(); }, role.params());
}

TEST(ban_outages, with_killed_children_lose_no_bans) {
    if (!should_run())
        return;
    allow_log("exit signal Killed");
    const int kills = machine::times(20, 200);
    start();
    ban_during([&] {
        for (int kill_number = 0; kill_number < kills; ++kill_number) {
            // Redis receives nothing while it is stopped.
            redis_->signal(SIGSTOP);
            ban_a_few();
            for (const auto& httpd : httpds_)
                for (const pid_t child : children_of(httpd->main_process()))
                    ::kill(child, SIGKILL);
            redis_->signal(SIGCONT);
            ban_a_few();
        }
        last_allowed_ = user_count;
    });
    const std::size_t bans = check_bans();
    if (machine::is_long())
        std::printf("\n%d kills: %zu bans, each in Redis and on all servers\n", kills, bans);
}

} // namespace useradmin::test
