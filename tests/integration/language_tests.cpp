// Errors and messages in Spanish, English or the language that the client prefers
// (UserAdminLanguage).
#include "own_httpd.hpp"

#include <algorithm>

namespace useradmin::test {

class Language : public OwnHttpd {
  protected:
    /// Sends raw bytes to the httpd of this test.
    Response send_raw(const std::string& bytes) {
        const RawConnection connection(httpd_->port());
        CHECK(connection.send(bytes));
        const Response response = parse_response(connection.receive_all());
        check_response(response);
        return response;
    }

    static std::string page(const std::string& service) {
        return handler(service + "/openapi.json", "useradmin-openapi");
    }

    static void expect_error_in(const char* language, const Response& response, int status,
                                std::string_view text, SourceLocation where = {}) {
        expect_error(response, status, text, where);
        if (response.value("Content-Language") != language)
            fail(response, std::string("Content-Language is not ") + language, where);
    }
};

TEST_GROUP_BASE(language, Language){};

TEST(language, applies_to_errors_of_the_service_and_of_httpd) {
    start(location("/en/users", as_sara + "UserAdminLanguage en\n") +
          location("/any/users", as_sara + "UserAdminLanguage accept\n"));
    const struct {
        const char* path;
        int status;
        const char* english;
        const char* spanish;
        const char* headers = "";
    } cases[] = {
        {"/users/unknown", 404, "This user does not exist.", "Usuario no encontrado"},
        // httpd rejects these before it looks for the Location.
        {"/users", 417, "The request is not valid.", "Petición incorrecta", "Expect: magic\r\n"},
        {"/users", 400, "The request is not valid.", "Petición incorrecta", "no colon\r\n"},
    };
    for (const auto& each : cases) {
        const auto send_to = [&](const std::string& folder, const std::string& preferred) {
            return send_raw("GET " + folder + each.path +
                            " HTTP/1.1\r\nHost: localhost\r\nAccept-Language: " + preferred +
                            "\r\nConnection: close\r\n" + each.headers + "\r\n");
        };
        expect_error_in("en", send_to("/en", "es"), each.status, each.english);
        const Response english = send_to("/any", "fr, en");
        expect_error_in("en", english, each.status, each.english);
        CHECK_EQUAL(std::string("Accept-Language"), english.value("Vary"));
        expect_error_in("es", send_to("/any", "es"), each.status, each.spanish);
    }
    // httpd reads no header after one that it rejects.
    expect_error_in("es",
                    send_raw("GET /any/users HTTP/1.1\r\nHost: localhost\r\nno colon\r\n"
                             "Accept-Language: en\r\n\r\n"),
                    400, "Petición incorrecta");
}

TEST(language, several_headers_are_read_as_one_list) {
    start(location("/api/users", as_sara + "UserAdminLanguage accept\n"));
    const Response response = client_->send(
        {"GET",
         "/api/users/unknown",
         {"Accept-Language: fr;q=0.9", "Accept-Language: es;q=0.1", "Accept-Language: en;q=0.2"}});
    expect_error_in("en", response, 404, "This user does not exist.");
}

TEST(language, is_added_to_an_existing_Vary) {
    start("<If \"req('X-Tenant') == 'none'\">\nRequire all denied\n</If>\n" +
          location("/api/users", as_sara + "UserAdminLanguage accept\n"
                                           "UserAdminTrustedOrigin https://app.example.org\n"));
    for (const char* path : {"/api/users", "/api/users/unknown"}) {
        const Response response = client_->send({"GET", path});
        const std::string all = response.value("Vary");
        for (const char* name : {"X-Tenant", "Accept-Language", "Origin"})
            STRCMP_CONTAINS(name, all.c_str());
        CHECK_EQUAL(1, std::count_if(response.headers.begin(), response.headers.end(),
                                     [](const auto& each) { return each.first == "Vary"; }));
    }
}

TEST(language, OpenAPI_document_is_in_the_language_of_the_service) {
    start(location("/en", as_sara + "UserAdminLanguage en\n") + page("/en") +
          location("/any", as_sara + "UserAdminLanguage accept\n") + page("/any"));
    const Response english = client_->send({"GET", "/en/openapi.json"});
    STRCMP_CONTAINS(R"("enum":["You are not signed in."])", english.body.c_str());
    const Response both = client_->send({"GET", "/any/openapi.json", {"Accept-Language: en"}});
    STRCMP_CONTAINS(R"("enum":["No autorizado","You are not signed in."])", both.body.c_str());
    CHECK_FALSE(both.header("Vary").has_value());
    // The document does not depend on the client's language.
    const Response same =
        client_->send({"GET",
                       "/any/openapi.json",
                       {"Accept-Language: es", "If-None-Match: " + both.value("ETag")}});
    CHECK_EQUAL(304, same.status);
}

} // namespace useradmin::test
