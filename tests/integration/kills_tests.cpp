// Kills httpd's children, and in a long run PostgreSQL's backends, while users are created, changed
// and deleted.
#include "own_httpd.hpp"
#include "traced_users.hpp"

#include "support/load.hpp"
#include "support/machine.hpp"
#include "support/process.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <random>

namespace useradmin::test {

class Kills : public OwnHttpd {
  protected:
    void setup() override {
        OwnHttpd::setup();
        TracedUsers::allow_lines_of_outages();
        allow_log("exit signal Killed");
        make_database();
        if (is_postgresql()) {
            TracedUsers::enable_synchronous_commit(own_->sql());
            // The role's setting does not apply to this connection, which is already open.
            own_->sql().run("SET synchronous_commit = on");
        }
        start("UserAdminHashQueue 32\nUserAdminEndSessions On\n" +
              location("/api/users", as_sara + "UserAdminPasswordHash argon2id m=64"));
    }

    /// Kills children, and in a long run PostgreSQL's backends, at random times.
    void kill_at_random(int times) {
        // Kill backends only in a long run: each kill restarts the whole server.
        const bool kills_backends = is_postgresql() && machine::is_long();
        const unsigned seed = std::random_device{}();
        std::printf("\nseed of the kills: %u\n", seed);
        std::minstd_rand random(seed);
        for (int kill_number = 0; kill_number < times; ++kill_number) {
            std::this_thread::sleep_for(std::chrono::microseconds(random() % 30000));
            if (kills_backends && kill_number % 2 == 0) {
                own_->kill_backend();
            } else {
                const auto children = children_of(httpd_->main_process());
                if (!children.empty())
                    kill(children[random() % children.size()], SIGKILL);
            }
            CHECK(eventually([this] {
                return send_alone(httpd_->port(), "GET", "/api/users?limit=1").status == 200;
            }));
        }
    }

    TracedUsers users_;
};

TEST_GROUP_BASE(kills, Kills){};

TEST(kills, lose_no_confirmed_write) {
    constexpr int threads = 6;
    const int kills = machine::times(12, 1000);
    {
        const auto send = [this](const std::string& method, const std::string& path,
                                 const std::string& body) {
            return send_alone(httpd_->port(), method, path, body);
        };
        const Load load(threads, [&](int thread, int turn) { users_.write(thread, turn, send); });
        kill_at_random(kills);
    }
    // The server may still be recovering from the last kill.
    CHECK(eventually([this] { return Database::reachable(own_->driver(), own_->params()); }));
    users_.check(own_->sql());
    CHECK(users_.done() > kills);
    if (machine::is_long())
        std::printf("\n%d kills: %d writes confirmed, %d rejected, %d without a response\n", kills,
                    users_.done(), users_.rejected(), users_.lost());
}

TEST(kills, end_exactly_the_sessions_of_banned_users) {
    constexpr int threads = 6;
    const int kills = machine::times(12, 1000);
    const int users = machine::times(6000, 300000);
    add_users_with_sessions(own_->sql(), users);
    std::atomic<int> banned{0};
    {
        const Load load(threads, [&](int thread, int turn) {
            const int number = 1 + thread + turn * threads;
            const std::string path = "/api/users/b" + std::to_string(std::min(number, users));
            banned += send_alone(httpd_->port(), "PUT", path, R"({"banned":true})").status == 200;
        });
        kill_at_random(kills);
    }
    CHECK(eventually([this] { return Database::reachable(own_->driver(), own_->params()); }));
    const std::string is_banned =
        std::string(R"(coalesce("banned", )") + (is_postgresql() ? "FALSE)" : "0) <> 0");
    const auto count_users = [&](const std::string& condition) {
        return own_->sql().number(R"(SELECT count(*) FROM "user" u WHERE "id" LIKE 'b%' AND )" +
                                  condition);
    };
    const std::string has_session =
        R"(EXISTS (SELECT 1 FROM "session" s WHERE s."userId" = u."id"))";
    CHECK_EQUAL(0, count_users(is_banned + " AND " + has_session));
    CHECK_EQUAL(0, count_users("NOT (" + is_banned + ") AND NOT " + has_session));
    CHECK(banned > kills && count_users(is_banned) > kills);
    if (machine::is_long())
        std::printf("\n%d kills: %d bans were confirmed, and %ld users are banned\n", kills,
                    banned.load(), count_users(is_banned));
}

} // namespace useradmin::test
