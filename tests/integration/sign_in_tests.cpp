// Stand-alone sign-in: the same responses as better-auth 1.6 and 1.7.
#include "scene.hpp"

#include <regex>

namespace useradmin::test {

namespace {

constexpr const char* wrong_credentials =
    R"({"message":"Invalid email or password","code":"INVALID_EMAIL_OR_PASSWORD"})";
constexpr const char* cleared =
    "better-auth.session_token=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax\n"
    "better-auth.session_data=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax\n"
    "better-auth.dont_remember=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax\n";

std::string error_json(const std::string& message, const std::string& code) {
    return R"({"message":")" + message + R"(","code":")" + code + R"("})";
}

/// Returns the values of the Set-Cookie headers, one per line.
std::string cookies_of(const Response& response) {
    std::string lines;
    for (const auto& [name, value] : response.headers)
        if (name == "Set-Cookie")
            lines += value + "\n";
    return lines;
}

std::string token_in(const Response& response) {
    return text_member(response, "token");
}

/// Signs the token with the secret of the Locations below /signed.
std::string signed_token(const std::string& token) {
    return test::signed_token(token, secret);
}

} // namespace

TEST_GROUP_BASE(sign_in, Scene) {
    std::string id_; ///< Eva's id

    void setup() override {
        Scene::setup();
        id_ = add_eva();
    }

    static Response send(const std::string& method, const std::string& path,
                         const std::optional<std::string>& body = {},
                         const std::vector<std::string>& headers = {}, SourceLocation where = {}) {
        auto response = Suite::current().client().send({method, path, headers, body}, where);
        if (contains_secret(response.text()))
            fail(response, "a secret is in the response", where);
        if (response.header("Cache-Control") != "no-store")
            fail(response, "the response lacks Cache-Control: no-store", where);
        if (response.header("X-Content-Type-Options") != "nosniff")
            fail(response, "the response lacks X-Content-Type-Options: nosniff", where);
        if (response.status != 204 && response.header("Content-Type") != "application/json")
            fail(response, "the response is not application/json", where);
        return response;
    }

    static Response sign_in_at(const std::string& base, const std::string& body,
                               const std::vector<std::string>& headers = {},
                               SourceLocation where = {}) {
        return send("POST", base + "/sign-in/email", body, headers, where);
    }
    static Response sign_in(const std::string& body, const std::vector<std::string>& headers = {},
                            SourceLocation where = {}) {
        return sign_in_at("/api/auth", body, headers, where);
    }
    static Response get_session(const std::vector<std::string>& headers = {},
                                const std::string& query = "", SourceLocation where = {}) {
        return send("GET", "/api/auth/get-session" + query, {}, headers, where);
    }
    static Response sign_out(const std::vector<std::string>& headers, SourceLocation where = {}) {
        return send("POST", "/api/auth/sign-out", "{}", headers, where);
    }

    static std::string cookie(const std::string& token) {
        return "Cookie: better-auth.session_token=" + token;
    }
    static std::string own_origin() {
        return "http://127.0.0.1:" + std::to_string(Suite::current().httpd().port());
    }
    static std::string own_origin_header() {
        return "Origin: " + own_origin();
    }

    /// Returns Eva's row in better-auth's format.
    std::string eva_json() const {
        const auto created =
            between(get(Caller::super_admin, "/api/users/" + id_).body, R"("createdAt":")", "\"");
        return R"({"id":")" + id_ +
               R"(","name":"Eva","email":"eva@example.org","role":"user","emailVerified":true,)"
               R"("image":null,"createdAt":")" +
               *created + R"(","updatedAt":")" + *created +
               R"(","banned":false,"banReason":null,"banExpires":null})";
    }

    /// Adds a session for Eva, created on 1 January 2026.
    void add_session_until(const std::string& token, const std::string& expires_at) const {
        add_session(token, id_, expires_at);
    }

    static std::string expiry_of(const std::string& token) {
        const auto response = get_session({cookie(token)}, "?disableRefresh=true");
        return between(response.body, R"("expiresAt":")", "\"").value_or("(none)");
    }
};

TEST(sign_in, with_the_correct_password_returns_token_and_user) {
    const auto response = sign_in(sign_in_body(eva, right_password));
    const auto token = token_in(response);
    CHECK_TRUE(std::regex_match(token, std::regex("[A-Za-z0-9]{32}")));
    expect(response, 200,
           R"({"redirect":false,"token":")" + token + R"(","user":)" + eva_json() + "}");
}

TEST(sign_in, with_a_secret_signs_the_cookie) {
    const auto response = sign_in_at("/signed/auth", sign_in_body(eva, right_password));
    CHECK_EQUAL("better-auth.session_token=" + component_encoded(signed_token(token_in(response))) +
                    "; Max-Age=604800; Path=/; HttpOnly; SameSite=Lax\n",
                cookies_of(response));
    const auto cookie = between(cookies_of(response), "", ";");
    expect_success(ask(Caller::nobody, "GET", "/signed/users/" + id_, {}, {"Cookie: " + *cookie}));
    expect_error(ask(Caller::nobody, "GET", "/signed/users/" + id_, {},
                     {"Cookie: better-auth.session_token=" + token_in(response)}),
                 401, "No autorizado");
}

TEST(sign_in, AuthUserAdminCookie_names_the_cookies) {
    const auto own =
        sign_in_at("/cookie/auth", sign_in_body(eva, right_password, R"(,"rememberMe":false)"));
    CHECK_EQUAL("my_session=" + token_in(own) + "; Path=/; HttpOnly; SameSite=Lax\n" +
                    "better-auth.dont_remember=true; Path=/; HttpOnly; SameSite=Lax\n",
                cookies_of(own));
    const auto prefixed =
        sign_in_at("/prefix/auth", sign_in_body(eva, right_password, R"(,"rememberMe":false)"));
    CHECK_EQUAL("mine.session_token=" + token_in(prefixed) + "; Path=/; HttpOnly; SameSite=Lax\n" +
                    "mine.dont_remember=true; Path=/; HttpOnly; SameSite=Lax\n",
                cookies_of(prefixed));
}

TEST(sign_in, stores_up_to_512_bytes_of_a_User_Agent_in_UTF8) {
    const auto stored = [&](const std::string& user_agent) {
        const auto token =
            token_in(sign_in(sign_in_body(eva, right_password), {"User-Agent: " + user_agent}));
        return sql()
            .value("SELECT \"userAgent\" FROM \"session\" WHERE \"token\" = " + sql_literal(token))
            .value();
    };
    CHECK_EQUAL(std::string(511, 'b'), stored(std::string(511, 'b') + "\xc3\xb1"));
    CHECK_EQUAL(std::string(), stored("a\xff"));
}

TEST(sign_in, returns_the_token_in_set_auth_token) {
    const auto response = sign_in_at("/signed/auth", sign_in_body(eva, right_password));
    CHECK_EQUAL(component_encoded(signed_token(token_in(response))),
                response.value("set-auth-token"));
    CHECK_EQUAL(std::string("set-auth-token"), response.value("Access-Control-Expose-Headers"));
    expect_success(ask(Caller::nobody, "GET", "/signed/users/" + id_, {},
                       {"Authorization: Bearer " + *response.header("set-auth-token")}));
    CHECK_FALSE(sign_in_at("/bearerless/auth", sign_in_body(eva, right_password))
                    .header("set-auth-token")
                    .has_value());
}

TEST(sign_in, failures_are_the_same_401_and_logged_with_the_reason) {
    expect_log("UA0315: sign-in as 'eva@example.org' failed: the password is wrong");
    expect_log("UA0315: sign-in as 'nobody@example.org' failed: there is no such account");
    for (const char* password : {"", "s3cr3t of ev", "s3cr3t of eva ", "S3cr3t of eva"})
        expect(sign_in(sign_in_body(eva, password)), 401, wrong_credentials);
    expect(sign_in(sign_in_body("nobody@example.org", right_password)), 401, wrong_credentials);
    CHECK_EQUAL(3, count("session"));
}

TEST(sign_in, with_any_body_but_a_JSON_object_returns_400) {
    for (const char* body : {"{", "nonsense", "[", "[1,]", "{\"email\":\"\\u0000\"}"})
        expect(sign_in(body), 400, error_json("Invalid JSON in request body", "BAD_REQUEST"));
    for (const auto& [body, kind] :
         {std::pair("[]", "array"), std::pair("[{}]", "array"), std::pair("null", "null"),
          std::pair("1", "number"), std::pair("\"x\"", "string"), std::pair("true", "boolean"),
          std::pair("", "undefined")})
        expect(sign_in(body), 400,
               error_json(std::string("[body] Invalid input: expected object, received ") + kind,
                          "VALIDATION_ERROR"));
}

TEST(sign_in, with_a_member_of_another_type_returns_400) {
    const auto type_error = [](const std::string& member, const std::string& wanted,
                               const std::string& is) {
        return "[body." + member + "] Invalid input: expected " + wanted + ", received " + is;
    };
    const std::string password = type_error("password", "string", "undefined");
    const std::pair<const char*, std::string> bodies[] = {
        {"{}", type_error("email", "string", "undefined") + "; " + password},
        {R"({"email":1})", type_error("email", "string", "number") + "; " + password},
        {R"({"email":"a@b.co"})", password},
        {R"({"email":null,"password":""})", type_error("email", "string", "null")},
        {R"({"email":"a@b.co","password":true})", type_error("password", "string", "boolean")},
        {R"({"email":"a@b.co","password":{}})", type_error("password", "string", "object")},
        {R"({"email":"a@b.co","password":"x","rememberMe":"yes"})",
         type_error("rememberMe", "boolean", "string")},
        {R"({"email":"a@b.co","password":"x","rememberMe":null})",
         type_error("rememberMe", "boolean", "null")},
        {R"({"email":"a@b.co","password":"x","callbackURL":null})",
         type_error("callbackURL", "string", "null")},
    };
    for (const auto& [body, message] : bodies)
        expect(sign_in(body), 400, error_json(message, "VALIDATION_ERROR"));
    expect(sign_in(R"({"email":true,"password":"x","callbackURL":2})"), 400,
           R"({"message":"Invalid callbackURL: expected a string"})");
}

TEST(sign_in, accepts_addresses_that_better_auth_rejects) {
    for (const char* email :
         {"admin@localhost", "root@intranet", "jos\xc3\xa9@example.com", "a&b@example.com"}) {
        ask(Caller::super_admin, "POST", "/cheap/users", user_json(email));
        CHECK_EQUAL(200, sign_in(sign_in_body(email, right_password)).status);
    }
}

TEST(sign_in, with_a_malformed_address_returns_401_and_is_logged) {
    for (const char* shown : {"no address", "?nul"})
        expect_log("UA0315: sign-in as '" + std::string(shown) +
                   "' failed: there is no such account");
    for (const char* email : {"no address", "", "@", "a@b@c.co"})
        expect(sign_in(sign_in_body(email, right_password)), 401, wrong_credentials);
    for (const char* email : {"%00nul", "%FF%40b.co"})
        expect(sign_in("email=" + std::string(email) + "&password=x",
                       {"Content-Type: application/x-www-form-urlencoded"}),
               401, wrong_credentials);
}

TEST(sign_in, accepts_a_form_too) {
    const std::string form = "Content-Type: application/x-www-form-urlencoded";
    const auto response = sign_in("email=eva%40example.org&password=s3cr3t+of+eva", {form});
    CHECK_EQUAL(200, response.status);
    expect(sign_in("email=eva%40example.org", {form}), 400,
           error_json("[body.password] Invalid input: expected string, received undefined",
                      "VALIDATION_ERROR"));
    expect(sign_in("email=eva%40example.org&password=x&rememberMe=false", {form}), 400,
           error_json("[body.rememberMe] Invalid input: expected boolean, received string",
                      "VALIDATION_ERROR"));
}

TEST(sign_in, accepts_a_byte_order_mark) {
    const std::string mark = "\xef\xbb\xbf";
    CHECK_EQUAL(200, sign_in(mark + sign_in_body(eva, right_password)).status);
    expect(sign_in(mark + mark + sign_in_body(eva, right_password)), 400,
           error_json("Invalid JSON in request body", "BAD_REQUEST"));
}

TEST(sign_in, with_another_content_type_returns_415) {
    CHECK_EQUAL(200, sign_in(sign_in_body(eva, right_password),
                             {"Content-Type: Application/JSON ; charset=utf-8"})
                         .status);
    expect(sign_in(sign_in_body(eva, right_password), {"Content-Type: text/plain"}), 415,
           error_json(R"(Content-Type \"text/plain\" is not allowed. Allowed types: )"
                      "application/x-www-form-urlencoded, application/json",
                      "UNSUPPORTED_MEDIA_TYPE"));
    expect(sign_in(sign_in_body(eva, right_password), {"Content-Type:"}), 415,
           error_json("Content-Type is required. Allowed types: application/x-www-form-urlencoded, "
                      "application/json",
                      "UNSUPPORTED_MEDIA_TYPE"));
}

TEST(sign_in, with_a_body_over_64_KiB_returns_413) {
    expect(sign_in(sign_in_body(eva, std::string(65536, 'x'))), 413,
           error_json("Request body too large", "PAYLOAD_TOO_LARGE"));
    expect(sign_in(sign_in_body(eva, std::string(65000, 'x'))), 400,
           error_json("Password too long", "PASSWORD_TOO_LONG"));
}

TEST(sign_in, with_a_callbackURL_of_the_same_origin_redirects_to_it) {
    const auto where = own_origin();
    for (const std::string& url :
         {std::string("/dash?x=1#y"), where, where + "/dash", where + "?x"}) {
        const auto response =
            sign_in(sign_in_body(eva, right_password, R"(,"callbackURL":")" + url + "\""));
        expect(response, 200,
               R"({"redirect":true,"token":")" + token_in(response) + R"(","url":")" + url +
                   R"(","user":)" + eva_json() + "}");
        CHECK_EQUAL(url, response.value("Location"));
    }
    const auto empty = sign_in(sign_in_body(eva, right_password, R"(,"callbackURL":"")"));
    CHECK_TRUE(empty.body.starts_with(R"({"redirect":false,)"));
    CHECK_FALSE(empty.header("Location").has_value());
}

TEST(sign_in, with_a_callbackURL_of_another_site_returns_403) {
    const auto where = own_origin();
    for (const std::string& url :
         {std::string("http://evil.test/"), std::string("//evil.test"), std::string("dash"),
          std::string("javascript:alert(1)"), std::string("/\\\\evil.test"),
          std::string("/%2fevil.test"), std::string("/a%5Cb"), std::string("/\\t/evil.test"),
          where + "@evil.test/", where + "0/", where + ".evil.test", where + "\\\\@evil.test"})
        expect(sign_in(sign_in_body(eva, right_password, R"(,"callbackURL":")" + url + "\"")), 403,
               error_json("Invalid callbackURL", "INVALID_CALLBACK_URL"));
    CHECK_EQUAL(3, count("session"));
}

TEST(sign_in, from_a_trusted_origin_succeeds_and_can_be_read) {
    const auto body =
        sign_in_body(eva, right_password, R"(,"callbackURL":"https://app.example.org/in")");
    const std::vector<std::string> headers = {"Origin: https://app.example.org", "Cookie: a=b",
                                              "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: cors"};
    const auto response = sign_in_at("/trusting/auth", body, headers);
    CHECK_EQUAL(200, response.status);
    CHECK_EQUAL(std::string("https://app.example.org/in"), response.value("Location"));
    for (const auto& readable :
         {response, send("OPTIONS", "/trusting/auth/sign-in/email", {}, headers),
          send("POST", "/trusting/auth/sign-out", "{}", headers),
          send("GET", "/trusting/auth/none", {}, headers)}) {
        CHECK_EQUAL(std::string("https://app.example.org"),
                    readable.value("Access-Control-Allow-Origin"));
        CHECK_EQUAL(std::string("true"), readable.value("Access-Control-Allow-Credentials"));
        CHECK_EQUAL(std::string("Origin"), readable.value("Vary"));
    }
    // Errors of httpd itself, without and with an ErrorDocument.
    expect_log("AH01630");
    for (const char* path : {"/trusting/denied/auth/sign-out", "/document/auth/sign-out"}) {
        const auto denied = Suite::current().client().send({"POST", path, headers, "{}"});
        CHECK_EQUAL(403, denied.status);
        CHECK_EQUAL(std::string("https://app.example.org"),
                    denied.value("Access-Control-Allow-Origin"));
    }
    expect(sign_in_at("/trusting/auth", body, {"Origin: https://evil.test"}), 403,
           error_json("Invalid origin", "INVALID_ORIGIN"));
    expect(sign_in(body), 403, error_json("Invalid callbackURL", "INVALID_CALLBACK_URL"));
}

TEST(sign_in, by_another_method_returns_405_with_Allow) {
    const auto not_allowed = error_json("Method not allowed", "METHOD_NOT_ALLOWED");
    for (const char* method : {"GET", "PUT", "DELETE", "PATCH"})
        for (const char* path : {"/api/auth/sign-in/email", "/api/auth/sign-out"}) {
            const auto response = send(method, path);
            expect(response, 405, not_allowed);
            CHECK_EQUAL(std::string("POST, OPTIONS"), response.value("Allow"));
        }
    for (const char* method : {"PUT", "DELETE", "PATCH"})
        expect(send(method, "/api/auth/get-session"), 405, not_allowed);
    const auto response = send("POST", "/api/auth/get-session", "{}");
    expect(response, 405,
           error_json("POST method requires deferSessionRefresh to be enabled in session config",
                      "METHOD_NOT_ALLOWED_DEFER_SESSION_REQUIRED"));
    CHECK_EQUAL(std::string("GET, HEAD, OPTIONS"), response.value("Allow"));
}

TEST(sign_in, answers_OPTIONS_with_Allow) {
    const auto response = send("OPTIONS", "/api/auth/sign-in/email");
    CHECK_EQUAL(204, response.status);
    CHECK_EQUAL(std::string("POST, OPTIONS"), response.value("Allow"));
}

TEST(sign_in, on_another_path_returns_404) {
    for (const char* path : {"", "/", "/sign-in", "/sign-in/email/", "/sign-in/social",
                             "/get-session/", "/sign-up/email", "/Get-Session"})
        for (const char* method : {"GET", "POST"})
            expect(send(method, "/api/auth" + std::string(path)), 404,
                   error_json("Not found", "NOT_FOUND"));
}

TEST(sign_in, with_repeated_slashes_and_MergeSlashes_Off_returns_404) {
    for (const char* path : {"/api//auth/sign-in/email", "/api/auth//sign-in/email"})
        expect(send("POST", path, sign_in_body(eva, right_password), {"Host: slashes.test"}), 404,
               error_json("Not found", "NOT_FOUND"));
}

TEST(sign_in, get_session_returns_session_and_user) {
    const auto token =
        token_in(sign_in(sign_in_body(eva, right_password), {"User-Agent: Browser/1"}));
    const auto response = get_session({cookie(token)});
    const auto created = between(response.body, R"("createdAt":")", "\"").value_or("(none)");
    const auto id =
        sql().value("SELECT \"id\" FROM \"session\" WHERE \"token\" = " + sql_literal(token));
    expect(
        response, 200,
        R"({"session":{"id":")" + *id + R"(","token":")" + token + R"(","userId":")" + id_ +
            R"(","expiresAt":")" + expiry_of(token) + R"(","createdAt":")" + created +
            R"(","updatedAt":")" + created +
            R"(","ipAddress":"127.0.0.1","userAgent":"Browser/1","impersonatedBy":null},"user":)" +
            eva_json() + "}");
    CHECK_EQUAL(std::string(), cookies_of(response));
    CHECK_EQUAL(std::string("no-cache"), response.value("Pragma"));
    CHECK_EQUAL(response.body, get_session({"Authorization: Bearer " + token}).body);
    CHECK_EQUAL(200, send("HEAD", "/api/auth/get-session", {}, {cookie(token)}).status);
}

TEST(sign_in, get_session_with_a_secret_accepts_only_signed_tokens) {
    const auto token = token_in(sign_in_at("/signed/auth", sign_in_body(eva, right_password)));
    const std::string path = "/signed/auth/get-session";
    CHECK_TRUE(send("GET", path, {}, {cookie(component_encoded(signed_token(token)))})
                   .body.starts_with(R"({"session":{)"));
    for (const std::string& other :
         {token, token + ".", token + ".AAAA", "x" + signed_token(token), signed_token("true")})
        expect(send("GET", path, {}, {cookie(component_encoded(other))}), 200, "null");
}

TEST(sign_in, get_session_with_disableRefresh_or_dont_remember_extends_nothing) {
    const auto expires_at = current_time(12);
    add_session_until("old", expires_at);
    get_session({cookie("old") + "; better-auth.dont_remember=true"});
    CHECK_EQUAL(expires_at, expiry_of("old"));
    // If a secret is set, an unsigned cookie is ignored.
    send("GET", "/signed/auth/get-session", {},
         {cookie(component_encoded(signed_token("old"))) +
          "; better-auth.dont_remember=" + component_encoded(signed_token("true"))});
    CHECK_EQUAL(expires_at, expiry_of("old"));
    send("GET", "/signed/auth/get-session", {},
         {cookie(component_encoded(signed_token("old"))) + "; better-auth.dont_remember=true"});
    CHECK_TRUE(expires_at < expiry_of("old"));
}

TEST(sign_in, sign_out_ends_the_session_and_its_cookies) {
    const auto token = token_in(sign_in(sign_in_body(eva, right_password)));
    const auto response = sign_out({cookie(token), own_origin_header()});
    expect(response, 200, R"({"success":true})");
    CHECK_EQUAL(std::string(cleared), cookies_of(response));
    CHECK_EQUAL(3, count("session"));
    expect_error(ask(Caller::nobody, "GET", "/api/users/" + id_, {}, {cookie(token)}), 401,
                 "No autorizado");
}

} // namespace useradmin::test
