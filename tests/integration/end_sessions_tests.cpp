// UserAdminEndSessions: a ban, a new role or a new address ends the user's sessions.
#include "scene.hpp"

namespace useradmin::test {

class EndSessions : public Scene {
  protected:
    static Response change(const std::string& body, const std::string& base = "/ending/users/") {
        return ask(Caller::super_admin, "PUT", base + "ulises-1", body);
    }

    /// Returns how many sessions the user has.
    static long count_sessions() {
        return sql().number(R"(SELECT count(*) FROM "session" WHERE "userId" = 'ulises-1')");
    }
};

TEST_GROUP_BASE(end_sessions, EndSessions){};

TEST(end_sessions, ends_sessions_after_a_ban_new_role_or_new_address) {
    for (const char* body : {R"({"banned":true})", R"({"name":"U","role":"admin"})",
                             R"({"role":"user"})", R"({"email":"otro@example.org"})"}) {
        sql().run(R"(UPDATE "user" SET "banned" = NULL WHERE "id" = 'ulises-1')");
        add_session("s3cr3t-other", "ulises-1");
        expect_success(change(body));
        CHECK_EQUAL(0, count_sessions());
    }
    CHECK_EQUAL(2, count("session"));
}

TEST(end_sessions, ends_no_sessions_by_default) {
    expect_success(change(R"({"banned":true,"role":"admin","email":"o@x"})", "/api/users/"));
    CHECK_EQUAL(1, count_sessions());
}

} // namespace useradmin::test
