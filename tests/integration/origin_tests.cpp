// What browsers send for pages, of this server's origin and of others.
#include "scene.hpp"

namespace useradmin::test {

namespace {

constexpr const char* refusal = "Origen no permitido";
constexpr const char* new_admin =
    R"({"name":"Mal","email":"mal@example.org","password":"clave","role":"superAdmin"})";
constexpr std::string_view trusted = "https://app.example.org";

} // namespace

TEST_GROUP_BASE(origins, Scene){
    /// What a page sends, over a connection of its own.
    static Reply send(const std::string& line, const std::vector<std::string>& headers,
                      const std::string& body = "", SourceLocation where = {}){
        std::string bytes = line + " HTTP/1.1\r\nConnection: close\r\n";
for (const auto& header : headers)
    bytes += header + "\r\n";
if (!body.empty())
    bytes += "Content-Length: " + std::to_string(body.size()) + "\r\n";
return exchange(bytes + "\r\n" + body, where);
} // namespace useradmin::test
static std::string cookie() {
    return "Cookie: better-auth.session_token=" + token_of(Caller::super_admin);
}

static void expect_readable(const Reply& reply, int status, SourceLocation where = {}) {
    const bool is_readable = reply.status == status &&
                             reply.header("Access-Control-Allow-Origin") == trusted &&
                             reply.header("Access-Control-Allow-Credentials") == "true" &&
                             reply.header("Vary") == "Origin";
    if (!is_readable)
        fail(reply, "expected: " + std::to_string(status) + ", readable", where);
    UtestShell::getCurrent()->countCheck();
}
static void expect_unreadable(const Reply& reply, SourceLocation where = {}) {
    for (const auto& [name, value] : reply.headers)
        if (name.starts_with("Access-Control"))
            fail(reply, "a page of another origin may read it", where);
    UtestShell::getCurrent()->countCheck();
}
}
;

TEST(origins, of_others_make_no_user_by_a_form_with_the_session_s_cookie) {
    for (const char* mark :
         {"Origin: https://evil.example", "Origin: null", "Origin: http://localhost:8081",
          "Origin: http://sub.localhost", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site",
          "Origin: http://localhost\r\nSec-Fetch-Site: same-site"}) {
        const auto reply =
            send("POST /api/users", {"Host: localhost", mark, "Content-Type: text/plain", cookie()},
                 new_admin);
        expect_error(reply, 403, refusal);
        expect_unreadable(reply);
    }
    CHECK_EQUAL(3, count("user"));
}

TEST(origins, of_others_change_nothing_with_Basic_either) {
    // What the browser sends by itself is for another module; the service takes its word.
    const auto reply =
        send("POST /headers/users",
             {"Host: localhost", "Origin: https://evil.example",
              "Authorization: Basic c2FyYTpzM2NyM3Q=", "X-Id: sara-1", "X-Role: superAdmin"},
             new_admin);
    expect_error(reply, 403, refusal);
    CHECK_EQUAL(3, count("user"));
}

TEST(origins, of_others_are_told_before_the_session_and_the_body) {
    for (const char* line : {"POST /api/users", "PUT /api/users/ulises-1",
                             "DELETE /api/users/ulises-1", "DELETE /api/users/a/b"})
        expect_error(send(line, {"Host: localhost", "Origin: https://evil.example"}), 403, refusal);
    expect_error(send("PUT /api/users", {"Host: localhost", "Origin: https://evil.example"}), 405,
                 "Método no permitido");
}

TEST(origins, that_are_the_server_s_own_pass_behind_a_proxy_that_ends_TLS_too) {
    struct Case {
        const char* host;
        const char* origin;
    };
    for (const auto& [host, origin] :
         {Case{"localhost", "http://localhost"}, Case{"localhost", "https://localhost"},
          Case{"localhost:443", "https://localhost"}, Case{"localhost:80", "http://localhost"},
          Case{"localhost:8443", "https://localhost:8443"}}) {
        const auto reply = send("PUT /api/users/ulises-1",
                                {std::string("Host: ") + host, std::string("Origin: ") + origin,
                                 "Sec-Fetch-Site: same-origin", cookie()},
                                R"({"name":"Ulises"})");
        expect_success(reply);
        expect_unreadable(reply);
    }
}

TEST(origins, are_not_asked_for_where_no_browser_sends) {
    expect_success(send("PUT /api/users/ulises-1", {"Host: localhost", cookie()}, "{}"));
    expect_success(send("PUT /api/users/ulises-1",
                        {"Host: localhost", "Sec-Fetch-Site: none", cookie()}, "{}"));
}

TEST(origins, that_are_trusted_send_requests_and_read_every_reply) {
    expect_log("AH01630");
    const std::vector<std::string> page = {"Host: localhost", "Origin: " + std::string(trusted),
                                           "Sec-Fetch-Site: cross-site"};
    auto signed_in = page;
    signed_in.push_back(cookie());
    const std::string base = "/trusting/users";
    expect_readable(send("GET " + base, signed_in), 200);
    expect_readable(send("HEAD " + base, signed_in), 200);
    expect_readable(send("POST " + base, signed_in, new_admin), 200);
    expect_readable(send("DELETE " + base + "/ulises-1", signed_in), 200);
    expect_readable(send("GET " + base + "/none", signed_in), 404);
    expect_readable(send("GET " + base, page), 401);
    expect_readable(send("PUT " + base, signed_in), 405);
    expect_readable(send("POST " + base, signed_in, std::string(1025, 'x')), 413);
    // Errors of httpd, before the Location is known and after.
    expect_readable(send("GET " + base + "/a%2Fb", signed_in), 404);
    expect_readable(send("GET /trusting/denied/users", signed_in), 403);
}

TEST(origins, that_are_trusted_get_their_preflight) {
    for (const auto& [path, methods] :
         {std::pair("/trusting/users", "GET, HEAD, POST, OPTIONS"),
          std::pair("/trusting/users/x", "GET, HEAD, PUT, DELETE, OPTIONS")}) {
        const auto reply = send(std::string("OPTIONS ") + path,
                                {"Host: localhost", "Origin: " + std::string(trusted),
                                 "Access-Control-Request-Method: PUT",
                                 "Access-Control-Request-Headers: content-type"});
        expect_readable(reply, 204);
        CHECK_EQUAL(std::string(methods),
                    reply.header("Access-Control-Allow-Methods").value_or("(none)"));
        CHECK_EQUAL(std::string("Content-Type, Authorization, If-Match, If-None-Match"),
                    reply.header("Access-Control-Allow-Headers").value_or("(none)"));
        CHECK_EQUAL(std::string("7200"), reply.header("Access-Control-Max-Age").value_or("(none)"));
    }
}

TEST(origins, that_are_not_trusted_read_nothing) {
    expect_log("AH01630");
    for (const char* origin :
         {"https://evil.example", "https://app.example.org:8443", "http://app.example.org",
          "https://app.example.org.evil.example", "null"})
        for (const char* line :
             {"GET /trusting/users", "OPTIONS /trusting/users", "POST /trusting/users",
              "GET /trusting/denied/users", "GET /trusting/users/a%2Fb"}) {
            const auto reply =
                send(line, {"Host: localhost", std::string("Origin: ") + origin, cookie()});
            expect_unreadable(reply);
            CHECK_EQUAL(std::string("Origin"), reply.header("Vary").value_or("(none)"));
        }
}

} // namespace useradmin::test
