// Sign-in during a password change, a ban and a deletion. No session that is created at the same
// time may survive.
#include "load.hpp"

#include "support/machine.hpp"
#include "support/process.hpp"

#include <mutex>

namespace useradmin::test {

namespace {

constexpr const char* cheap_hash = "UserAdminPasswordHash argon2id m=8 t=1 p=1\n";

} // namespace

class SessionRaces : public OwnHttpd {
  protected:
    static constexpr int clients = 4;

    void setup() override {
        OwnHttpd::setup();
        if (!Suite::current().is_event_without_sanitizers())
            return;
        // On a busy machine, a SQLite writer may time out.
        allow_log("UA0104");
        start(std::string("UserAdminHashQueue 32\nAuthUserAdminSignInLimit 1000000\n"
                          "ServerLimit 2\nStartServers 2\nThreadsPerChild 8\n"
                          "MaxRequestWorkers 16\n") +
              cheap_hash +
              location("/api/users", as_sara + "UserAdminExtras On\n"
                                               "UserAdminEndSessions On") +
              test::sign_in("/auth", ""));
    }
    /// Several clients sign in repeatedly with the first password while `change` is called with the
    /// user's id. Expects that none of their sessions with the first role survives.
    void expect_no_surviving_session(const std::function<void(const std::string& id)>& change) {
        if (!Suite::current().is_event_without_sanitizers())
            return;
        long survivors = 0;
        for (int race = 0; race < machine::times(20, 200); ++race)
            survivors += count_survivors(change);
        CHECK_EQUAL(0, survivors);
    }

    void change_by_request(const std::string& method, const std::string& path,
                           const std::string& body = {}) {
        expect_success(send(method, "/api/users/" + path, body));
    }

  private:
    long count_survivors(const std::function<void(const std::string& id)>& change) {
        Suite::current().database().clear();
        const auto created =
            send("POST", "/api/users",
                 R"({"name":"N","email":"n@example.org","password":"first word","role":"admin"})");
        expect_success(created);
        const std::string id = text_member(created, "id");
        std::mutex mutex;
        std::string tokens;
        std::atomic<int> signed_in{0};
        {
            Load load(
                clients,
                [&](int, int turn) {
                    thread_local std::unique_ptr<HttpClient> client;
                    if (turn == 0)
                        client = std::make_unique<HttpClient>(httpd_->port());
                    const auto response = client->try_send(
                        {"POST",
                         "/auth/sign-in/email",
                         {"Content-Type: application/json"},
                         std::string(R"({"email":"n@example.org","password":"first word"})")});
                    if (!response || response->status != 200 ||
                        response->body.find(R"("role":"admin")") == std::string::npos)
                        return;
                    const std::lock_guard lock(mutex);
                    tokens +=
                        (tokens.empty() ? "" : ", ") + sql_literal(text_member(*response, "token"));
                    ++signed_in;
                });
            CHECK(eventually([&] { return signed_in >= 2 * clients; }));
            change(id);
        }
        return sql().number(R"(SELECT count(*) FROM "session" WHERE "token" IN ()" + tokens + ")");
    }
};

TEST_GROUP_BASE(session_races, SessionRaces){};

TEST(session_races, leave_no_session_after_a_new_password) {
    expect_no_surviving_session([&](const std::string& id) {
        change_by_request("PUT", id + "/password", R"({"password":"second word"})");
    });
}

TEST(session_races, leave_no_session_after_a_ban) {
    expect_no_surviving_session(
        [&](const std::string& id) { change_by_request("PUT", id, R"({"banned":true})"); });
}

TEST(session_races, leave_no_session_after_a_deletion) {
    expect_no_surviving_session([&](const std::string& id) { change_by_request("DELETE", id); });
}

} // namespace useradmin::test
