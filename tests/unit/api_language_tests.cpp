// Errors and messages in Spanish, English or the language that the client prefers
// (UserAdminLanguage).
#include "api/texts.hpp"
#include "fake_store.hpp"

#include <algorithm>
#include <set>

namespace useradmin::test {

TEST_GROUP(api_texts){};

TEST(api_texts, exist_once_in_each_language) {
    for (const http::Language language : {http::Language::spanish, http::Language::english}) {
        std::set<std::string_view> seen;
        for (const api::Text& text : api::all_texts()) {
            CHECK_FALSE(text.in(language).empty());
            CHECK_TEXT(seen.insert(text.in(language)).second, text.english.data());
        }
        CHECK(seen.size() > 45);
    }
    expect("No autorizado", api::texts.no_session.in(http::Language::spanish));
    expect("You are not signed in.", api::texts.no_session.in(http::Language::english));
}

TEST(api_texts, mention_the_same_values_in_each_language) {
    const auto quotes = [](std::string_view text) {
        return std::count(text.begin(), text.end(), '\'');
    };
    for (const api::Text& text : api::all_texts()) {
        CHECK_EQUAL(quotes(text.spanish), quotes(text.english));
        // No message has a placeholder.
        CHECK(text.spanish.find_first_of("{}%") == std::string_view::npos);
        CHECK(text.english.find_first_of("{}%") == std::string_view::npos);
    }
    STRCMP_CONTAINS("'user'", api::texts.create_role_forbidden.english.data());
}

class ApiLanguage : public ApiScene {
  protected:
    static std::string content_language(const http::Response& response) {
        return header_of(response, "Content-Language");
    }
    static std::string vary(const http::Response& response) { return header_of(response, "Vary"); }
};

TEST_GROUP_BASE(api_language, ApiLanguage){};

TEST(api_language, is_spanish_without_extra_headers_by_default) {
    headers.fields["Accept-Language"] = "en";
    const auto refused = send(nobody, "GET ");
    expect("401 No autorizado", summary_of(refused));
    CHECK_EQUAL(1U, refused.headers.size());
    const auto deleted = send(super_admin, "DELETE /another");
    expect(R"({"success":true,"message":"Usuario eliminado correctamente"})", deleted.body);
    CHECK_EQUAL(0U, deleted.headers.size());
}

TEST(api_language, is_english_for_any_request_if_set_to_en) {
    settings.language = http::Language::english;
    headers.fields["Accept-Language"] = "es";
    const auto refused = send(nobody, "GET ");
    expect(R"({"success":false,"error":"You are not signed in."})", refused.body);
    expect("en", content_language(refused));
    expect("", vary(refused));
    const auto deleted = send(super_admin, "DELETE /another");
    expect(R"({"success":true,"message":"The user has been deleted."})", deleted.body);
    expect("en", content_language(deleted));
}

TEST(api_language, is_the_one_preferred_in_Accept_Language) {
    settings.language.reset();
    const std::tuple<const char*, const char*, const char*> cases[] = {
        {"", "es", "404 Usuario no encontrado"},
        {"en-GB, es;q=0.9", "en", "404 This user does not exist."},
        {"es, en", "es", "404 Usuario no encontrado"},
        {"en;q=x", "es", "404 Usuario no encontrado"},
    };
    for (const auto& [field, language, error] : cases) {
        headers.fields["Accept-Language"] = field;
        const auto response = send(admin, "GET /unknown");
        expect(error, summary_of(response), field);
        expect(language, content_language(response), field);
        expect("Accept-Language", vary(response), field);
    }
}

TEST(api_language, with_accept_every_response_varies_by_Accept_Language) {
    settings.language.reset();
    for (const char* request : {"GET ", "GET /another", "OPTIONS ", "PATCH ", "GET /a/b"})
        expect("Accept-Language", vary(send(admin, request)), request);
    const std::string_view origins[] = {"https://app.example.org"};
    settings.trusted_origins = origins;
    expect("Accept-Language, Origin", vary(send(admin, "GET ")));
    expect("Accept-Language, Origin", vary(send(nobody, "GET ")));
}

TEST(api_language, is_not_stated_without_a_text) {
    for (const auto& language :
         {std::optional(http::Language::english), std::optional<http::Language>()}) {
        settings.language = language;
        for (const char* request : {"GET ", "GET /another", "OPTIONS "})
            expect("", content_language(send(admin, request)), request);
    }
}

TEST(api_language, applies_to_httpd_errors) {
    headers.fields["Accept-Language"] = "en";
    settings.language.reset();
    for (const int status : {400, 401, 403, 404, 405, 408, 413, 414, 429, 431, 500, 502, 503}) {
        const auto response = api::error_response(status, "PUT", "/another", headers, settings);
        expect("en", content_language(response));
        expect("Accept-Language", vary(response));
        const auto all = api::all_texts();
        CHECK(std::any_of(all.begin(), all.end(), [&](const api::Text& text) {
            return summary_of(response) == std::to_string(status) + " " + std::string(text.english);
        }));
    }
}

} // namespace useradmin::test
