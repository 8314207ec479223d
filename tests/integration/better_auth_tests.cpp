// Tests SetHandler useradmin-better-auth. tests/interop compares its endpoints with the library.
#include "own_httpd.hpp"

#include "support/files.hpp"

namespace useradmin::test {

class BetterAuth : public OwnHttpd {
  protected:
    static inline const std::string endpoints =
        "<Location \"/api/auth/admin\">\nRequire all granted\nAuthUserAdmin On\n"
        "SetHandler useradmin-better-auth\n";

    Response call(Caller caller, const std::string& endpoint, const std::string& body,
                  const std::vector<std::string>& headers = {}) {
        std::vector<std::string> all = {"Content-Type: application/json"};
        if (caller != Caller::nobody)
            all.push_back(bearer(caller));
        all.insert(all.end(), headers.begin(), headers.end());
        return client_->send({"POST", "/api/auth/admin/" + endpoint, all, body});
    }
    Response list(Caller caller, const std::string& query) {
        return client_->send({"GET", "/api/auth/admin/list-users?" + query, {bearer(caller)}});
    }
};

TEST_GROUP_BASE(better_auth, BetterAuth){};

TEST(better_auth, by_default_super_admin_may_do_everything_and_others_nothing) {
    start(endpoints + "</Location>\n");
    CHECK_EQUAL(200, list(Caller::super_admin, "limit=1").status);
    CHECK_EQUAL(403, list(Caller::admin, "limit=1").status);
    const Response nobody = call(Caller::nobody, "ban-user", R"({"userId":"ada-1"})");
    CHECK_EQUAL(401, nobody.status);
    CHECK_EQUAL(std::string(), nobody.body);
    CHECK_EQUAL(std::string("application/json"), nobody.value("Content-Type"));
}

TEST(better_auth, a_ban_ends_sessions_and_is_in_the_audit_log) {
    const auto log = Suite::current().work().make("better-auth-audit") / "audit.log";
    start(endpoints + "UserAdminAuditLog \"" + log.string() + "\"\n</Location>\n");
    CHECK_EQUAL(200, call(Caller::super_admin, "ban-user", R"({"userId":"ada-1"})").status);
    CHECK_EQUAL(0, sql().number("SELECT count(*) FROM \"session\" WHERE \"userId\" = 'ada-1'"));
    const std::string line = read_file(log);
    STRCMP_CONTAINS("\"caller\":\"sara-1\"", line.c_str());
    STRCMP_CONTAINS("\"operation\":\"ban\"", line.c_str());
    STRCMP_CONTAINS("\"target\":\"ada-1\"", line.c_str());
}

TEST(better_auth, a_ban_invalidates_links_to_set_a_password) {
    start(endpoints + "UserAdminMailCommand /bin/cat\n</Location>\n");
    sql().insert("verification", {{"id", "1"},
                                  {"identifier", "reset-password:1"},
                                  {"value", "ada-1"},
                                  {"expiresAt", "2030-01-01T00:00:00Z"}});
    CHECK_EQUAL(200, call(Caller::super_admin, "ban-user", R"({"userId":"ada-1"})").status);
    CHECK_EQUAL(0, count("verification"));
}

TEST(better_auth, a_new_password_sets_the_accountId_for_the_library) {
    start(endpoints + "</Location>\n");
    sql().insert("account", {{"id", "1"},
                             {"accountId", "ada@example.org"},
                             {"providerId", "credential"},
                             {"userId", "ada-1"},
                             {"password", "a hash"}});
    CHECK_EQUAL(200, call(Caller::super_admin, "set-user-password",
                          R"({"userId":"ada-1","newPassword":"another s3cr3t"})")
                         .status);
    CHECK_EQUAL(std::string("ada-1"), *sql().value("SELECT \"accountId\" FROM \"account\""));
}

TEST(better_auth, each_endpoint_of_the_admin_client_has_one_path) {
    const std::string directives =
        "Require all granted\nAuthUserAdmin On\nSetHandler useradmin-better-auth\n";
    std::string configuration = "MergeSlashes Off\n<LocationMatch \"^/(four|five)/auth/admin\">\n" +
                                directives + "</LocationMatch>\n";
    for (const char* path : {"/one/admin", "/two", "/admin/three/admin", "/six/admin/list-users"})
        configuration +=
            std::string("<Location \"") + path + "\">\n" + directives + "</Location>\n";
    start(configuration);
    const auto status_of = [&](std::string_view path) {
        return client_
            ->send(
                {"GET", std::string(path) + "/list-users?limit=1", {bearer(Caller::super_admin)}})
            .status;
    };
    for (const char* path : {"/one/admin", "/two/admin", "/admin/three/admin", "/four/auth/admin",
                             "/five/auth/admin", "/six/admin"})
        CHECK_EQUAL_TEXT(200, status_of(path), path);
    for (const char* path :
         {"/one/admin/x/admin", "/one/admin/admin", "/two/x/admin", "/two/admin/x/admin",
          "/two/admin/admin", "/admin/three/admin/x/admin", "/four/auth/admin/x/admin",
          "/six/admin/x/admin", "/six/admin/list-users/admin", "/one//admin", "/two//admin",
          "/two/admin/", "/six//admin"})
        CHECK_EQUAL_TEXT(404, status_of(path), path);
}

TEST(better_auth, other_paths_and_methods_are_not_answered) {
    // The suite's httpd acts as the application.
    start("ProxyPass \"/api/auth\" \"http://127.0.0.1:" +
              std::to_string(Suite::current().httpd().port()) + "/api\"\n" + endpoints +
              "</Location>\n",
          {"mod_proxy.so", "mod_proxy_http.so"});
    CHECK_EQUAL(200, list(Caller::super_admin, "limit=1").status);
    // The suite's httpd returns 404 for this path.
    CHECK_EQUAL(404, call(Caller::super_admin, "impersonate-user", "{}").status);
    const Response other = client_->send({"GET", "/api/auth/users", {bearer(Caller::super_admin)}});
    CHECK_EQUAL(200, other.status);
    const Response wrong = client_->send({"GET", "/api/auth/admin/ban-user", {}});
    CHECK_EQUAL(404, wrong.status);
    CHECK_EQUAL(std::string(), wrong.body);
}

TEST(better_auth, impersonation_can_be_left_to_the_application) {
    allow_log("UA0311"); // the secret is in the configuration
    std::string configuration =
        "ProxyPass \"/api/auth\" \"http://127.0.0.1:" +
        std::to_string(Suite::current().httpd().port()) + "/api\"\n" + endpoints +
        "AuthUserAdminSecret 0123456789abcdef0123456789abcdef\n</Location>\n";
    for (const bool is_left : {false, true}) {
        start(configuration, {"mod_proxy.so", "mod_proxy_http.so"});
        // The suite's httpd acts as the application, and returns 404.
        for (const char* endpoint : {"impersonate-user", "stop-impersonating"})
            CHECK_EQUAL_TEXT(is_left, call(Caller::nobody, endpoint, "{}").status == 404, endpoint);
        CHECK_FALSE(call(Caller::nobody, "ban-user", "{}").status == 404);
        configuration += "<LocationMatch "
                         "\"^/api/auth/admin/(impersonate-user|stop-impersonating)$\">\n"
                         "SetHandler none\n</LocationMatch>\n";
    }
}

TEST(better_auth, a_preflight_request_is_answered) {
    start(endpoints + "UserAdminTrustedOrigin https://app.example.org\n</Location>\n");
    for (const auto& [endpoint, methods] :
         {std::pair("list-users", "GET, OPTIONS"), {"ban-user", "POST, OPTIONS"}}) {
        const Response response = client_->send({"OPTIONS",
                                                 std::string("/api/auth/admin/") + endpoint,
                                                 {"Origin: https://app.example.org"}});
        CHECK_EQUAL(204, response.status);
        CHECK_EQUAL(std::string(methods), response.value("Allow"));
        CHECK_EQUAL(std::string(methods), response.value("Access-Control-Allow-Methods"));
    }
    const Response plain = client_->send({"OPTIONS", "/api/auth/admin/ban-user", {}});
    CHECK_EQUAL(204, plain.status);
    CHECK_FALSE(plain.header("Access-Control-Allow-Methods").has_value());
}

TEST(better_auth, a_failed_session_lookup_gets_an_error_in_JSON) {
    allow_lines_without_a_database();
    make_database();
    start(endpoints + "UserAdminTrustedOrigin https://app.example.org\n</Location>\n");
    own_->make_unavailable();
    const Response response = call(Caller::super_admin, "ban-user", R"({"userId":"ada-1"})",
                                   {"Origin: https://app.example.org"});
    own_->make_available();
    expect(response, 503, R"({"message":"Service unavailable","code":"SERVICE_UNAVAILABLE"})");
    for (const auto& [name, value] : {std::pair("Content-Type", "application/json"),
                                      {"Retry-After", "1"},
                                      {"Cache-Control", "no-store"},
                                      {"Access-Control-Allow-Origin", "https://app.example.org"}})
        CHECK_EQUAL(std::string(value), response.header(name).value_or("(none)"));
}

TEST(better_auth, errors_of_httpd_are_JSON_even_with_an_ErrorDocument) {
    allow_log("AH01630"); // httpd: denied by server configuration
    std::string configuration = endpoints;
    configuration.replace(configuration.find("granted"), 7, "denied");
    const std::string proxy = "ProxyPass \"/api/auth\" \"http://127.0.0.1:9/\"\n";
    for (const std::string& document :
         {std::string(), std::string("ErrorDocument 403 /page\n"),
          std::string("ErrorDocument 403 https://status.example.org/\n"), proxy}) {
        start(document + configuration + "</Location>\n", {"mod_proxy.so", "mod_proxy_http.so"});
        expect(list(Caller::super_admin, "limit=1"), 403,
               R"({"message":"Forbidden","code":"FORBIDDEN"})");
        // This path is not an endpoint.
        const Response other = client_->send({"GET", "/api/auth/admin/other"});
        CHECK_EQUAL(document.find("https:") == document.npos ? 403 : 302, other.status);
        CHECK_FALSE(other.body.starts_with("{"));
    }
}

TEST(better_auth, requests_are_counted_by_operation_even_if_httpd_rejects_them) {
    expect_log("AH01630"); // httpd: denied by server configuration
    for (const auto& [access, status] : {std::pair("granted", 200), {"denied", 403}}) {
        std::string configuration = endpoints;
        configuration.replace(configuration.find("granted"), 7, access);
        start(configuration + "</Location>\n<Location \"/metrics\">\n"
                              "SetHandler useradmin-metrics\n</Location>\n");
        CHECK_EQUAL(status, list(Caller::super_admin, "limit=1").status);
        CHECK(eventually([&] {
            return client_->send({"GET", "/metrics"}).body.find("operation=\"list\"") !=
                   std::string::npos;
        }));
    }
}

TEST(better_auth, requests_that_the_application_answers_are_not_counted) {
    start("ProxyPass \"/api/auth\" \"http://127.0.0.1:" +
              std::to_string(Suite::current().httpd().port()) + "/api\"\n" + endpoints +
              "</Location>\n<Location \"/metrics\">\nSetHandler useradmin-metrics\n</Location>\n",
          {"mod_proxy.so", "mod_proxy_http.so"});
    CHECK_EQUAL(404, call(Caller::super_admin, "impersonate-user", "{}").status);
    CHECK_EQUAL(200, list(Caller::super_admin, "limit=1").status);
    std::string metrics;
    CHECK(eventually([&] {
        metrics = client_->send({"GET", "/metrics"}).body;
        return metrics.find("operation=\"list\",status=\"200\"") != metrics.npos;
    }));
    CHECK_EQUAL(std::string::npos, metrics.find("status=\"404\""));
}

TEST(better_auth, a_search_and_a_filter_are_combined_with_and) {
    start(endpoints + "</Location>\n");
    const Response response = list(
        Caller::super_admin, "searchValue=a&searchField=name&filterField=role&filterValue=admin");
    STRCMP_CONTAINS("\"id\":\"ada-1\"", response.body.c_str());
    STRCMP_CONTAINS("}],\"total\":1}", response.body.c_str());
}

} // namespace useradmin::test
