// AuthUserAdminSecondFactor: passwords of accounts with a second factor.
#include "own_httpd.hpp"

namespace useradmin::test {

namespace {

constexpr const char* right_basic = "ZXZhQGV4YW1wbGUub3JnOnMzY3IzdCBvZiBldmE=";
constexpr const char* wrong = "ZXZhQGV4YW1wbGUub3JnOndyb25n";

} // namespace

class SecondFactor : public OwnHttpd {
  protected:
    std::string id_; ///< Eva's id

    void setup() override {
        OwnHttpd::setup();
        id_ = text_member(ask(Caller::super_admin, "POST", "/cheap/users",
                              R"({"name":"Eva","email":"eva@example.org",)"
                              R"("password":"s3cr3t of eva","role":"user"})"),
                          "id");
        sql().run("ALTER TABLE \"user\" ADD COLUMN \"twoFactorEnabled\" boolean");
        set_second_factor("TRUE");
    }
    void teardown() override {
        OwnHttpd::teardown();
        sql().run("ALTER TABLE \"user\" DROP COLUMN \"twoFactorEnabled\"");
    }

    void set_second_factor(const char* value) const {
        sql().run("UPDATE \"user\" SET \"twoFactorEnabled\" = " + std::string(value) +
                  " WHERE \"id\" = " + sql_literal(id_));
    }

    /// Starts sign-in, and the service behind Basic authentication and behind sessions.
    void start_with(const std::string& directives = {}) {
        start(directives + sign_in("/api/auth", "") + location("/api/users", "AuthUserAdmin On") +
                  "<Location \"/basic/users\">\n  UserAdmin On\n  AuthType Basic\n  AuthName x\n"
                  "  AuthBasicProvider useradmin\n  Require valid-user\n</Location>\n",
              {"mod_auth_basic.so", "mod_authz_user.so"});
    }

    Reply sign_in_with(const std::string& password) {
        return client_->send({"POST",
                              "/api/auth/sign-in/email",
                              {},
                              R"({"email":"eva@example.org","password":")" + password + "\"}"});
    }
    int status_of_basic(const std::string& credentials) {
        return client_
            ->send({"GET", "/basic/users/" + id_, {"Authorization: Basic " + credentials}})
            .status;
    }
};

TEST_GROUP_BASE(second_factor, SecondFactor){};

TEST(second_factor, keeps_the_password_alone_from_signing_in) {
    expect_log("UA0316");
    start_with();
    expect(sign_in_with("s3cr3t of eva"), 403,
           R"({"message":"This account has a second factor. Please sign in to the application )"
           R"(instead.","code":"TWO_FACTOR_REQUIRED"})");
    CHECK_EQUAL(3, count("session"));
}

TEST(second_factor, keeps_the_password_alone_from_Basic) {
    expect_log("UA0316");
    expect_log("UA0315");
    expect_log("AH01617"); // mod_auth_basic: the provider denied
    start_with();
    CHECK_EQUAL(401, status_of_basic(right_basic));
    CHECK_EQUAL(401, status_of_basic(wrong));
}

TEST(second_factor, leaves_the_sessions_of_the_application_alone) {
    add_session("opened by the application", id_);
    start_with();
    const auto reply = client_->send(
        {"GET", "/api/users/" + id_, {"Authorization: Bearer opened by the application"}});
    expect_success(reply);
    STRCMP_CONTAINS(R"("twoFactorEnabled":true)",
                    send("PUT", "/api/users/" + id_, "{}").body.c_str());
}

TEST(second_factor, that_is_off_or_ignored_leaves_the_password_its_worth) {
    for (const char* value : {"FALSE", "NULL"}) {
        set_second_factor(value);
        start_with();
        CHECK_EQUAL(200, sign_in_with("s3cr3t of eva").status);
        CHECK_EQUAL(200, status_of_basic(right_basic));
    }
    set_second_factor("TRUE");
    start_with("AuthUserAdminSecondFactor ignore\n");
    CHECK_EQUAL(200, sign_in_with("s3cr3t of eva").status);
    CHECK_EQUAL(200, status_of_basic(right_basic));
}

} // namespace useradmin::test
