// AuthUserAdminSecondFactor: sign-in to accounts with a second factor.
#include "own_httpd.hpp"

#include "support/machine.hpp"
#include "support/process.hpp"

namespace useradmin::test {

namespace {

constexpr const char* right_basic = "ZXZhQGV4YW1wbGUub3JnOnMzY3IzdCBvZiBldmE=";
constexpr const char* wrong = "ZXZhQGV4YW1wbGUub3JnOndyb25n";

constexpr const char* secret_line = "AuthUserAdminSecret \"a secret of thirty-two characters\"\n";
// The key 12345678901234567890, encrypted with the secret by @noble/ciphers, the library that
// better-auth uses.
constexpr const char* encrypted_key =
    "e164ea5e081a57b61fac7b6dbf25253b92f4453c5d7d10e83c3d2f617ad30c3e57edc01285624d1018db3c3965736d"
    "38163ae8607020494ff12161e1";

} // namespace

class SecondFactor : public OwnHttpd {
  protected:
    std::string id_; ///< Eva's id

    void setup() override {
        OwnHttpd::setup();
        id_ = add_eva();
        change("ALTER TABLE \"user\" ADD COLUMN \"twoFactorEnabled\" boolean",
               "ALTER TABLE \"user\" DROP COLUMN \"twoFactorEnabled\"");
        set_second_factor("TRUE");
    }
    void set_second_factor(const char* value) const {
        sql().run("UPDATE \"user\" SET \"twoFactorEnabled\" = " + std::string(value) +
                  " WHERE \"id\" = " + sql_literal(id_));
    }

    /// Starts httpd with sign-in and two services, one with Basic authentication and one with
    /// sessions.
    void start_with(const std::string& directives = {}, const std::string& of_sign_in = {}) {
        start(directives + sign_in("/api/auth", of_sign_in) +
                  location("/api/users", "AuthUserAdmin On") +
                  "<Location \"/basic/users\">\n  UserAdmin On\n  AuthType Basic\n  AuthName x\n"
                  "  AuthBasicProvider useradmin\n  Require valid-user\n</Location>\n",
              {"mod_auth_basic.so", "mod_authz_user.so"});
    }

    Response sign_in_with(const std::string& password) {
        return client_->send({"POST", "/api/auth/sign-in/email", {}, sign_in_body(eva, password)});
    }
    int status_of_basic(const std::string& credentials) {
        return client_
            ->send({"GET", "/basic/users/" + id_, {"Authorization: Basic " + credentials}})
            .status;
    }
};

TEST_GROUP_BASE(second_factor, SecondFactor){};

TEST(second_factor, prevents_sign_in_with_the_password_alone) {
    expect_log("UA0316");
    start_with();
    expect(sign_in_with("s3cr3t of eva"), 403,
           R"({"message":"This account has a second factor. Please sign in to the application )"
           R"(instead.","code":"TWO_FACTOR_REQUIRED"})");
    CHECK_EQUAL(3, count("session"));
}

TEST(second_factor, prevents_Basic_with_the_password_alone) {
    expect_log("UA0316");
    expect_log("UA0315");
    expect_log("AH01617"); // mod_auth_basic: the provider denied
    start_with();
    CHECK_EQUAL(401, status_of_basic(right_basic));
    CHECK_EQUAL(401, status_of_basic(wrong));
}

TEST(second_factor, does_not_affect_sessions_of_the_application) {
    add_session("opened by the application", id_);
    start_with();
    const auto response = client_->send(
        {"GET", "/api/users/" + id_, {"Authorization: Bearer opened by the application"}});
    expect_success(response);
    STRCMP_CONTAINS(R"("twoFactorEnabled":true)",
                    send("PUT", "/api/users/" + id_, "{}").body.c_str());
}

TEST(second_factor, is_not_required_if_it_is_off_or_ignored) {
    for (const char* value : {"FALSE", "NULL"}) {
        set_second_factor(value);
        start_with();
        CHECK_EQUAL(200, sign_in_with("s3cr3t of eva").status);
        CHECK_EQUAL(200, status_of_basic(right_basic));
    }
    set_second_factor("TRUE");
    const auto expect_ignored = [&] {
        start_with("AuthUserAdminSecondFactor ignore\n");
        CHECK_EQUAL(200, sign_in_with("s3cr3t of eva").status);
        CHECK_EQUAL(200, status_of_basic(right_basic));
    };
    expect_ignored();
    // In the other modes, a table without the flag prevents every sign-in.
    change("CREATE TABLE \"twoFactor\" (\"id\" text, \"secret\" text, \"backupCodes\" text, "
           "\"userId\" text); ALTER TABLE \"user\" RENAME \"twoFactorEnabled\" TO \"other\"",
           "DROP TABLE \"twoFactor\"; "
           "ALTER TABLE \"user\" RENAME \"other\" TO \"twoFactorEnabled\"");
    expect_ignored();
}

class SecondStep : public SecondFactor {
  protected:
    void setup() override {
        SecondFactor::setup();
        allow_log("UA0311"); // the configuration contains a secret
        change("CREATE TABLE \"twoFactor\" (\"id\" text PRIMARY KEY, \"secret\" text NOT NULL, "
               "\"backupCodes\" text NOT NULL, \"userId\" text NOT NULL, \"verified\" boolean, "
               "\"failedVerificationCount\" integer, \"lockedUntil\" " +
                   std::string(is_postgresql() ? "timestamptz)" : "date)"),
               "DROP TABLE \"twoFactor\"");
        sql().run("INSERT INTO \"twoFactor\" (\"id\", \"secret\", \"backupCodes\", \"userId\") "
                  "VALUES ('f', '" +
                  std::string(encrypted_key) + "', 'codes', " + sql_literal(id_) + ")");
    }
    /// Stores the cookies of a response like a browser.
    void store_cookies(const Response& response) {
        for (const auto& [name, value] : response.headers)
            if (name == "Set-Cookie") {
                const std::size_t equals = value.find('=');
                const std::string text = value.substr(equals + 1, value.find(';') - equals - 1);
                if (text.empty())
                    cookies_.erase(value.substr(0, equals));
                else
                    cookies_[value.substr(0, equals)] = text;
            }
    }
    Response post(const std::string& path, const std::string& body) {
        std::string cookies = "Cookie: ";
        for (const auto& [name, value] : cookies_)
            cookies += name + "=" + value + "; ";
        const Response response =
            client_->send({"POST",
                           "/api/auth/" + path,
                           {cookies, "Host: localhost", "Origin: http://localhost"},
                           body});
        store_cookies(response);
        return response;
    }
    Response post_password() { return post("sign-in/email", sign_in_body(eva, right_password)); }
    Response post_code(const std::string& code) {
        return post("two-factor/verify-totp", R"({"code":")" + code + "\"}");
    }

    std::map<std::string, std::string> cookies_;
};

TEST_GROUP_BASE(second_step, SecondStep){};
TEST_GROUP_BASE(postgresql_second_step, SecondStep){};

TEST(postgresql_second_step, wrong_codes_match_the_fail2ban_recipe) {
    if (!Suite::current().is_event_without_sanitizers())
        return;
    expect_log("UA0315");
    start_with(secret_line);
    post_password();
    CHECK_EQUAL(401, post_code("x").status);
    const CommandResult found =
        test::run({{machine::program("fail2ban-regex"), "-o", "ip", httpd_->error_log().string(),
                    machine::source("conf/recipes/fail2ban-filter.conf").string()}});
    CHECK_TEXT(found.status == 0, found.errors.c_str());
    CHECK_EQUAL(std::string("127.0.0.1\n"), found.output);
}

TEST(second_step, is_rejected_without_the_secret_or_with_refuse) {
    for (const std::string& directives :
         {std::string(), secret_line + std::string("AuthUserAdminSecondFactor refuse\n")}) {
        start_with(directives);
        expect_log("UA0316");
        CHECK_EQUAL(403, sign_in_with("s3cr3t of eva").status);
        CHECK_EQUAL(404, post_code("1").status);
    }
}

} // namespace useradmin::test
