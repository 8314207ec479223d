// Base addresses together with other Locations, the virtual host's redirects, and mod_dir and
// mod_mime.
#include "own_httpd.hpp"

#include "support/files.hpp"
#include "support/machine.hpp"

#include <filesystem>

namespace useradmin::test {

class Locations : public OwnHttpd {
  protected:
    static inline const std::string metrics_page = handler("/metrics", "useradmin-metrics");
    static inline const std::string better_auth_page =
        handler("/api/auth/admin", "useradmin-better-auth", "AuthUserAdmin On\n");

    /// Creates a directory that httpd's account can read.
    static std::filesystem::path make_document_root(const char* name) {
        using std::filesystem::perms;
        const auto folder = Suite::current().work().make(name);
        std::filesystem::permissions(folder,
                                     perms::owner_all | perms::others_read | perms::others_exec);
        return folder;
    }
    /// Runs the checks with each load order of the two modules.
    template <class Checks>
    void run_with_each_load_order(const std::string& configuration, const Checks& checks) {
        const std::string auth_module = machine::built("mod_auth_useradmin.so").string();
        for (const auto& modules :
             {std::vector<std::string>(), std::vector<std::string>{auth_module}}) {
            start(configuration, modules);
            checks();
        }
    }
    Response get_as_sara(const std::string& path) {
        return client_->send({"GET", path, {bearer(Caller::super_admin)}});
    }
    /// Sends a request outside the comparison with the OpenAPI document, for a response that the
    /// document does not contain, or if there is no database to build the document.
    Response get_undocumented(const std::string& path, const std::string& host = "localhost") {
        const RawConnection connection(httpd_->port());
        CHECK(connection.send("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n" +
                              bearer(Caller::super_admin) + "\r\nConnection: close\r\n\r\n"));
        return parse_response(connection.receive_all());
    }
    /// Returns the number of counted requests with the operation.
    std::string request_count(const std::string& operation) {
        const std::string text = client_->send({"GET", "/metrics"}).body;
        return between(text, "operation=\"" + operation + "\",status=\"200\"} ", "\n")
            .value_or("(none)");
    }
    /// Returns the sum of all counted requests.
    int total_request_count() {
        int sum = 0;
        for (const std::string& line : lines_of(client_->send({"GET", "/metrics"}).body))
            if (line.starts_with("useradmin_requests_total{"))
                sum += std::stoi(line.substr(line.rfind(' ')));
        return sum;
    }
};

TEST_GROUP_BASE(locations, Locations){};

TEST(locations, below_a_Redirect_of_the_virtual_host_are_redirected) {
    start("AuthUserAdmin On\n" + location("/api/users", "") + sign_in("/api/auth", "") +
              virtual_host("plain.test", "Redirect permanent \"/\" \"https://plain.test/\"\n") +
              virtual_host("gone.test", "Redirect gone \"/api\"\n") +
              virtual_host("aliased.test", "ScriptAlias \"/api\" \"/tmp\"\n"),
          {"mod_alias.so"});
    for (const char* path : {"/api/users", "/api/users/ada-1", "/api/auth/get-session"}) {
        const Response moved = get_undocumented(path, "plain.test");
        CHECK_EQUAL_TEXT(301, moved.status, path);
        CHECK_EQUAL(std::string("https://plain.test") + path, moved.value("Location"));
        CHECK(moved.body.starts_with("<!DOCTYPE"));
        CHECK_EQUAL_TEXT(410, get_undocumented(path, "gone.test").status, path);
        // An Alias does not replace the service or sign-in.
        CHECK_EQUAL_TEXT(200, get_undocumented(path, "aliased.test").status, path);
    }
}

TEST(locations, are_not_replaced_by_a_FallbackResource) {
    const auto folder = make_document_root("fallback");
    write_file(folder / "index.html", "the page of the application");
    start("DocumentRoot \"" + folder.string() +
              "\"\nFallbackResource /index.html\nAuthUserAdmin On\n" + location("/api/users", "") +
              sign_in("/api/auth", ""),
          {"mod_dir.so"});
    CHECK_EQUAL(std::string("the page of the application"), get_as_sara("/elsewhere").body);
    for (const char* path : {"/api/users", "/api/users/ada-1", "/api/auth/get-session"}) {
        const Response response = get_as_sara(path);
        CHECK_EQUAL_TEXT(200, response.status, path);
        CHECK_EQUAL_TEXT(std::string("application/json"), response.value("Content-Type"), path);
    }
}

TEST(locations, admin_client_below_the_sign_in_Location_is_served) {
    run_with_each_load_order(
        sign_in("/api/auth", "") + better_auth_page + metrics_page,
        [&] {
            const Response response = get_as_sara("/api/auth/admin/list-users?limit=1");
            CHECK_EQUAL(200, response.status);
            STRCMP_CONTAINS("\"users\":", response.body.c_str());
            CHECK_EQUAL(200, get_as_sara("/api/auth/get-session").status);
            CHECK(eventually([&] { return request_count("list") == "1"; }));
            CHECK(eventually([&] { return request_count("get-session") == "1"; }));
            CHECK_EQUAL(2, total_request_count());
        });
}

TEST(locations, pages_below_the_sign_in_Location_are_served) {
    run_with_each_load_order(
        location("/api/users", as_sara) + sign_in("/", "") + metrics_page +
            handler("/console", "useradmin-console"),
        [&] {
            const Response page = get_as_sara("/console");
            CHECK_EQUAL(200, page.status);
            STRCMP_CONTAINS("text/html", page.header("Content-Type").value_or("").c_str());
            CHECK_EQUAL(200, get_as_sara("/get-session").status);
            CHECK(eventually([&] { return request_count("get-session") == "1"; }));
            CHECK_EQUAL(1, total_request_count());
        });
}

TEST(locations, below_sign_in_report_an_unavailable_database_with_503) {
    allow_log("AH0"); // mod_dbd: no connection
    expect_log("UA0202");
    start(std::string("DBDParams \"") + (is_postgresql() ? "host=/nowhere" : "/nowhere/users.db") +
          "\"\nDBDMin 0\nAuthUserAdmin On\n" + location("/api/auth/users", "") +
          sign_in("/api/auth", "") + better_auth_page);
    for (const char* path : {"/api/auth/users", "/api/auth/admin/list-users"})
        CHECK_EQUAL_TEXT(503, get_undocumented(path).status, path);
    STRCMP_CONTAINS("SERVICE_UNAVAILABLE", get_as_sara("/api/auth/get-session").body.c_str());
}

TEST(locations, with_the_longest_path_answer_in_either_load_order) {
    for (const auto& [service, signing] :
         {std::pair("/api", "/api/auth"), {"/api/auth/users", "/api/auth"}, {"", "/auth"}}) {
        const std::string base = service;
        const std::string auth = signing;
        run_with_each_load_order(
            "AuthUserAdmin On\n" + location(base.empty() ? "/" : base, "") + sign_in(auth, "") +
                metrics_page,
            [&] {
                STRCMP_CONTAINS("\"id\":\"ada-1\"", get_as_sara(base + "/ada-1").body.c_str());
                STRCMP_CONTAINS("\"session\":",
                                get_undocumented(auth + "/get-session").body.c_str());
                CHECK(eventually([&] { return request_count("get") == "1"; }));
                CHECK(eventually([&] { return request_count("get-session") == "1"; }));
                CHECK_EQUAL(2, total_request_count());
            });
    }
}

TEST(locations, with_UserAdmin_Off_keep_the_error_pages_of_httpd) {
    start(location("/api", as_sara) +
          "<Location \"/api/files\">\n  UserAdmin Off\n</Location>\n"
          "<Location \"/api/files/closed\">\n  Require all denied\n</Location>\n" +
          metrics_page);
    expect_log("AH01630"); // client denied
    for (const auto& [path, status] :
         {std::pair("/api/files/none", 404), {"/api/files/closed", 403}}) {
        const Response response = get_as_sara(path);
        CHECK_EQUAL_TEXT(status, response.status, path);
        STRCMP_CONTAINS("text/html", response.value("Content-Type").c_str());
    }
    CHECK_EQUAL(200, send("GET", "/api/ada-1").status);
    CHECK(eventually([&] { return request_count("get") == "1"; }));
    CHECK_EQUAL(1, total_request_count());
}

TEST(locations, ignore_DefaultLanguage) {
    start("DefaultLanguage de\nTypesConfig /dev/null\n" +
              location("/api/users", as_sara + "UserAdminLanguage en\n") + sign_in("/api/auth", ""),
          {"mod_mime.so"});
    const auto language_of = [&](const char* path) {
        return get_as_sara(path).value("Content-Language");
    };
    CHECK_EQUAL(std::string("en"), language_of("/api/users/unknown"));
    CHECK_EQUAL(std::string("(none)"), language_of("/api/users"));
    CHECK_EQUAL(std::string("(none)"), language_of("/api/auth/get-session"));
}

TEST(locations, trust_no_caller_that_an_htaccess_file_names) {
    expect_log("UA0223");
    expect_log("unable to include \"/guarded.html\"");
    const auto folder = make_document_root("author");
    write_file(folder / ".htaccess", "Header set X-Id sara-1\nHeader set X-Role superAdmin\n"
                                     "Header note X-Id session-user-id\n"
                                     "Header note X-Role session-user-role\n");
    write_file(folder / "guarded.html", "a page for ada@example.org");
    write_file(folder / "service.shtml", "<!--#include virtual=\"/api/users\" -->");
    write_file(folder / "expression.shtml", "<!--#include virtual=\"/noted/users\" -->");
    write_file(folder / "role.shtml", "<!--#include virtual=\"/guarded.html\" -->");
    start("DocumentRoot \"" + folder.string() + "\"\n<Directory \"" + folder.string() +
              "\">\n  Require all granted\n  AllowOverride FileInfo\n"
              "  Options +IncludesNOEXEC\n  ForceType text/html\n"
              "  SetOutputFilter INCLUDES\n</Directory>\n" +
              location("/api/users", "") +
              location("/noted/users", "UserAdminSession %{note:session-user-id} superAdmin") +
              "<Location \"/guarded.html\">\n  AuthUserAdmin On\n"
              "  Require user-role superAdmin\n</Location>\n",
          {"mod_headers.so", "mod_include.so"});
    for (const char* page : {"/service.shtml", "/expression.shtml", "/role.shtml"}) {
        const RawConnection connection(httpd_->port());
        CHECK(connection.send(std::string("GET ") + page +
                              " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"));
        const Response response = parse_response(connection.receive_all());
        CHECK_EQUAL_TEXT(200, response.status, page);
        CHECK_EQUAL_TEXT(std::string("sara-1"), response.value("X-Id"), page);
        CHECK_FALSE_TEXT(response.body.find("ada@example.org") != response.body.npos,
                         response.body.c_str());
    }
}

TEST(locations, release_a_path_that_a_rewrite_rule_moves) {
    const auto folder = make_document_root("moved");
    write_file(folder / "export.txt", "the export");
    start("DocumentRoot \"" + folder.string() + "\"\n" + location("/api/users", as_sara) +
              sign_in("/api/auth", "") +
              virtual_host("localhost",
                           "RewriteEngine On\n"
                           "RewriteRule \"^/api/(users|auth)/export$\" \"/export.txt\" [PT]\n"),
          {"mod_rewrite.so"});
    for (const char* path : {"/api/users/export", "/api/auth/export"})
        CHECK_EQUAL_TEXT(std::string("the export"), get_undocumented(path).body, path);
    CHECK_EQUAL(200, get_undocumented("/api/users/ada-1").status);
}

TEST(locations, with_the_base_address_slash_survive_requests_without_a_path) {
    start(location("/", ""));
    for (const std::string& bytes :
         {"GET /" + std::string(9000, 'a') + " HTTP/1.1\r\nHost: localhost\r\n\r\n",
          std::string("\x16\x03\x01\x02\0\r\n\r\n", 9)}) {
        const RawConnection each(httpd_->port());
        CHECK(each.send(bytes));
        STRCMP_CONTAINS("{\"success\":false", each.receive_all().c_str());
    }
}

TEST(locations, with_Satisfy_any_report_an_unavailable_database_with_503) {
    allow_log("AH0"); // mod_dbd: no connection
    expect_log("UA0202");
    start(std::string("DBDParams \"") + (is_postgresql() ? "host=/nowhere" : "/nowhere/users.db") +
              "\"\nDBDMin 0\n<Location \"/guarded\">\n  AuthUserAdmin On\n"
              "  Require user-role superAdmin\n  Order deny,allow\n  Deny from all\n  Satisfy any\n"
              "</Location>\n",
          {"mod_access_compat.so"});
    CHECK_EQUAL(503, get_undocumented("/guarded").status);
}

} // namespace useradmin::test
