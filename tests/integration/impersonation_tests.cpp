// Sessions in which an administrator impersonates a user.
#include "own_httpd.hpp"

#include "support/files.hpp"

#include <algorithm>

namespace useradmin::test {

class Impersonation : public OwnHttpd {
  protected:
    std::filesystem::path folder_;

    /// Sara impersonates Ada in these tests.
    void setup() override {
        OwnHttpd::setup();
        static int number = 0;
        folder_ = Suite::current().work().make("impersonation-" + std::to_string(++number));
        sql().run(
            "UPDATE \"session\" SET \"impersonatedBy\" = 'sara-1' WHERE \"userId\" = 'ada-1'");
    }

    std::filesystem::path audit_log() const { return folder_ / "audit.log"; }
    std::filesystem::path access_log() const { return folder_ / "access.log"; }

    void start_with(const std::string& directives) {
        start("UserAdminAuditLog \"" + audit_log().string() + "\"\nAuthUserAdminCache 60\n" +
              "LogFormat \"%{useradmin-caller}n|%{useradmin-impersonated-by}n|"
              "%{session-impersonated-by}n\" who\nCustomLog \"" +
              access_log().string() + "\" who\n" + directives +
              location("/api/users", "AuthUserAdmin On") +
              location("/strict/users", "AuthUserAdmin On\nAuthUserAdminImpersonated refuse") +
              sign_in("/strict/auth", "AuthUserAdminImpersonated refuse"));
    }

    Response call(Caller caller, const std::string& method, const std::string& path,
                  const std::optional<std::string>& body = {}) {
        return client_->send({method, path, {bearer(caller)}, body});
    }
};

TEST_GROUP_BASE(impersonation, Impersonation){};

TEST(impersonation, is_logged_in_audit_and_access_logs) {
    start_with("");
    for (int time = 0; time < 2; ++time)
        expect_success(call(Caller::admin, "PUT", "/api/users/ulises-1", R"({"name":"U"})"));
    expect_success(call(Caller::super_admin, "PUT", "/api/users/ulises-1", R"({"name":"V"})"));
    std::vector<std::string> lines = lines_of(read_file(audit_log()));
    CHECK_EQUAL(3U, lines.size());
    for (int time = 0; time < 2; ++time)
        STRCMP_CONTAINS(R"("caller":"ada-1","role":"admin","impersonatedBy":"sara-1",)",
                        lines[static_cast<std::size_t>(time)].c_str());
    STRCMP_CONTAINS(R"("caller":"sara-1","role":"superAdmin","address":)", lines[2].c_str());
    // httpd logs a request only after it has sent the response.
    CHECK(eventually([&] { return lines_of(read_file(access_log())).size() == 3; }));
    lines = lines_of(read_file(access_log()));
    std::sort(lines.begin(), lines.end());
    CHECK_EQUAL(std::string("ada-1|sara-1|sara-1"), lines[0]);
    CHECK_EQUAL(std::string("ada-1|sara-1|sara-1"), lines[1]);
    CHECK_EQUAL(std::string("sara-1|-|-"), lines[2]);
}

TEST(impersonation, is_logged_if_UserAdminSession_has_its_default) {
    start_with("UserAdminSession %{note:session-user-id} %{note:session-user-role}\n");
    expect_success(call(Caller::admin, "PUT", "/api/users/ulises-1", R"({"name":"U"})"));
    STRCMP_CONTAINS(R"("caller":"ada-1","role":"admin","impersonatedBy":"sara-1",)",
                    read_file(audit_log()).c_str());
}

TEST(impersonation, is_not_named_if_UserAdminSession_has_another_caller) {
    start_with("UserAdminSession sara-1 superAdmin\n");
    expect_success(call(Caller::admin, "PUT", "/api/users/ulises-1", R"({"name":"U"})"));
    STRCMP_CONTAINS(R"("caller":"sara-1","role":"superAdmin","address":)",
                    read_file(audit_log()).c_str());
}

TEST(impersonation, that_is_rejected_leaves_no_session) {
    start_with("");
    // Both Locations look up the session, but only the second one rejects it.
    expect_success(call(Caller::admin, "GET", "/api/users"));
    expect_error(call(Caller::admin, "GET", "/strict/users"), 401, "No autorizado");
    expect_success(call(Caller::super_admin, "GET", "/strict/users"));
    CHECK_EQUAL(std::string("null"), call(Caller::admin, "GET", "/strict/auth/get-session").body);
    const std::vector<std::string> lines = lines_of(read_file(audit_log()));
    STRCMP_CONTAINS(R"("reason":"impersonated-session","caller":"ada-1","role":"admin",)"
                    R"("impersonatedBy":"sara-1",)",
                    lines.at(0).c_str());
}

TEST(impersonation, that_is_rejected_after_a_redirect_leaves_no_session) {
    const std::string redirect = "  AuthUserAdmin On\n  Require all granted\n"
                                 "  RewriteEngine On\n  RewriteRule ^ ";
    start("<Location \"/service\">\n" + redirect + "/strict/users [PT]\n</Location>\n" +
              "<Location \"/page\">\n" + redirect + "/strict/page [PT]\n</Location>\n" +
              location("/strict/users", "AuthUserAdmin On\nAuthUserAdminImpersonated refuse") +
              "<Location \"/strict/page\">\n  AuthUserAdmin On\n"
              "  AuthUserAdminImpersonated refuse\n  Require user-role admin superAdmin\n"
              "  SetHandler useradmin-health\n</Location>\n",
          {"mod_rewrite.so"});
    for (const char* const path : {"/service", "/page"}) {
        CHECK_EQUAL(401, call(Caller::admin, "GET", path).status);
        CHECK_EQUAL(200, call(Caller::super_admin, "GET", path).status);
    }
}

TEST(impersonation, valid_session_keeps_its_role_after_redirect_to_Basic) {
    start("<Location \"/first\">\n  AuthType UserAdmin\n  AuthUserAdmin On\n"
          "  Require all granted\n  RewriteEngine On\n  RewriteRule ^ /basic [PT]\n</Location>\n"
          "<Location \"/basic\">\n  AuthType Basic\n  AuthName x\n  AuthUserAdmin On\n"
          "  AuthBasicProvider useradmin\n  Require user-role admin\n"
          "  SetHandler useradmin-health\n</Location>\n",
          {"mod_rewrite.so", "mod_auth_basic.so"});
    CHECK_EQUAL(200, call(Caller::admin, "GET", "/first").status);
}

TEST(impersonation, ends_when_the_administrator_is_banned) {
    start_with("");
    expect_success(call(Caller::admin, "GET", "/api/users"));
    sql().run("UPDATE \"user\" SET \"banned\" = TRUE WHERE \"id\" = 'sara-1'");
    expect_log("the impersonating administrator is banned; an administrator who may impersonate");
    expect_error(call(Caller::admin, "GET", "/api/users"), 401, "No autorizado");
    const std::vector<std::string> lines = lines_of(read_file(audit_log()));
    STRCMP_CONTAINS(
        R"("reason":"banned","caller":"ada-1","role":"admin","impersonatedBy":"sara-1",)",
        lines.at(0).c_str());
}

} // namespace useradmin::test
