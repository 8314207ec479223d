// UserAdminExtras: sessions, passwords and bans below a user.
#include "own_httpd.hpp"

namespace useradmin::test {

namespace {

constexpr const char* new_password = R"({"password":"s3cr3t-new"})";

/// A request for each of the six operations.
struct Operation {
    const char* method;
    const char* rest; ///< of the path, after the user's id
    const char* body;
    const char* forbidden;
};

constexpr const char* no_sessions = "No tienes permisos para gestionar sesiones";
constexpr const char* no_passwords = "No tienes permisos para cambiar contraseñas";
constexpr const char* no_bans = "No tienes permisos para banear usuarios";

constexpr Operation operations[] = {
    {"GET", "/sessions", nullptr, no_sessions},
    {"DELETE", "/sessions", nullptr, no_sessions},
    {"DELETE", "/sessions/one", nullptr, no_sessions},
    {"PUT", "/password", new_password, no_passwords},
    {"PUT", "/ban", "{}", no_bans},
    {"DELETE", "/ban", nullptr, no_bans},
};

std::optional<std::string> body_of(const Operation& operation) {
    return operation.body != nullptr ? std::optional<std::string>(operation.body) : std::nullopt;
}

} // namespace

class Extras : public OwnHttpd {
  protected:
    static Reply call(Caller caller, const std::string& method, const std::string& path,
                      const std::optional<std::string>& body = {},
                      const std::vector<std::string>& headers = {},
                      const std::string& base = "/extra/users/") {
        return ask(caller, method, base + path, body, headers);
    }
    static Reply call(const std::string& method, const std::string& path,
                      const std::optional<std::string>& body = {}) {
        return call(Caller::super_admin, method, path, body);
    }

    /// A session whose id is no secret.
    static void add_session_of(const std::string& user, const std::string& id,
                               const std::string& made, const std::string& expires) {
        sql().run(R"(INSERT INTO "session" ("id", "token", "userId", "createdAt", "updatedAt",
                     "expiresAt", "ipAddress", "userAgent") VALUES ()" +
                  sql_literal(id) + ", " + sql_literal("s3cr3t-of-" + id) + ", " +
                  sql_literal(user) + ", " + sql_literal(made) + ", " + sql_literal(made) + ", " +
                  sql_literal(expires) + ", '192.0.2.1', 'Agent \"1\"')");
    }
    static void forget_sessions_of(const std::string& user) {
        sql().run("DELETE FROM \"session\" WHERE \"userId\" = " + sql_literal(user));
    }
    static long sessions_of(const std::string& user) {
        return sql().number("SELECT count(*) FROM \"session\" WHERE \"userId\" = " +
                            sql_literal(user));
    }
    static int status_of_sign_in(const std::string& password) {
        return Suite::current()
            .client()
            .send({"POST",
                   "/api/auth/sign-in/email",
                   {"Content-Type: application/json"},
                   R"({"email":"ulises@example.org","password":")" + password + "\"}"})
            .status;
    }
};

TEST_GROUP_BASE(extras, Extras){};

TEST(extras, are_for_a_superAdmin_alone) {
    add_session_of("ulises-1", "one", "2026-01-01T00:00:00.000Z", "2999-01-01T00:00:00.000Z");
    for (const Operation& operation : operations) {
        const std::string path = std::string("ulises-1") + operation.rest;
        const auto body = body_of(operation);
        expect_error(call(Caller::nobody, operation.method, path, body), 401, "No autorizado");
        for (const Caller caller : {Caller::user, Caller::admin})
            expect_error(call(caller, operation.method, path, body), 403, operation.forbidden);
    }
    CHECK_EQUAL(2, sessions_of("ulises-1"));
    CHECK_EQUAL(0, count("account"));
}

TEST(extras, are_not_there_unless_they_are_switched_on) {
    for (const Operation& operation : operations) {
        const std::string path = std::string("ulises-1") + operation.rest;
        for (const Caller caller : {Caller::user, Caller::super_admin})
            expect_error(
                call(caller, operation.method, path, body_of(operation), {}, "/api/users/"), 404,
                not_found);
        expect_error(
            call(Caller::nobody, operation.method, path, body_of(operation), {}, "/api/users/"),
            401, "No autorizado");
    }
    CHECK_EQUAL(1, sessions_of("ulises-1"));
}

TEST(extras, of_an_unknown_user_are_404) {
    for (const Operation& operation : operations)
        for (const char* id : {"unknown", "%ff", "a%20b"})
            expect_error(
                call(operation.method, id + std::string(operation.rest), body_of(operation)), 404,
                not_found);
}

TEST(extras, answer_other_methods_with_405_and_OPTIONS_with_204) {
    for (const auto& [path, methods] :
         {std::pair("ulises-1/sessions", "GET, HEAD, DELETE, OPTIONS"),
          std::pair("ulises-1/sessions/one", "DELETE, OPTIONS"),
          std::pair("ulises-1/password", "PUT, OPTIONS"),
          std::pair("ulises-1/ban", "PUT, DELETE, OPTIONS")}) {
        const auto refused = call(Caller::nobody, "PATCH", path);
        expect_error(refused, 405, "Método no permitido");
        CHECK_EQUAL(std::string(methods), refused.header("Allow").value_or(""));
        const auto options = call(Caller::nobody, "OPTIONS", path);
        CHECK_EQUAL(204, options.status);
        CHECK_EQUAL(std::string(methods), options.header("Allow").value_or(""));
    }
}

TEST(extras, are_refused_to_a_page_of_another_site) {
    forget_sessions_of("ulises-1");
    for (const Operation& operation : operations) {
        const auto reply =
            call(Caller::super_admin, operation.method, "ulises-1" + std::string(operation.rest),
                 body_of(operation), {"Origin: https://evil.example"});
        if (std::string_view(operation.method) == "GET")
            expect_success(reply);
        else
            expect_error(reply, 403, "Origen no permitido");
    }
}

TEST(extras, list_sessions_that_last_newest_first_and_without_tokens) {
    forget_sessions_of("ulises-1");
    add_session_of("ulises-1", "old", "2026-01-01T00:00:00.000Z", "2999-01-01T00:00:00.000Z");
    add_session_of("ulises-1", "over", "2026-01-03T00:00:00.000Z", "2026-01-04T00:00:00.000Z");
    add_session_of("ulises-1", "new", "2026-01-02T00:00:00.000Z", "2999-01-01T00:00:00.000Z");
    add_session_of("ada-1", "other", "2026-01-02T00:00:00.000Z", "2999-01-01T00:00:00.000Z");
    const auto shown = [](const std::string& id, const std::string& made) {
        return R"({"id":")" + id + R"(","createdAt":")" + made + R"(","updatedAt":")" + made +
               R"(","expiresAt":"2999-01-01T00:00:00.000Z","ipAddress":"192.0.2.1",)"
               R"("userAgent":"Agent \"1\""})";
    };
    expect(call("GET", "ulises-1/sessions"), 200,
           R"({"success":true,"data":[)" + shown("new", "2026-01-02T00:00:00.000Z") + "," +
               shown("old", "2026-01-01T00:00:00.000Z") + "]}");
    forget_sessions_of("ulises-1");
    expect(call("GET", "ulises-1/sessions"), 200, R"({"success":true,"data":[]})");
}

TEST(extras, end_all_sessions_of_a_user_and_none_of_others) {
    expect_success(get(Caller::user, "/extra/users/ulises-1"));
    add_session_of("ulises-1", "one", "2026-01-01T00:00:00.000Z", "2999-01-01T00:00:00.000Z");
    expect(call("DELETE", "ulises-1/sessions"), 200,
           R"({"success":true,"message":"Sesiones cerradas correctamente"})");
    expect_error(get(Caller::user, "/extra/users/ulises-1"), 401, "No autorizado");
    CHECK_EQUAL(0, sessions_of("ulises-1"));
    CHECK_EQUAL(2, count("session"));
    expect_success(call("DELETE", "ulises-1/sessions"));
}

TEST(extras, end_one_session_of_a_user_and_none_of_others) {
    add_session_of("ulises-1", "one", "2026-01-01T00:00:00.000Z", "2999-01-01T00:00:00.000Z");
    add_session_of("ulises-1", "t w/o", "2026-01-01T00:00:00.000Z", "2999-01-01T00:00:00.000Z");
    add_session_of("ada-1", "other", "2026-01-01T00:00:00.000Z", "2999-01-01T00:00:00.000Z");
    for (const char* id : {"other", "unknown", "%ff", "o", "s3cr3t-of-one"})
        expect_error(call("DELETE", std::string("ulises-1/sessions/") + id), 404,
                     "Sesión no encontrada");
    expect(call("DELETE", "ulises-1/sessions/%6fne"), 200,
           R"({"success":true,"message":"Sesión cerrada correctamente"})");
    expect_error(call("DELETE", "ulises-1/sessions/one"), 404, "Sesión no encontrada");
    CHECK_EQUAL(2, sessions_of("ulises-1"));
    CHECK_EQUAL(5, count("session"));
}

TEST(extras, set_a_password_with_which_its_owner_signs_in_and_end_the_sessions) {
    expect(call("PUT", "ulises-1/password", new_password), 200,
           R"({"success":true,"message":"Contraseña cambiada correctamente"})");
    CHECK_EQUAL(0, sessions_of("ulises-1"));
    CHECK_EQUAL(2, count("session"));
    CHECK_EQUAL(200, status_of_sign_in("s3cr3t-new"));
    expect_success(call("PUT", "ulises-1/password", R"({"password":"s3cr3t-newer"})"));
    CHECK_EQUAL(1, count("account"));
    CHECK_EQUAL(401, status_of_sign_in("s3cr3t-new"));
    CHECK_EQUAL(200, status_of_sign_in("s3cr3t-newer"));
}

TEST(extras, take_no_password_that_is_none_or_of_no_usual_length) {
    for (const auto& [body, text] :
         {std::pair("{", "Petición incorrecta"), std::pair("{}", "Faltan campos requeridos"),
          std::pair(R"({"password":12345678})", "Faltan campos requeridos"),
          std::pair(R"({"password":"s3cr3t!"})", "La contraseña es demasiado corta")})
        expect_error(call("PUT", "ulises-1/password", body), 400, text);
    const std::string long_one = R"({"password":"s3cr3t)" + std::string(123, 'x') + "\"}";
    expect_error(call("PUT", "ulises-1/password", long_one), 400,
                 "La contraseña es demasiado larga");
    expect_error(call("PUT", "ulises-1/password", R"({"password":")" + std::string(70000, 'x')),
                 413, "El cuerpo de la petición es demasiado grande");
    CHECK_EQUAL(0, count("account"));
    CHECK_EQUAL(1, sessions_of("ulises-1"));
}

TEST(extras, ban_until_a_time_and_lift_the_ban) {
    const auto banned =
        call("PUT", "ulises-1/ban", R"({"reason":"spam","expires":"2999-01-01T02:00:00+02:00"})");
    expect_success(banned);
    STRCMP_CONTAINS(R"("banned":true,"banReason":"spam","banExpires":"2999-01-01T00:00:00.000Z")",
                    banned.body.c_str());
    CHECK(banned.header("ETag") ==
          get(Caller::super_admin, "/extra/users/ulises-1").header("ETag"));
    expect_error(get(Caller::user, "/extra/users/ulises-1"), 401, "No autorizado");
    const auto for_good = call("PUT", "ulises-1/ban");
    STRCMP_CONTAINS(R"("banned":true,"banReason":null,"banExpires":null)", for_good.body.c_str());
    const auto freed = call("DELETE", "ulises-1/ban");
    expect_success(freed);
    STRCMP_CONTAINS(R"("banned":false,"banReason":null,"banExpires":null)", freed.body.c_str());
    expect_success(get(Caller::user, "/extra/users/ulises-1"));
}

TEST(extras, take_a_ban_until_the_last_moment_of_the_year_9999) {
    const Reply banned = call("PUT", "ulises-1/ban", R"({"expires":"9999-12-31T23:59:59.999Z"})");
    expect_success(banned);
    STRCMP_CONTAINS(R"("banExpires":"9999-12-31T23:59:59.999Z")", banned.body.c_str());
}

TEST(extras, take_no_ban_that_is_wrong_or_over_or_of_oneself) {
    for (const char* body : {"{", R"({"reason":5})", R"({"expires":5})", R"({"expires":"soon"})"})
        expect_error(call("PUT", "ulises-1/ban", body), 400, "Petición incorrecta");
    expect_error(call("PUT", "ulises-1/ban", R"({"expires":"2020-01-01"})"), 400,
                 "El baneo debe terminar en el futuro");
    expect_error(call("PUT", "sara-1/ban", "{}"), 400, "No puedes banear tu propio usuario");
    CHECK_EQUAL(0, sql().number(R"(SELECT count(*) FROM "user" WHERE "banned" IS NOT NULL)"));
}

TEST(extras, ban_the_row_that_was_read_or_none) {
    const auto tag = get(Caller::super_admin, "/extra/users/ulises-1").header("ETag").value_or("");
    expect_success(call(Caller::super_admin, "PUT", "ulises-1/ban", R"({"reason":"x"})",
                        {"If-Match: " + tag}));
    for (const char* method : {"PUT", "DELETE"})
        expect_error(call(Caller::super_admin, method, "ulises-1/ban", "{}", {"If-Match: " + tag}),
                     412, "El usuario ha cambiado");
}

TEST(extras, set_the_password_of_the_row_that_was_read_or_of_none) {
    const auto tag = [] {
        return "If-Match: " +
               get(Caller::super_admin, "/extra/users/ulises-1").header("ETag").value_or("");
    };
    const auto set = [](const std::string& header) {
        return call(Caller::super_admin, "PUT", "ulises-1/password", new_password, {header});
    };
    const std::string read = tag();
    expect_success(set(read));
    // Whoever else has read the user edits the same row.
    CHECK_EQUAL(read, tag());
    expect_success(call("PUT", "ulises-1/ban", "{}"));
    expect_error(set(read), 412, "El usuario ha cambiado");
    expect_success(set(tag()));
}

TEST(extras, end_the_sessions_of_the_banned_with_UserAdminEndSessions) {
    expect_success(call("PUT", "ulises-1/ban", "{}"));
    CHECK_EQUAL(1, sessions_of("ulises-1"));
    expect_success(call(Caller::super_admin, "PUT", "ulises-1/ban", "{}", {}, "/ending/users/"));
    CHECK_EQUAL(0, sessions_of("ulises-1"));
}

TEST(extras, keep_the_last_superAdmin_with_UserAdminGuard) {
    sql().run(R"(UPDATE "user" SET "role" = 'superAdmin' WHERE "id" = 'ada-1')");
    start(as_sara + location("/api/users", "UserAdminExtras On\nUserAdminGuard last-superadmin"));
    expect_success(send("PUT", "/api/users/ada-1/ban"));
    expect_error(send("PUT", "/api/users/sara-1/ban"), 400, "No puedes banear tu propio usuario");
    sql().run(R"(UPDATE "user" SET "banned" = NULL WHERE "id" = 'ada-1')");
    sql().run(R"(UPDATE "user" SET "role" = 'admin' WHERE "id" = 'sara-1')");
    expect_error(send("PUT", "/api/users/ada-1/ban"), 409, "Debe quedar al menos un superAdmin");
}

TEST(extras, make_all_children_forget_sessions_that_they_end) {
    start("AuthUserAdminCache 3600\n" + location("/api/users", "AuthUserAdmin On\n"
                                                               "UserAdminExtras On"));
    const auto status = [this] {
        return client_->send({"GET", "/api/users/ulises-1", {bearer(Caller::user)}}).status;
    };
    const std::string id = "id%20of%20" + token_of(Caller::user);
    for (const auto& [method, path, body] :
         {std::tuple("DELETE", std::string("sessions"), ""),
          std::tuple("DELETE", "sessions/" + id, ""),
          std::tuple("PUT", std::string("password"), new_password),
          std::tuple("PUT", std::string("ban"), "{}")}) {
        forget_sessions_of("ulises-1");
        add_session(token_of(Caller::user), "ulises-1");
        CHECK_EQUAL(200, status());
        expect_success(send(method, "/api/users/ulises-1/" + path, std::string(body)));
        CHECK_EQUAL(401, status());
    }
}

TEST(extras, are_503_where_the_database_is_away) {
    allow_log("UA0");
    allow_log("dbd");
    TestDatabase own(Suite::current().work(), Suite::current().kind(), "extras-away");
    start_before(own,
                 as_sara + "UserAdminTimeout 1\n" + location("/api/users", "UserAdminExtras On\n"));
    own.make_unavailable();
    for (const Operation& operation : operations) {
        const auto reply =
            send(operation.method, "/api/users/ulises-1" + std::string(operation.rest),
                 body_of(operation));
        expect_error(reply, 503, "Servicio no disponible temporalmente");
        CHECK(reply.header("Retry-After").has_value());
    }
    // It has its say on what it is (exchange_log.hpp) while its database is there.
    own.make_available();
    stop();
}

} // namespace useradmin::test
