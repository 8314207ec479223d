// UserAdminEndSessions: a ban, a new role or a new address ends the user's sessions.
#include "scene.hpp"

namespace useradmin::test {

class EndSessions : public Scene {
  protected:
    static Reply change(const std::string& body, const std::string& base = "/ending/users/",
                        Caller caller = Caller::super_admin) {
        return ask(caller, "PUT", base + "ulises-1", body);
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
        add_session("s3cr3t-further", "ulises-1");
        expect_success(change(body));
        CHECK_EQUAL(0, left());
    }
    CHECK_EQUAL(2, count("session"));
}

TEST(end_sessions, after_a_new_address_set_by_an_admin) {
    expect_success(change(R"({"email":"otro@example.org"})", "/ending/users/", Caller::admin));
    expect_error(get(Caller::user, "/ending/users/ulises-1"), 401, "No autorizado");
}

TEST(end_sessions, not_without_a_change) {
    for (const char* body :
         {R"({"name":"Otro","role":"user","email":"ulises@example.org","banned":false})",
          R"({"banReason":"x"})", "{}"}) {
        expect_success(change(body));
        CHECK_EQUAL(1, left());
    }
}

TEST(end_sessions, not_after_a_refused_change) {
    allow_log("UA0106");
    expect_error(change(R"({"email":"ada@example.org","banned":true})"), 500,
                 "Error al actualizar usuario");
    expect_error(change(R"({"banned":true})", "/ending/users/", Caller::admin), 403,
                 "No tienes permisos para cambiar roles o banear usuarios");
    CHECK_EQUAL(1, left());
}

TEST(end_sessions, not_if_the_directive_is_off) {
    expect_success(change(R"({"banned":true,"role":"admin","email":"o@x"})", "/api/users/"));
    CHECK_EQUAL(1, left());
}

} // namespace useradmin::test
