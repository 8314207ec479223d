// Log lines about requests that get 401.
#include "own_httpd.hpp"

#include "support/process.hpp"

#include <algorithm>

namespace useradmin::test {

namespace {

const std::string rejected = "UA0310: the session token was rejected: ";
const std::string cookie = "Cookie: better-auth.session_token=";

} // namespace

class Unauthorized : public OwnHttpd {
  protected:
    void expect_401(const std::string& path, const std::vector<std::string>& headers = {},
                    SourceLocation where = {}) {
        const Response response = client_->send({"GET", path, headers}, where);
        if (response.status != 401)
            fail(response, "expected 401", where);
    }
    void call(const std::string& path, const std::string& token) {
        expect_401(path, {"Authorization: Bearer " + token});
    }

    std::vector<std::string> lines_with(const std::string& text) const {
        std::vector<std::string> lines = lines_of(read_file(httpd_->error_log()));
        std::erase_if(lines, [&](const std::string& line) { return line.find(text) == line.npos; });
        return lines;
    }
    /// Waits until `count` lines contain the text. Returns how many of them have this level.
    long count_lines_at(const std::string& level, const std::string& text,
                        std::size_t count) const {
        static_cast<void>(eventually([&] { return lines_with(text).size() >= count; }));
        const auto lines = lines_with(text);
        CHECK_EQUAL(count, lines.size());
        return std::ranges::count_if(lines, [&](const std::string& line) {
            return line.find("useradmin:" + level + "]") != line.npos;
        });
    }
    /// Expects a log line with this level that gives the reason and the advice.
    void expect_reason_logged(const std::string& level, const std::string& reason,
                              const std::string& advice) const {
        const std::string text = reason + (advice.empty() ? "" : "; ") + advice;
        static_cast<void>(eventually([&] { return !lines_with(text).empty(); }));
        CHECK_TEXT(!lines_with(text).empty(), text.c_str());
        STRCMP_CONTAINS(("useradmin:" + level + "]").c_str(), lines_with(text).back().c_str());
    }
};

TEST_GROUP_BASE(unauthorized, Unauthorized){};

TEST(unauthorized, rejected_session_is_logged_with_the_remedy) {
    start(location("/api/users", "AuthUserAdmin On") +
          location("/signed/users", "AuthUserAdmin On\nAuthUserAdminSecret \"file:" +
                                        Suite::current().secret_file().string() + "\"") +
          location("/refusing/users", "AuthUserAdmin On\nAuthUserAdminImpersonated refuse"));
    call("/signed/users", "s3cr3t");
    expect_reason_logged("warn", rejected + "it is not signed, but AuthUserAdminSecret is set",
                         "check that the client sends the whole value");
    call("/signed/users", signed_token("s3cr3t", "another s3cr3t"));
    expect_reason_logged("warn", rejected + "its signature does not match AuthUserAdminSecret",
                         "check that this is the application's secret");
    call("/api/users", "%ff");
    expect_reason_logged("warn", rejected + "it is malformed", "check what the client sends");
    call("/api/users", ".");
    call("/api/users", "s3cr3t-of-nobody");
    expect_reason_logged(
        "warn", rejected + "there is no such session",
        "it may have been revoked, or its user deleted; if every session is rejected, check "
        "that DBDParams and UserAdminTables");
    add_session("s3cr3t-old", "ulises-1", "2026-01-01T00:00:00.000Z");
    call("/api/users", "s3cr3t-old");
    expect_reason_logged("warn", rejected + "its session has expired",
                         "the user must sign in again");
    sql().run("UPDATE \"session\" SET \"impersonatedBy\" = 'sara-1' WHERE \"userId\" = 'ulises-1'");
    call("/refusing/users", token_of(Caller::user));
    expect_reason_logged("warn", rejected + "an administrator is impersonating its user",
                         "to accept such sessions, set AuthUserAdminImpersonated to allow");
    sql().run("UPDATE \"user\" SET \"banned\" = TRUE WHERE \"id\" = 'ulises-1'");
    call("/api/users", token_of(Caller::user));
    expect_reason_logged("warn", rejected + "its user is banned", "if the ban is wrong, lift it");
    // There are no other lines about these requests.
    CHECK_EQUAL(8U, lines_with(" UA0").size());
}

TEST(unauthorized, a_reason_is_logged_once_a_minute_for_each_host) {
    start("AuthUserAdmin On\n" + location("/api/users", "") + virtual_host("one.test") +
          virtual_host("two.test"));
    std::vector<Request> requests;
    for (int time = 0; time < 15; ++time)
        for (const char* host : {"Host: one.test", "Host: two.test"})
            requests.push_back(
                {"GET", "/api/users", {host, "Authorization: Bearer s3cr3t-of-nobody"}});
    for (const Response& response : client_->send_at_once(requests))
        CHECK_EQUAL(401, response.status);
    CHECK_EQUAL(2, count_lines_at("warn", "there is no such session", 30));
    // Up to twenty more lines are logged at info, for fail2ban. The rest are logged at debug.
    CHECK_EQUAL(20, count_lines_at("info", "there is no such session", 30));
    CHECK_EQUAL(8, count_lines_at("debug", "there is no such session", 30));
    // Another cause is logged immediately.
    call("/api/users", "%ff");
    CHECK_EQUAL(1, count_lines_at("warn", "it is malformed", 1));
}

TEST(unauthorized, a_request_without_a_session_is_logged_at_info) {
    start(location("/api/users", "AuthUserAdmin On") +
              "<Location \"/reports\">\n  AuthUserAdmin On\n  AuthType UserAdmin\n"
              "  Require valid-user\n</Location>\n",
          {"mod_authz_user.so"});
    expect_401("/api/users");
    expect_reason_logged("info", "UA0319: request rejected (401): it has no session token",
                         "the user must sign in");
    expect_401("/reports", {"Cookie: theme=dark"});
    expect_401("/api/users", {cookie});
    CHECK_EQUAL(2, count_lines_at("debug", "UA0319", 3));
    CHECK_EQUAL(3U, lines_with(" UA0").size());
}

TEST(unauthorized, a_request_to_the_service_below_sign_in_is_logged) {
    start("AuthUserAdmin On\n" + sign_in("/api/auth", "") + location("/api/auth/users", ""));
    expect_401("/api/auth/users");
    CHECK_EQUAL(1, count_lines_at("info", "UA0319", 1));
}

TEST(unauthorized, an_ignored_credential_causes_a_warning) {
    start(location("/api/users", "AuthUserAdmin On") +
          location("/cookie/users", "AuthUserAdmin On\nAuthUserAdminBearer Off\n"
                                    "AuthUserAdminCookie shop.session_token"));
    call("/cookie/users", token_of(Caller::admin));
    expect_reason_logged("warn", "UA0319: request rejected (401): bearer tokens are not accepted",
                         "set AuthUserAdminBearer On");
    expect_401("/api/users", {"x-api-key: s3cr3t"});
    expect_reason_logged("warn", "UA0319: request rejected (401): API keys are not accepted",
                         "set AuthUserAdminApiKey On");
    expect_401("/cookie/users", {cookie + token_of(Caller::admin)});
    expect_reason_logged(
        "warn",
        "UA0319: request rejected (401): the name of its session cookie differs from "
        "AuthUserAdminCookie",
        "if it is the application's cookie, set AuthUserAdminCookie to its name");
}

TEST(unauthorized, Location_without_authentication_is_logged) {
    const std::string reason = "UA0223: a request in <Location \"/api/users\"> was rejected (401): "
                               "no auth module set the session-user-id note";
    const std::string advice = "set AuthUserAdmin On or UserAdminSession in the Location";
    start(location("/api/users", "") + handler("/console", "useradmin-console"));
    expect_401("/api/users");
    expect_reason_logged("info", reason, advice);
    // The console sends this request after sign-in. It results in a warning, although a request
    // without credentials came first.
    const Response response = client_->send({"GET", "/console?caller", {cookie + "s3cr3t"}});
    CHECK_EQUAL(std::string("null"), response.body);
    expect_reason_logged("warn", reason, advice);
    expect_401("/api/users", {cookie + "s3cr3t"});
    CHECK_EQUAL(1, count_lines_at("debug", "UA0223", 3));
}

TEST(unauthorized, requests_to_many_paths_of_endpoints_share_a_line) {
    start("<LocationMatch \"^/[^/]+/admin/\">\n  Require all granted\n"
          "  SetHandler useradmin-better-auth\n</LocationMatch>\n");
    for (const char* folder : {"/a", "/b", "/c"})
        expect_401(std::string(folder) + "/admin/list-users", {cookie + "s3cr3t"});
    CHECK_EQUAL(1, count_lines_at("warn",
                                  "UA0223: a request to an endpoint for better-auth was "
                                  "rejected (401): no auth module",
                                  3));
}

TEST(unauthorized, empty_id_from_UserAdminSession_is_logged) {
    start(location("/api/users", "AuthUserAdmin On\nUserAdminSession \"%{req:X-Id}\""));
    expect_401("/api/users", {bearer(Caller::super_admin)});
    expect_reason_logged("warn",
                         "UA0223: a request in <Location \"/api/users\"> was rejected (401): "
                         "UserAdminSession returned an empty id",
                         "check its expression");
}

TEST(unauthorized, a_caller_banned_during_the_request_is_logged) {
    start("AuthUserAdminCache 3600\n" + location("/api/users", "AuthUserAdmin On"));
    expect_success(send("GET", "/api/users"));
    sql().run("UPDATE \"user\" SET \"banned\" = TRUE WHERE \"id\" = 'sara-1'");
    expect_error(send("DELETE", "/api/users/ulises-1"), 401, "No autorizado");
    expect_reason_logged(
        "warn", "UA0224: a change was rejected (401): the caller was deleted or banned", "");
    CHECK(lines_with("AuthUserAdminCache").empty());
}

TEST(unauthorized, a_valid_session_is_not_logged) {
    start(location("/api/users", "AuthUserAdmin On"));
    expect_success(send("GET", "/api/users"));
    expect_401("/api/users");
    CHECK_EQUAL(1, count_lines_at("info", " UA03", 1));
}

} // namespace useradmin::test
