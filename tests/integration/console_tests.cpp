// SetHandler useradmin-console: the page, its headers, and the caller that the page shows.
// tests/console tests the page in a browser.
#include "own_httpd.hpp"

#include "support/text.hpp"

#include <apr_time.h>
#include <openssl/evp.h>

namespace useradmin::test {

namespace {

std::string hash_source(const std::string& text) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    EVP_Digest(text.data(), text.size(), digest, &size, EVP_sha256(), nullptr);
    return "'sha256-" + to_base64({reinterpret_cast<const char*>(digest), size}) + "'";
}

} // namespace

class Console : public OwnHttpd {
  protected:
    static std::string page(const std::string& path, const std::string& directives = {}) {
        return handler(path, "useradmin-console", directives);
    }
    Response get_page(const std::string& path, const std::vector<std::string>& headers = {},
                      const std::string& method = "GET") {
        return client_->send({method, path, headers});
    }
    /// Returns the value of the page's data-NAME attribute, or "(none)".
    std::string data_attribute(const std::string& path, const std::string& name) {
        const Response response = get_page(path);
        CHECK_EQUAL(200, response.status);
        return between(response.body, " data-" + name + "=\"", "\"").value_or("(none)");
    }
    std::string displayed_caller(const std::vector<std::string>& headers,
                                 const std::string& path = "/admin") {
        const Response response = get_page(path + "?caller", headers);
        CHECK_EQUAL(200, response.status);
        CHECK_EQUAL(std::string("application/json"), response.header("Content-Type").value_or(""));
        CHECK_EQUAL(std::string("no-store"), response.header("Cache-Control").value_or(""));
        CHECK_EQUAL(std::string("nosniff"), response.header("X-Content-Type-Options").value_or(""));
        return response.body;
    }
};

TEST_GROUP_BASE(console, Console){};

TEST(console, has_a_policy_for_its_own_style_and_script_only) {
    start(location("/api/users", as_sara) + page("/admin"));
    const Response response = get_page("/admin");
    CHECK_EQUAL(200, response.status);
    const std::string style = between(response.body, "<style>", "</style>").value_or("");
    const std::string script =
        between(response.body, "<script type=\"module\">", "</script>").value_or("");
    CHECK(!style.empty() && !script.empty());
    const std::pair<const char*, std::string> wanted[] = {
        {"Content-Type", "text/html; charset=utf-8"},
        {"Content-Security-Policy",
         "default-src 'none'; script-src " + hash_source(script) + "; style-src " +
             hash_source(style) +
             "; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
             "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"},
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cache-Control", "no-cache"},
    };
    for (const auto& [name, value] : wanted)
        CHECK_EQUAL(value, response.value(name));
    // No placeholder, external resource or script comment is left.
    for (const char* other : {"{{", "src=", "https://", "innerHTML", "\n//", "/**"})
        CHECK_TEXT(response.body.find(other) == std::string::npos, other);
}

TEST(console, is_at_most_31_KiB_when_compressed) {
    start(location("/api/users", as_sara) + page("/admin", "  SetOutputFilter DEFLATE\n"),
          {"mod_deflate.so"});
    const Response response = get_page("/admin", {"Accept-Encoding: gzip"});
    CHECK_EQUAL(std::string("gzip"), response.header("Content-Encoding").value_or(""));
    CHECK(response.body.size() > 1000);
    // Without esbuild, the style sheet keeps its newlines.
    const std::string style =
        between(get_page("/admin").body, "<style>", "</style>").value_or("\n");
    const std::size_t most = (style.find('\n') == std::string::npos ? 31 : 36) * std::size_t{1024};
    CHECK(response.body.size() <= most);
}

TEST(console, returns_304_if_it_is_unchanged) {
    start(location("/api/users", as_sara) + page("/api/users/console") + page("/admin") +
              page("/gzip", "  SetOutputFilter DEFLATE\n") +
              page("/br", "  SetOutputFilter BROTLI_COMPRESS\n"),
          {"mod_deflate.so", "mod_brotli.so"});
    for (const char* path : {"/admin", "/api/users/console"}) {
        const std::string tag = get_page(path).header("ETag").value_or("");
        CHECK(tag.size() > 20 && tag.front() == '"');
        for (const std::string& known : {tag, "W/" + tag, "\"x\", " + tag, std::string("*")}) {
            const Response response = get_page(path, {"If-None-Match: " + known});
            CHECK_EQUAL(304, response.status);
            CHECK_EQUAL(std::string(), response.body);
            CHECK_EQUAL(tag, response.header("ETag").value_or(""));
            CHECK_EQUAL(std::string("no-cache"), response.header("Cache-Control").value_or(""));
        }
        CHECK_EQUAL(200, get_page(path, {"If-None-Match: \"other\""}).status);
    }
    // Both modules add a suffix to the ETag.
    for (const std::string coding : {"gzip", "br"}) {
        const std::string accepted = "Accept-Encoding: " + coding;
        const std::string small = get_page("/" + coding, {accepted}).header("ETag").value_or("");
        STRCMP_CONTAINS(("-" + coding + "\"").c_str(), small.c_str());
        const Response same = get_page("/" + coding, {accepted, "If-None-Match: " + small});
        CHECK_EQUAL(304, same.status);
        CHECK_EQUAL(small, same.value("ETag"));
    }
}

TEST(console, pages_can_be_cached_by_the_same_httpd) {
    const auto cache = Suite::current().work().make("console-cache");
    std::filesystem::permissions(cache, std::filesystem::perms::all);
    start("CacheRoot " + cache.string() + "\nCacheEnable disk /\nCacheHeader On\n" +
              location("/api/users", as_sara) + page("/admin") +
              handler("/openapi.json", "useradmin-openapi"),
          {"mod_cache.so", "mod_cache_disk.so"});
    for (const char* path : {"/admin", "/openapi.json"}) {
        const std::string body = get_page(path).body;
        for (int turn = 0; turn < 3; ++turn) {
            const Response again = get_page(path);
            CHECK_EQUAL_TEXT(200, again.status, path);
            CHECK_EQUAL(body, again.body);
            STRCMP_CONTAINS("REVALIDATE", again.value("X-Cache").c_str());
        }
    }
}

TEST(console, has_no_modification_date) {
    start(location("/api/users", as_sara) + page("/admin"));
    // Without a date, httpd compares with the time of the request.
    char now[APR_RFC822_DATE_LEN];
    apr_rfc822_date(now, apr_time_now());
    for (const std::string& condition :
         {std::string("If-Unmodified-Since: Thu, 01 Jan 2026 00:00:00 GMT"),
          "If-Modified-Since: " + std::string(now)})
        CHECK_EQUAL_TEXT(200, get_page("/admin", {condition}).status, condition.c_str());
}

TEST(console, differs_for_each_service) {
    start(location("/a/users", as_sara) + location("/b/users", as_sara) + page("/a/users/console") +
          page("/b/users/console"));
    CHECK_EQUAL(std::string("/a/users"), data_attribute("/a/users/console", "base"));
    CHECK_EQUAL(std::string("/b/users"), data_attribute("/b/users/console", "base"));
    CHECK(get_page("/a/users/console").header("ETag") !=
          get_page("/b/users/console").header("ETag"));
}

TEST(console, allows_only_GET_HEAD_and_OPTIONS) {
    start(location("/api/users", as_sara) + page("/admin"));
    const Response whole = get_page("/admin");
    const Response head = get_page("/admin", {}, "HEAD");
    for (const char* name : {"Content-Length", "ETag", "Content-Security-Policy"})
        CHECK_EQUAL(whole.value(name), head.header(name).value_or(""));
    expect_read_methods_only("/admin");
}

TEST(console, has_the_maximum_page_size) {
    start(location("/api/users", as_sara + "UserAdminMaxLimit 50\n") + page("/admin"));
    CHECK_EQUAL(std::string("50"), data_attribute("/admin", "max-limit"));
}

TEST(console, has_the_time_for_which_the_application_accepts_ended_sessions) {
    start(
        location("/a/users", as_sara) + page("/a/users/console") +
        location("/b/users", as_sara + "UserAdminApplicationCache 300\nUserAdminEndSessions On\n") +
        page("/b/users/console"));
    CHECK_EQUAL(std::string("0"), data_attribute("/a/users/console", "application-cache"));
    CHECK_EQUAL(std::string("off"), data_attribute("/a/users/console", "ends-sessions"));
    CHECK_EQUAL(std::string("300"), data_attribute("/b/users/console", "application-cache"));
    CHECK_EQUAL(std::string("on"), data_attribute("/b/users/console", "ends-sessions"));
}

TEST(console, has_a_form_if_its_virtual_host_signs_users_in) {
    const std::string service = location("/api/users", as_sara) + page("/admin");
    start(virtual_host("localhost", service + sign_in("/api/auth", "")) +
          virtual_host("other.test", service));
    CHECK_EQUAL(std::string("/api/auth"), data_attribute("/admin", "sign-in"));
    const Response other = get_page("/admin", {"Host: other.test"});
    STRCMP_CONTAINS(" data-sign-in=\"\" data-sign-in-page=\"\"", other.body.c_str());
}

TEST(console, has_no_form_if_its_virtual_host_disables_sign_in) {
    start(location("/api/users", as_sara) + page("/admin") + sign_in("/api/auth", "") +
          virtual_host("localhost",
                       "<Location \"/api/auth\">\n  AuthUserAdminSignIn Off\n</Location>\n"));
    CHECK_EQUAL(std::string(), data_attribute("/admin", "sign-in"));
}

TEST(console, links_to_UserAdminConsoleSignIn_instead) {
    start(location("/api/users", as_sara) + sign_in("/api/auth", "") +
          page("/admin", "  UserAdminConsoleSignIn \"/sign-in?a=1&b=\\\"<x>\"\n"));
    CHECK_EQUAL(std::string(), data_attribute("/admin", "sign-in"));
    CHECK_EQUAL(std::string("/sign-in?a=1&amp;b=&quot;&lt;x>"),
                data_attribute("/admin", "sign-in-page"));
}

TEST(console, has_the_title_logo_and_accent_of_the_configuration) {
    const std::filesystem::path logo = Suite::current().work().make("logo") / "logo.svg";
    write_file(logo, "<svg xmlns='http://www.w3.org/2000/svg'/>");
    start(location("/api/users", as_sara) +
          page("/admin", "  UserAdminConsoleTitle \"A & \\\"B\\\" <C>\"\n"
                         "  UserAdminConsoleLogo " +
                             logo.string() +
                             "\n"
                             "  UserAdminConsoleAccent \"#0A5C48\"\n"));
    CHECK_EQUAL(std::string("A &amp; &quot;B&quot; &lt;C>"), data_attribute("/admin", "title"));
    CHECK_EQUAL(std::string("data:image/svg+xml;base64,"
                            "PHN2ZyB4bWxucz0naHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmcnLz4="),
                data_attribute("/admin", "logo"));
    const Response response = get_page("/admin");
    const std::string style = between(response.body, "<style>", "</style>").value_or("");
    STRCMP_CONTAINS(":root{--accent:#0a5c48;", style.c_str());
    STRCMP_CONTAINS(("style-src " + hash_source(style)).c_str(),
                    response.header("Content-Security-Policy").value_or("").c_str());
}

TEST(console, escapes_a_base_address_that_contains_markup) {
    start(location("/a'b&<c> d/users", as_sara) + page("/admin"));
    const std::string base = data_attribute("/admin", "base");
    for (const char character : {'<', '>', ' ', '"'})
        CHECK(base.find(character) == std::string::npos);
    STRCMP_CONTAINS("/users", base.c_str());
}

TEST(console, names_the_caller) {
    start(location("/api/users", "AuthUserAdmin On\nUserAdminProtectedEmail jefa@example.org") +
          location("/strict/users",
                   "AuthUserAdmin On\nUserAdminGuard rank\nUserAdminEmailCase lower") +
          page("/api/users/console") + page("/strict/users/console"));
    const std::string path = "/api/users/console";
    CHECK_EQUAL(std::string("null"), displayed_caller({}, path));
    CHECK_EQUAL(std::string("null"),
                displayed_caller({"Authorization: Bearer nobodys-token"}, path));
    CHECK_EQUAL(std::string(R"({"id":"ulises-1","role":"user"})"),
                displayed_caller({bearer(Caller::user)}, path));
    CHECK_EQUAL(std::string(R"({"id":"ada-1","role":"admin","rank":false})"),
                displayed_caller({bearer(Caller::admin)}, path));
    CHECK_EQUAL(std::string(R"({"id":"ada-1","role":"admin","rank":true})"),
                displayed_caller({bearer(Caller::admin)}, "/strict/users/console"));
    CHECK_EQUAL(std::string(R"({"id":"sara-1","role":"superAdmin",)"
                            R"("protectedEmail":"jefa@example.org","lowersEmail":false})"),
                displayed_caller({bearer(Caller::super_admin)}, path));
    STRCMP_CONTAINS(
        R"("lowersEmail":true)",
        displayed_caller({bearer(Caller::super_admin)}, "/strict/users/console").c_str());
}

TEST(console, names_the_caller_in_another_Location) {
    start(location("/api/users", "AuthUserAdmin On") + page("/admin"));
    CHECK_EQUAL(std::string("null"), displayed_caller({}));
    CHECK_EQUAL(std::string(R"({"id":"ulises-1","role":"user"})"),
                displayed_caller({bearer(Caller::user)}));
    CHECK_EQUAL(std::string(R"({"id":"ada-1","role":"admin","rank":false})"),
                displayed_caller({bearer(Caller::admin)}));
}

TEST(console, identifies_the_caller_as_the_service_does) {
    start(location("/api/users", "UserAdminSession \"%{req:X-Id}\" \"%{req:X-Role}\"") +
          page("/admin"));
    CHECK_EQUAL(std::string(R"({"id":"a\"b","role":"user"})"), displayed_caller({"X-Id: a\"b"}));
    CHECK_EQUAL(std::string(R"({"id":"x","role":"admin","rank":false})"),
                displayed_caller({"X-Id: x", "X-Role: admin"}));
}

TEST(console, returns_500_if_several_services_match) {
    expect_log("UA0217: useradmin-console: this virtual host has ");
    start(location("/a/users", as_sara) + location("/b/users", as_sara) + page("/admin"));
    CHECK_EQUAL(500, get_page("/admin").status);
}

} // namespace useradmin::test
