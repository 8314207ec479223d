// SetHandler useradmin-openapi: the OpenAPI document of the service.
#include "own_httpd.hpp"

namespace useradmin::test {

class OpenApi : public OwnHttpd {
  protected:
    static std::string page(const std::string& path, const std::string& directives = {}) {
        return handler(path, "useradmin-openapi", directives);
    }
    Response document(const std::string& path, const std::vector<std::string>& headers = {},
                      const std::string& method = "GET") {
        return client_->send({method, path, headers});
    }
    /// Returns the base address in the document of a page.
    std::string base_of(const std::string& path, const std::vector<std::string>& headers = {}) {
        const Response response = document(path, headers);
        CHECK_EQUAL(200, response.status);
        CHECK_EQUAL(std::string("application/json"), response.header("Content-Type").value_or(""));
        return between(response.body, R"("servers":[{"url":")", "\"").value_or("(none)");
    }
};

TEST_GROUP_BASE(openapi, OpenApi){};

TEST(openapi, a_page_below_a_base_address_describes_that_service) {
    start(location("/api/users", as_sara) + location("/other/users", as_sara) +
          page("/api/users/openapi.json") + page("/other/users/openapi.json"));
    CHECK_EQUAL(std::string("/api/users"), base_of("/api/users/openapi.json"));
    CHECK_EQUAL(std::string("/other/users"), base_of("/other/users/openapi.json"));
    CHECK_EQUAL(std::string("/other/users"), base_of("/other/users//openapi.json?x=1"));
    // Other paths belong to the service.
    expect_error(send("GET", "/api/users/openapi.jso"), 404, "Usuario no encontrado");
}

TEST(openapi, a_page_elsewhere_describes_the_virtual_hosts_only_service) {
    start(page("/docs/openapi.json") +
          // Two Locations with the same path are one base address.
          virtual_host("localhost", location("/api/users", as_sara) + location("/api/users", "")) +
          virtual_host("other.test",
                       location("/off/users", as_sara) + location("/on/users", as_sara) +
                           "<Location \"/off\">\n  UserAdmin Off\n</Location>\n"
                           "<Location \"/off/users\">\n  UserAdmin Off\n</Location>\n"));
    CHECK_EQUAL(std::string("/api/users"), base_of("/docs/openapi.json"));
    CHECK_EQUAL(std::string("/on/users"), base_of("/docs/openapi.json", {"Host: other.test"}));
}

TEST(openapi, ambiguous_page_returns_500_and_logs_the_remedy) {
    expect_log(
        "UA0217: useradmin-openapi: this virtual host has several Locations with UserAdmin On; "
        "change the path of this Location to a path below one of them, for example "
        "<Location \"/a/users/page\">");
    start(location("/a/users", as_sara) + location("/b/users", as_sara) + page("/openapi.json"));
    CHECK_EQUAL(500, document("/openapi.json").status);
}

TEST(openapi, without_a_service_returns_500_and_logs_the_remedy) {
    expect_log(
        "UA0217: useradmin-openapi: this virtual host has no Location with UserAdmin On; add "
        "one, for example "
        "<Location \"/api/users\">");
    start(page("/openapi.json"));
    CHECK_EQUAL(500, document("/openapi.json").status);
}

TEST(openapi, allows_only_GET_HEAD_and_OPTIONS) {
    start(location("/api/users", as_sara) + page("/api/users/openapi.json") +
          page("/openapi.json"));
    for (const char* path : {"/api/users/openapi.json", "/openapi.json"})
        expect_read_methods_only(path);
}

TEST(openapi, the_document_can_be_read_by_pages_of_trusted_origins) {
    start(location("/api/users", as_sara + "UserAdminTrustedOrigin https://app.example.org\n") +
          page("/openapi.json"));
    const auto allowed_origin = [&](const std::string& origin) {
        return document("/openapi.json", {"Origin: " + origin})
            .header("Access-Control-Allow-Origin")
            .value_or("");
    };
    CHECK_EQUAL(std::string("https://app.example.org"), allowed_origin("https://app.example.org"));
    CHECK_EQUAL(std::string(), allowed_origin("https://stranger.example.org"));
}

TEST(openapi, a_preflight_for_the_document_is_allowed) {
    start(location("/api/users", as_sara + "UserAdminTrustedOrigin https://app.example.org\n") +
          page("/openapi.json") + page("/api/users/openapi.json"));
    for (const char* path : {"/openapi.json", "/api/users/openapi.json"}) {
        const Response response =
            document(path,
                     {"Origin: https://app.example.org", "Access-Control-Request-Method: GET",
                      "Access-Control-Request-Headers: x-api-key"},
                     "OPTIONS");
        CHECK_EQUAL(204, response.status);
        CHECK_EQUAL(std::string("https://app.example.org"),
                    response.value("Access-Control-Allow-Origin"));
        CHECK_EQUAL(std::string("GET, HEAD, OPTIONS"),
                    response.value("Access-Control-Allow-Methods"));
        STRCMP_CONTAINS("x-api-key", response.value("Access-Control-Allow-Headers").c_str());
    }
}

TEST(openapi, a_page_is_guarded_by_Require) {
    start(location("/api/users", as_sara) +
          page("/api/users/openapi.json", "  Require all denied\n"));
    expect_log("AH01630");
    expect_error(send("GET", "/api/users/openapi.json"), 403, "No tienes permisos");
}

TEST(openapi, describes_the_settings_of_its_service) {
    start(location("/api/users", "AuthUserAdmin On\nAuthUserAdminCookie my_session\n"
                                 "AuthUserAdminBearer Off\nUserAdminMaxLimit 7\n"
                                 "UserAdminMaxBody 4321\n") +
          page("/docs/openapi.json", "UserAdminMaxLimit 9\nAuthUserAdmin Off\n") +
          page("/api/users/openapi.json"));
    for (const char* path : {"/docs/openapi.json", "/api/users/openapi.json"}) {
        const std::string text = document(path).body;
        STRCMP_CONTAINS(R"("limit":{"type":"integer","minimum":1,"maximum":7})", text.c_str());
        STRCMP_CONTAINS("At most 4321 bytes.", text.c_str());
        STRCMP_CONTAINS(R"("in":"cookie","name":"my_session")", text.c_str());
        CHECK(text.find("bearer") == std::string::npos);
    }
}

TEST(openapi, does_not_mention_tokens_if_an_expression_identifies_callers) {
    start(location("/api/users", "AuthUserAdmin On\n" + as_sara) + page("/openapi.json"));
    STRCMP_CONTAINS(R"("security":[])", document("/openapi.json").body.c_str());
}

TEST(openapi, returns_304_if_nothing_has_changed) {
    start(location("/api/users", as_sara) + page("/openapi.json") +
              page("/small.json", "  SetOutputFilter DEFLATE\n"),
          {"mod_deflate.so"});
    const std::string tag = document("/openapi.json").value("ETag");
    const Response same = document("/openapi.json", {"If-None-Match: " + tag});
    CHECK_EQUAL(304, same.status);
    CHECK_EQUAL(std::string(), same.body);
    CHECK_EQUAL(200, document("/openapi.json", {R"(If-None-Match: "another")"}).status);
    // mod_deflate adds a suffix to the ETag.
    const std::string compressed = "Accept-Encoding: gzip";
    const std::string small = document("/small.json", {compressed}).value("ETag");
    STRCMP_CONTAINS("-gzip\"", small.c_str());
    CHECK_EQUAL(304, document("/small.json", {compressed, "If-None-Match: " + small}).status);
}

TEST(openapi, returns_412_if_If_Match_does_not_match) {
    start(location("/api/users", as_sara) + page("/openapi.json"));
    const std::string tag = document("/openapi.json").value("ETag");
    CHECK_EQUAL(200, document("/openapi.json", {"If-Match: " + tag}).status);
    CHECK_EQUAL(412, document("/openapi.json", {R"(If-Match: "another")"}).status);
    // mod_deflate adds a suffix to the ETag.
    const std::string compressed = tag.substr(0, tag.size() - 1) + "-gzip\"";
    CHECK_EQUAL(200, document("/openapi.json", {"If-Match: " + compressed}).status);
}

TEST(openapi, returns_an_envelope_if_the_table_is_missing) {
    expect_log("UA0103");
    make_database();
    own_->sql().run("ALTER TABLE \"user\" RENAME TO \"users\"");
    start(location("/api/users", as_sara) + page("/openapi.json"));
    expect_error(document("/openapi.json"), 500, "Error al describir la interfaz");
}

} // namespace useradmin::test
