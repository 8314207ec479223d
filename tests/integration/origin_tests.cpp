// Browser requests from pages of other origins.
#include "own_httpd.hpp"

namespace useradmin::test {

namespace {

constexpr const char* new_admin =
    R"({"name":"Mal","email":"mal@example.org","password":"clave","role":"superAdmin"})";
constexpr std::string_view trusted = "https://app.example.org";

} // namespace

class Origins : public Scene {
  protected:
    /// Sends the request of a page over a new connection.
    static Response send(const std::string& line, const std::vector<std::string>& headers,
                         const std::string& body = "", SourceLocation where = {}) {
        std::string bytes = line + " HTTP/1.1\r\nConnection: close\r\n";
        for (const auto& header : headers)
            bytes += header + "\r\n";
        if (!body.empty())
            bytes += "Content-Length: " + std::to_string(body.size()) + "\r\n";
        return exchange(bytes + "\r\n" + body, where);
    }
    static std::string cookie() {
        return "Cookie: better-auth.session_token=" + token_of(Caller::super_admin);
    }

    static void expect_readable(const Response& response, int status, SourceLocation where = {}) {
        const bool is_readable = response.status == status &&
                                 response.header("Access-Control-Allow-Origin") == trusted &&
                                 response.header("Access-Control-Allow-Credentials") == "true" &&
                                 response.header("Vary") == "Origin";
        if (!is_readable)
            fail(response, "expected: " + std::to_string(status) + ", readable", where);
        UtestShell::getCurrent()->countCheck();
    }
};

TEST_GROUP_BASE(origins, Origins){};

TEST(origins, trusted_origins_send_requests_and_read_every_response) {
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
    // Errors of httpd before and after it has found the Location.
    expect_readable(send("GET " + base + "/a%2Fb", signed_in), 404);
    expect_readable(send("GET /trusting/denied/users", signed_in), 403);
}

TEST_GROUP_BASE(origins_and_other_modules, OwnHttpd){};

TEST(origins_and_other_modules, both_set_Vary_in_an_error_at_sign_in) {
    expect_log("AH01630"); // httpd: denied by server configuration
    start("Header always set Vary X-Tenant early\n"
          "<Location \"/api/auth\">\n  AuthUserAdminSignIn On\n"
          "  UserAdminTrustedOrigin https://app.example.org\n  Require all denied\n</Location>\n",
          {"mod_headers.so"});
    CHECK_EQUAL(std::string("X-Tenant,Origin"),
                client_->send({"POST", "/api/auth/sign-out"}).value("Vary"));
}

} // namespace useradmin::test
