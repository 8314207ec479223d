// Password, ban and sessions of a user, and extra columns (UserAdminExtras).
#include "own_httpd.hpp"

namespace useradmin::test {

namespace {

constexpr const char* new_password = R"({"password":"s3cr3t-new"})";

} // namespace

class Extras : public OwnHttpd {
  protected:
    static Response call(const std::string& method, const std::string& path,
                         const std::optional<std::string>& body = {}) {
        return ask(Caller::super_admin, method, "/extra/users/" + path, body);
    }

    /// Creates the plugins' tables and a second factor for each user.
    static void create_second_factors() {
        Suite::current().database().add_plugin_tables();
        sql().run(R"(UPDATE "user" SET "twoFactorEnabled" = TRUE;
                     INSERT INTO "twoFactor" ("id", "secret", "backupCodes", "userId")
                     SELECT "id", 'x', 'y', "id" FROM "user")");
    }
    static void delete_sessions_of(const std::string& user) {
        sql().run("DELETE FROM \"session\" WHERE \"userId\" = " + sql_literal(user));
    }
    static long count_sessions_of(const std::string& user) {
        return sql().number("SELECT count(*) FROM \"session\" WHERE \"userId\" = " +
                            sql_literal(user));
    }
    int status_of_user() {
        return client_->send({"GET", "/api/users/ulises-1", {bearer(Caller::user)}}).status;
    }
    static int status_of_sign_in(const std::string& password) {
        return Suite::current()
            .client()
            .send({"POST",
                   "/api/auth/sign-in/email",
                   {"Content-Type: application/json"},
                   sign_in_body(ulises().email, password)})
            .status;
    }
};

TEST_GROUP_BASE(extras, Extras){};

TEST(extras, are_off_by_default) {
    expect_error(ask(Caller::super_admin, "DELETE", "/api/users/ulises-1/sessions"), 404,
                 not_found);
    CHECK_EQUAL(1, count_sessions_of("ulises-1"));
}

TEST(extras, set_a_password_and_end_the_sessions) {
    expect(call("PUT", "ulises-1/password", new_password), 200,
           R"({"success":true,"message":"Contraseña cambiada correctamente"})");
    CHECK_EQUAL(0, count_sessions_of("ulises-1"));
    CHECK_EQUAL(2, count("session"));
    CHECK_EQUAL(200, status_of_sign_in("s3cr3t-new"));
    expect_success(call("PUT", "ulises-1/password", R"({"password":"s3cr3t-newer"})"));
    CHECK_EQUAL(1, count("account"));
    CHECK_EQUAL(401, status_of_sign_in("s3cr3t-new"));
    CHECK_EQUAL(200, status_of_sign_in("s3cr3t-newer"));
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

TEST(extras, end_cached_sessions_in_all_children) {
    create_second_factors();
    start("AuthUserAdminCache 3600\n" + location("/api/users", "AuthUserAdmin On\n"
                                                               "UserAdminExtras On"));
    const std::string id = "id%20of%20" + token_of(Caller::user);
    for (const auto& [method, path, body] :
         {std::tuple("DELETE", std::string("sessions"), ""),
          std::tuple("DELETE", "sessions/" + id, ""),
          std::tuple("PUT", std::string("password"), new_password),
          std::tuple("DELETE", std::string("second-factor"), ""),
          std::tuple("PUT", std::string("ban"), "{}")}) {
        delete_sessions_of("ulises-1");
        add_session(token_of(Caller::user), "ulises-1");
        CHECK_EQUAL(200, status_of_user());
        expect_success(send(method, "/api/users/ulises-1/" + path, std::string(body)));
        CHECK_EQUAL(401, status_of_user());
    }
}

class ExtraColumnsOfUsers : public Extras {
  protected:
    void setup() override {
        Extras::setup();
        for (const auto& [column, type] :
             {std::pair<std::string, std::string>("company", "text DEFAULT 'as it was'"),
              {"plan", "varchar(12) DEFAULT 'as it was' CHECK (length(\"plan\") <= 12 AND "
                       "\"plan\" <> 'unknown')"},
              {"seats", "integer"},
              {"apiSecret", "text DEFAULT 'as it was'"}})
            change("ALTER TABLE \"user\" ADD COLUMN \"" + column + "\" " + type,
                   "ALTER TABLE \"user\" DROP COLUMN \"" + column + "\"");
        log_ = Suite::current().work().make("extra-columns") / "audit.log";
        start("UserAdminAuditLog \"" + log_.string() + "\"\n" +
              location("/api/users", "AuthUserAdmin On\nUserAdminExtras On\n"
                                     "UserAdminColumns company\nUserAdminEditable plan seats") +
              handler("/api/users/console", "useradmin-console"));
    }
    Response ask_for(Caller caller, const std::string& path) {
        return client_->send({"GET", path, {bearer(caller)}});
    }
    Response update(Caller caller, const std::string& body, const std::string& tag = "*") {
        return client_->send(
            {"PUT", "/api/users/ada-1", {bearer(caller), "If-Match: " + tag}, body});
    }

    std::filesystem::path log_;
};

TEST_GROUP_BASE(extras_columns, ExtraColumnsOfUsers){};

TEST(extras_columns, are_listed_for_the_console_of_a_super_admin) {
    STRCMP_CONTAINS(
        R"("columns":[{"name":"company","type":"text","nullable":true,"editable":false},)"
        R"({"name":"plan","type":"text","nullable":true,"editable":true},)"
        R"({"name":"seats","type":"integer","nullable":true,"editable":true}])",
        ask_for(Caller::super_admin, "/api/users/console?caller").body.c_str());
    CHECK(ask_for(Caller::admin, "/api/users/console?caller").body.find("columns") ==
          std::string::npos);
}

TEST(extras_columns, are_set_only_in_the_expected_version_and_logged) {
    const std::string body = R"({"data":{"plan":"pro","seats":12}})";
    expect_error(update(Caller::admin, body), 403, "No tienes permisos");
    expect_error(update(Caller::super_admin, R"({"data":{"company":"x"}})"), 403,
                 "No tienes permisos");
    expect_error(update(Caller::super_admin, R"({"data":{"seats":"x"}})"), 400,
                 "Petición incorrecta");
    // The database rejects these values.
    for (const char* value : {"starter, but too long", "unknown"})
        expect_error(
            update(Caller::super_admin, R"({"data":{"plan":")" + std::string(value) + "\"}}"), 400,
            "Petición incorrecta");
    const std::string tag =
        ask_for(Caller::super_admin, "/api/users/ada-1").header("ETag").value_or("");
    const Response updated = update(Caller::super_admin, body, tag);
    CHECK_EQUAL(200, updated.status);
    STRCMP_CONTAINS("\"seats\":12", updated.body.c_str());
    CHECK_EQUAL(std::string("pro 12"),
                sql()
                    .value(R"(SELECT "plan" || ' ' || "seats" FROM "user" WHERE "id" = 'ada-1')")
                    .value_or(""));
    expect_error(update(Caller::super_admin, R"({"data":{"plan":null}})", tag), 412,
                 "El usuario ha cambiado");
    CHECK_EQUAL(200, update(Caller::super_admin, R"({"data":{"plan":null}})").status);
    const std::string text = read_file(log_);
    STRCMP_CONTAINS(R"("columns":["plan","seats"])", text.c_str());
    CHECK(text.find("\"pro\"") == std::string::npos);
}

} // namespace useradmin::test
