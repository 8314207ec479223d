// kill -9 of children of httpd and of processes of the database while users are created, changed
// and deleted.
#include "load.hpp"

#include "support/machine.hpp"
#include "support/process.hpp"

#include <csignal>
#include <cstdio>
#include <map>
#include <mutex>
#include <random>
#include <set>

namespace useradmin::test {

namespace {

/// What may be in the database of one user, as its writer knows.
struct Trace {
    bool may_be_there = false;
    bool may_be_absent = true;
    std::set<std::string> names = {};
};

} // namespace

class Kills : public OwnHttpd {
  protected:
    void setup() override {
        OwnHttpd::setup();
        for (const char* line :
             {"exit signal Killed", "UA0", "dbd", "AH00629", "AH00632", "AH00633"})
            allow_log(line);
        // libpq prints what comes while a connection is made, before it can be told not to.
        for (const char* line : {"because of crash", "The postmaster has commanded", "In a moment"})
            allow_log(line);
        own_ = std::make_unique<TestDatabase>(Suite::current().work(), Suite::current().kind(),
                                              "killed-" + std::to_string(++databases));
        if (is_postgresql())
            for (const char* statement :
                 {"ALTER ROLE CURRENT_USER SET synchronous_commit = on", "CHECKPOINT"})
                own_->sql().run(statement);
        start_before(*own_,
                     "UserAdminHashQueue 32\n" +
                         location("/api/users", as_sara + "UserAdminPasswordHash argon2id m=64"));
    }
    void teardown() override {
        OwnHttpd::teardown();
        own_.reset();
    }

    static bool is_postgresql() { return Suite::current().kind() == Kind::postgresql; }

    /// Creates a user, changes it twice, and deletes every second one; notes what may come of it.
    void write(int thread, int turn) {
        const std::string email =
            "n" + std::to_string(thread) + "-" + std::to_string(turn) + "@example.org";
        Trace trace;
        const auto is_done = [&](const Reply& reply) {
            ++(reply.status == 200 ? done_ : reply.status == 0 ? lost_ : refused_);
            return reply.status == 200;
        };
        const auto made = send_alone(
            httpd_->port(), "POST", "/api/users",
            R"({"name":"first","password":"s3cr3t","role":"user","email":")" + email + "\"}");
        trace.may_be_there = true;
        trace.names = {"first"};
        if (is_done(made)) {
            trace.may_be_absent = false;
            const std::string path = "/api/users/" + text_member(made, "id");
            std::set<std::string> doubtful;
            for (const char* name : {"second", "third"}) {
                const auto changed = send_alone(httpd_->port(), "PUT", path,
                                                R"({"name":")" + std::string(name) + "\"}");
                // What got no reply may still be on its way to the table.
                if (is_done(changed))
                    trace.names = doubtful;
                else
                    doubtful.insert(name);
                trace.names.insert(name);
            }
            if (turn % 2 == 0) {
                trace.may_be_absent = true;
                if (is_done(send_alone(httpd_->port(), "DELETE", path)))
                    trace.may_be_there = false;
            }
        }
        const std::lock_guard lock(mutex_);
        traces_[email] = trace;
    }

    /// Kills children and processes of the database, at moments that nobody has chosen.
    void kill_at_random(int times) {
        // In a long run alone: each one has the whole server recover.
        const bool kills_backends = is_postgresql() && machine::times(0, 1) == 1;
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

    /// What is in the database is what the replies said.
    void check_traces() {
        CHECK_EQUAL(
            0,
            own_->sql().number(
                R"(SELECT count(*) FROM "user" WHERE "id" NOT IN (SELECT "userId" FROM "account"))"));
        for (const char* table : {"account", "session"})
            CHECK_EQUAL(0,
                        own_->sql().number("SELECT count(*) FROM \"" + std::string(table) +
                                           R"(" WHERE "userId" NOT IN (SELECT "id" FROM "user"))"));
        CHECK_EQUAL(own_->sql().number("SELECT count(*) FROM \"user\""),
                    own_->sql().number("SELECT count(*) FROM \"account\""));
        for (const auto& [email, trace] : traces_) {
            const auto name = own_->sql().value("SELECT \"name\" FROM \"user\" WHERE \"email\" = " +
                                                sql_literal(email));
            CHECK_TEXT(name ? trace.may_be_there : trace.may_be_absent, email.c_str());
            CHECK_TEXT(!name || trace.names.count(*name) == 1,
                       (email + " " + name.value_or("")).c_str());
        }
    }

    std::unique_ptr<TestDatabase> own_;
    std::atomic<int> done_{0};
    std::atomic<int> refused_{0};
    std::atomic<int> lost_{0};

  private:
    inline static int databases = 0;
    std::mutex mutex_;
    std::map<std::string, Trace> traces_;
};

TEST_GROUP_BASE(kills, Kills){};

TEST(kills, lose_nothing_that_was_confirmed_and_leave_nothing_in_halves) {
    constexpr int threads = 6;
    const int kills = machine::times(12, 1000);
    {
        const Load load(threads, [this](int thread, int turn) { write(thread, turn); });
        kill_at_random(kills);
    }
    check_traces();
    CHECK(done_ > kills);
    if (kills > 12)
        std::printf("\n%d kills: %d writes were confirmed, %d refused, and to %d came no reply\n",
                    kills, done_.load(), refused_.load(), lost_.load());
}

} // namespace useradmin::test
