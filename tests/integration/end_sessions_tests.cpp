// UserAdminEndSessions: a ban, a new role or a new address ends the user's sessions.
#include "scene.hpp"

namespace useradmin::test {

class EndSessions : public Scene {
  protected:
    static Reply change(const std::string& body, const std::string& base = "/ending/users/") {
        return ask(Caller::super_admin, "PUT", base + "ulises-1", body);
    }

    /// Returns how many sessions the user has.
    static long left() {
        return sql().number(R"(SELECT count(*) FROM "session" WHERE "userId" = 'ulises-1')");
    }
};

TEST_GROUP_BASE(end_sessions, EndSessions){};

TEST(end_sessions, after_a_ban_or_a_new_role_or_address) {
    for (const char* body : {R"({"banned":true})", R"({"name":"U","role":"admin"})",
                             R"({"role":"user"})", R"({"email":"otro@example.org"})"}) {
        sql().run(R"(UPDATE "user" SET "banned" = NULL WHERE "id" = 'ulises-1')");
        add_session("s3cr3t-other", "ulises-1");
        expect_success(change(body));
        CHECK_EQUAL(0, left());
    }
    CHECK_EQUAL(2, count("session"));
}

TEST(end_sessions, unless_the_directive_is_off) {
    expect_success(change(R"({"banned":true,"role":"admin","email":"o@x"})", "/api/users/"));
    CHECK_EQUAL(1, left());
}

} // namespace useradmin::test
