// The `useradmin` authentication provider with httpd's modules for Basic and form authentication.
#include "own_httpd.hpp"

#include "support/files.hpp"
#include "support/machine.hpp"

namespace useradmin::test {

namespace {

constexpr const char* denied = "AH01617"; // mod_auth_basic: the provider denied

} // namespace

TEST_GROUP_BASE(password_provider, OwnHttpd) {
    std::string id_; ///< Eva's id

    void setup() override {
        OwnHttpd::setup();
        id_ = add_eva();
    }

    /// Creates a password file with an account that is not in the user table.
    static std::filesystem::path create_password_file() {
        const auto file = Suite::current().work().path() / "passwords";
        write_file(file, "bob:{SHA}x4drELzkJdk2d9LEKMmX0pLmLp8=\n"); // s3cr3t of bob
        return file;
    }

    /// Starts an httpd with the service behind Basic authentication, and one path behind form
    /// authentication.
    void start_with(const std::string& directives = "AuthUserAdminSignInLimit 1000000\n") {
        const auto basic_location = [](const std::string& path, const std::string& provider,
                                       const std::string& required) {
            return "<Location \"" + path +
                   "\">\n  UserAdmin On\n  AuthType Basic\n  AuthName x\n  AuthBasicProvider " +
                   provider + "\n  Require " + required + "\n</Location>\n";
        };
        start("DocumentRoot \"${WORK}\"\n" + directives +
                  basic_location("/users", "useradmin", "valid-user") +
                  basic_location("/role/users", "useradmin", "user-role admin") +
                  basic_location("/named/users", "useradmin", "user Eva@example.org") +
                  basic_location("/file/users",
                                 "file\n  AuthUserFile \"" + create_password_file().string() + "\"",
                                 "user-role admin") +
                  "<Location \"/form/users\">\n  UserAdmin On\n</Location>\n"
                  "<Location \"/form\">\n  AuthType Form\n  AuthName x\n"
                  "  AuthFormProvider useradmin\n  AuthFormFakeBasicAuth Off\n"
                  "  Session On\n  SessionCookieName form path=/\n  Require valid-user\n"
                  "</Location>\n",
              {"mod_authn_file.so", "mod_auth_basic.so", "mod_authz_user.so", "mod_request.so",
               "mod_session.so", "mod_session_cookie.so", "mod_auth_form.so"});
    }

    /// Reads a record with Basic authentication over a new connection.
    Response read(const std::string& user, const std::string& password, const std::string& id,
                  const std::string& base = "/users", std::vector<std::string> headers = {}) {
        headers.push_back("Authorization: Basic " + to_base64(user + ":" + password));
        return HttpClient(httpd_->port()).send({"GET", base + "/" + id, headers, {}});
    }
    int status_of(const std::string& user, const std::string& password) {
        return read(user, password, id_).status;
    }

    Response post_form(const std::string& password) {
        return HttpClient(httpd_->port())
            .send({"POST",
                   "/form/users/" + id_,
                   {"Content-Type: application/x-www-form-urlencoded"},
                   "httpd_username=eva%40example.org&httpd_method=GET&httpd_password=" + password});
    }
};

TEST(password_provider, identifies_the_caller_to_the_service) {
    start_with();
    const auto response = read("eva@example.org", right_password, id_);
    CHECK_EQUAL(200, response.status);
    CHECK_TRUE(response.body.find(R"("email":"eva@example.org")") != std::string::npos);
    // The caller has the user's role.
    expect_error(read("eva@example.org", right_password, "sara-1"), 403, "No tienes permisos");
    sql().run("UPDATE \"user\" SET \"role\" = 'admin' WHERE \"email\" = 'eva@example.org'");
    expect_success(read("eva@example.org", right_password, "sara-1"));
}

TEST(password_provider, passes_the_stored_address_to_Require_user) {
    expect_log("AH01631"); // not the required user
    start_with();
    CHECK_EQUAL(401, read("Eva@example.org", right_password, id_, "/named/users").status);
    sql().run("UPDATE \"user\" SET \"email\" = 'Eva@example.org' WHERE \"id\" = " +
              sql_literal(id_));
    CHECK_EQUAL(200, read("Eva@example.org", right_password, id_, "/named/users").status);
    // Another user has the same address in lower case. Both passwords are accepted, but only the
    // first user satisfies Require user.
    add_eva("/scrypt/users");
    CHECK_EQUAL(200, read("Eva@example.org", right_password, id_, "/named/users").status);
    CHECK_EQUAL(401, read("eva@example.org", right_password, id_, "/named/users").status);
}

TEST(password_provider, rejects_banned_users) {
    expect_log(denied);
    start_with();
    sql().run("UPDATE \"user\" SET \"banned\" = TRUE WHERE \"email\" = 'eva@example.org'");
    CHECK_EQUAL(401, status_of("eva@example.org", right_password));
    sql().run("UPDATE \"user\" SET \"banExpires\" = '2026-01-01T00:00:00.000Z'");
    CHECK_EQUAL(200, status_of("eva@example.org", right_password));
}

TEST(password_provider, limits_failed_attempts) {
    expect_log("UA0305");
    expect_log(denied);
    start_with("AuthUserAdminSignInLimit 2 1000\n");
    for (int attempt = 0; attempt < 2; ++attempt) {
        const auto response = read("eva@example.org", "s3cr3t wrong", id_);
        CHECK_EQUAL(401, response.status);
        CHECK_FALSE(response.header("Retry-After").has_value());
    }
    const auto response = read("eva@example.org", right_password, id_);
    CHECK_EQUAL(401, response.status);
    CHECK_TRUE(response.header("Retry-After").has_value());
}

TEST(password_provider, serves_forms_as_well) {
    expect_log("AH01807");
    start_with();
    CHECK_EQUAL(401, post_form("s3cr3t+wrong").status);
    const auto response = post_form("s3cr3t+of+eva");
    CHECK_TRUE_TEXT(response.status != 401, response.text().c_str());
}

TEST(password_provider, finds_the_user_of_its_Location_despite_a_session) {
    expect_log("AH01631"); // the user lacks the role
    expect_log("AH01629"); // an unknown user
    start_with("AuthUserAdmin On\nAuthUserAdminSignInLimit 1000000\n");
    const auto session_cookie = [](Caller caller) {
        return "Cookie: better-auth.session_token=" + token_of(caller);
    };
    const auto get_with_session = [&](Caller caller, const std::string& path) {
        return HttpClient(httpd_->port()).send({"GET", path, {session_cookie(caller)}, {}});
    };
    for (const Caller caller : {Caller::user, Caller::super_admin}) {
        const auto response = get_with_session(caller, "/users/" + id_);
        CHECK_EQUAL(401, response.status);
        CHECK_EQUAL(std::string("Basic realm=\"x\""), response.value("WWW-Authenticate"));
    }
    CHECK_EQUAL(401, get_with_session(Caller::admin, "/role/users/" + id_).status);
    // A session in the same request does not change the user whose password was verified.
    const auto get_with_both = [&](Caller caller) {
        return read("eva@example.org", right_password, id_, "/role/users",
                    {session_cookie(caller)});
    };
    CHECK_EQUAL(401, get_with_both(Caller::admin).status);
    sql().run("UPDATE \"user\" SET \"role\" = 'admin' WHERE \"email\" = 'eva@example.org'");
    CHECK_EQUAL(200, get_with_both(Caller::user).status);
    CHECK_EQUAL(200, read("eva@example.org", right_password, id_, "/role/users").status);
    // A user of the password file does not get the role of a session in the same request.
    const auto status_of_bob = [&](std::vector<std::string> headers) {
        return read("bob", "s3cr3t of bob", id_, "/file/users", std::move(headers)).status;
    };
    CHECK_EQUAL(401, status_of_bob({}));
    CHECK_EQUAL(401, status_of_bob({session_cookie(Caller::admin)}));
}

TEST(password_provider, keeps_the_password_of_a_form_session_in_subrequests) {
    start_with("AuthUserAdminSignInLimit 1000000\nSessionMaxAge 1000\n"
               "LoadModule test_callers_module \"" +
               machine::built("tests/mod_test_callers.so").string() +
               "\"\n<Location \"/form/looks\">\n  SetHandler test-lookup\n</Location>\n");
    const auto cookie_of = [](const Response& response) {
        const std::string cookie = response.header("Set-Cookie").value_or("");
        return "Cookie: " + cookie.substr(0, cookie.find(';'));
    };
    HttpClient client(httpd_->port());
    const auto looked_up =
        client.send({"GET",
                     "/form/looks",
                     {cookie_of(post_form("s3cr3t+of+eva")), "X-Test-Target: /form/users/" + id_},
                     {}});
    CHECK_EQUAL_TEXT(200, looked_up.status, looked_up.text().c_str());
    const auto after = client.send({"GET", "/form/users/" + id_, {cookie_of(looked_up)}, {}});
    CHECK_EQUAL_TEXT(200, after.status, after.text().c_str());
}

TEST(password_provider, without_a_configured_database_is_rejected) {
    for (const char* directive :
         {"AuthBasicProvider file useradmin", "AuthBasicProvider useradmin"}) {
        auto settings =
            Suite::current().settings("<Location \"/x\">\nAuthType Basic\nAuthName x\n" +
                                      std::string(directive) + "\n</Location>\n");
        settings.modules = {"mod_auth_basic.so", "mod_authn_file.so"};
        const auto finished = Httpd::check(Suite::current().work(), settings);
        CHECK_TRUE(finished.status != 0);
        CHECK_TRUE(finished.errors.find("UA0206") != std::string::npos);
    }
}

} // namespace useradmin::test
