// Requirements of an application that uses the same tables: signed tokens, table names, roles and
// error documents.
#include "own_httpd.hpp"

namespace useradmin::test {

class Application : public OwnHttpd {
  protected:
    /// Reads Ulises's record with this header at an address that requires signed tokens.
    static Response get_with(const std::string& header, SourceLocation where = {}) {
        return ask(Caller::nobody, "GET", "/signed/users/ulises-1", {}, {header}, where);
    }

    Response send(const Request& request, SourceLocation where = {}) {
        auto response = client_->send(request, where);
        check_response(response, where);
        return response;
    }
};

TEST_GROUP_BASE(application, Application){};

TEST(application, AuthUserAdminSecret_accepts_a_signed_cookie) {
    const auto value = signed_token(token_of(Caller::user), secret);
    expect_success(get_with("Cookie: better-auth.session_token=" + component_encoded(value)));
    expect_success(get_with("Cookie: better-auth.session_token=" + value));
    expect_success(
        get_with("Cookie: __Secure-better-auth.session_token=" + component_encoded(value)));
}

TEST(application, AuthUserAdminSecret_accepts_a_signed_bearer_token) {
    const auto value = signed_token(token_of(Caller::user), secret);
    expect_success(get_with("Authorization: Bearer " + value));
    expect_success(get_with("Authorization: Bearer " + component_encoded(value)));
}

TEST(application, AuthUserAdminSecret_rejects_a_wrong_signature) {
    const auto token = token_of(Caller::user);
    const auto value = signed_token(token, secret);
    for (const auto& wrong :
         {signed_token(token, "another secret"),
          signed_token(token_of(Caller::admin), secret) + "x",
          token + "." +
              signed_token(token_of(Caller::admin), secret)
                  .substr(token_of(Caller::admin).size() + 1),
          token + ".", token + ".AAAA", "." + value, value + "=", value + "." + value,
          value.substr(0, value.size() - 1), value.substr(1), std::string(".")})
        expect_error(get_with("Authorization: Bearer " + wrong), 401, "No autorizado");
}

TEST(application, AuthUserAdminSecret_can_name_a_file_or_an_environment_variable) {
    const auto file = Suite::current().secret_file();
    environment_ = {{"APP_SECRET", std::string(secret)}};
    start(location("/file/users", "AuthUserAdmin On\nAuthUserAdminSecret file:" + file.string()) +
          location("/environment/users", "AuthUserAdmin On\nAuthUserAdminSecret env:APP_SECRET"));
    const auto value = signed_token(token_of(Caller::user), secret);
    for (const char* path : {"/file/users/ulises-1", "/environment/users/ulises-1"}) {
        expect_success(send({"GET", path, {"Authorization: Bearer " + value}}));
        expect_error(send({"GET", path, {bearer(Caller::user)}}), 401, "No autorizado");
    }
}

TEST(application, UserAdminTables_names_the_tables_for_both_modules) {
    for (const char* table : {"user", "session", "account"}) {
        const std::string name = table;
        change("ALTER TABLE \"" + name + "\" RENAME TO \"my " + name + "s\"",
               "ALTER TABLE \"my " + name + "s\" RENAME TO \"" + name + "\"");
    }
    start(location("/api/users", "AuthUserAdmin On\nUserAdminPasswordHash argon2id m=64 t=1\n"
                                 "UserAdminTables \"my users\" \"my sessions\" \"my accounts\""));
    const std::vector<std::string> caller = {bearer(Caller::super_admin)};
    CHECK_EQUAL(std::string("sara-1 ada-1 ulises-1"), ids_of(send({"GET", "/api/users", caller})));
    expect_success(send({"POST", "/api/users", caller, user_json("n@x")}));
    expect_success(send({"PUT", "/api/users/ulises-1", caller, R"({"name":"X"})"}));
    expect_success(send({"DELETE", "/api/users/ulises-1", caller}));
    CHECK_EQUAL(1, count("my accounts"));
    CHECK_EQUAL(3, count("my users"));
}

TEST(application, Require_user_role_accepts_the_named_roles) {
    start("<Location \"/api/users\">\n  UserAdmin On\n  AuthType UserAdmin\n  AuthUserAdmin On\n"
          "  Require user-role superAdmin admin\n</Location>\n<Location \"/plain/users\">\n"
          "  UserAdmin On\n  AuthType UserAdmin\n  AuthUserAdmin On\n  Require user-role user\n"
          "</Location>\n");
    allow_log("AH01630"); // httpd: client denied by server configuration
    expect_success(send({"GET", "/api/users", {bearer(Caller::super_admin)}}));
    expect_success(send({"GET", "/api/users", {bearer(Caller::admin)}}));
    expect_rejected(send({"GET", "/api/users/ulises-1", {bearer(Caller::user)}}));
    expect_error(send({"GET", "/api/users/ulises-1"}), 401, "No autorizado");
    // If "role" is NULL, the user has the user role.
    expect_rejected(send({"GET", "/plain/users/ada-1", {bearer(Caller::admin)}}));
    sql().run(R"(UPDATE "user" SET "role" = NULL WHERE "id" = 'ada-1')");
    expect_success(send({"GET", "/plain/users/ada-1", {bearer(Caller::admin)}}));
    expect_rejected(send({"GET", "/api/users/ada-1", {bearer(Caller::admin)}}));
}

TEST(application, Require_user_role_accepts_one_role_of_a_list) {
    start("<Location \"/page\">\n  AuthType UserAdmin\n  AuthUserAdmin On\n"
          "  Require user-role editor\n  SetHandler useradmin-health\n</Location>\n");
    allow_log("AH01630"); // httpd: client denied by server configuration
    const auto status = [&] {
        return client_->send({"GET", "/page", {bearer(Caller::admin)}}).status;
    };
    CHECK_EQUAL(403, status());
    sql().run(R"(UPDATE "user" SET "role" = 'admin,editor' WHERE "id" = 'ada-1')");
    CHECK_EQUAL(200, status());
}

TEST(application, an_ErrorDocument_is_served_without_a_database) {
    allow_lines_without_a_database();
    start("AuthUserAdmin On\nDocumentRoot \"${WORK}\"\nErrorDocument 503 /httpd.pid\n"
          "ErrorDocument 500 /httpd.pid\n"
          "<Location \"/httpd.pid\">\n  Require all granted\n</Location>\n");
    Suite::current().database().make_unavailable();
    const auto response = client_->send({"GET", "/any", {bearer(Caller::user)}});
    Suite::current().database().make_available();
    CHECK_TRUE_TEXT(response.status == 503 || response.status == 500, response.text().c_str());
    CHECK_EQUAL(std::to_string(httpd_->main_process()) + "\n", response.body);
}

TEST(application, errors_with_an_ErrorDocument_keep_their_operation) {
    allow_log("AH00027"); // httpd: no authentication
    start("<Location \"/api/users\">\n  UserAdmin On\n  UserAdminSession sara-1 superAdmin\n"
          "  ErrorDocument 500 /page\n  Require valid-user\n</Location>\n" +
              handler("/metrics", "useradmin-metrics"),
          {"mod_authz_user.so"});
    expect_error(send({"PUT", "/api/users/x", {}, "{}"}), 500, "Error al actualizar usuario");
    CHECK(eventually([&] {
        return client_->send({"GET", "/metrics"})
                   .body.find("operation=\"update\",status=\"500\"") != std::string::npos;
    }));
}

} // namespace useradmin::test
