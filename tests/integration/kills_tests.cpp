// kill -9 of children of httpd and of processes of the database while users are created, changed
// and deleted.
#include "load.hpp"
#include "traced_users.hpp"

#include "support/machine.hpp"
#include "support/process.hpp"

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
        own_ = std::make_unique<TestDatabase>(Suite::current().work(), Suite::current().kind(),
                                              "killed-" + std::to_string(++databases));
        if (is_postgresql())
            TracedUsers::confirm_what_is_safe(own_->sql());
        start_before(*own_,
                     "UserAdminHashQueue 32\n" +
                         location("/api/users", as_sara + "UserAdminPasswordHash argon2id m=64"));
    }
    void teardown() override {
        OwnHttpd::teardown();
        own_.reset();
    }

    static bool is_postgresql() { return Suite::current().kind() == Kind::postgresql; }

    /// Kills children and processes of the database, at moments that nobody has chosen.
    void kill_at_random(int times) {
        // In a long run alone: each one has the whole server recover.
        const bool kills_backends = is_postgresql() && machine::is_long();
        std::minstd_rand random(std::random_device{}());
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

    std::unique_ptr<TestDatabase> own_;
    TracedUsers users_;

  private:
    inline static int databases = 0;
};

TEST_GROUP_BASE(kills, Kills){};

TEST(kills, lose_nothing_that_was_confirmed_and_leave_nothing_in_halves) {
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
    // The server may still be on its way back from the last kill.
    CHECK(eventually([this] { return Database::reachable(own_->driver(), own_->params()); }));
    users_.check(own_->sql());
    CHECK(users_.done() > kills);
    if (machine::is_long())
        std::printf("\n%d kills: %d writes were confirmed, %d refused, and to %d came no reply\n",
                    kills, users_.done(), users_.refused(), users_.lost());
}

} // namespace useradmin::test
