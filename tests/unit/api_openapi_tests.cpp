// Completeness of the OpenAPI document. The integration tests compare it with actual responses.
#include "api/openapi.hpp"
#include "api/operations.hpp"
#include "api/texts.hpp"
#include "text/unicode.hpp"

#include <CppUTest/TestHarness.h>
#include <cJSON.h>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace useradmin::test {

TEST_GROUP(api_openapi) {
    api::OperationSettings settings;
    api::DocumentSettings surroundings{"/api/users", settings};

    std::string document() const {
        return api::openapi_document(surroundings);
    }
    /// Returns the member at this path, as JSON. Fails the test if there is none.
    static std::string at(const std::string& text, const std::vector<std::string>& names) {
        const std::unique_ptr<cJSON, void (*)(cJSON*)> whole(cJSON_Parse(text.c_str()),
                                                             cJSON_Delete);
        CHECK_TEXT(whole != nullptr, "the document is not JSON");
        const cJSON* value = whole.get();
        for (const std::string& name : names) {
            value = cJSON_GetObjectItemCaseSensitive(value, name.c_str());
            CHECK_TEXT(value != nullptr, ("there is no " + name).c_str());
        }
        char* const printed = cJSON_PrintUnformatted(value);
        std::string result = printed;
        cJSON_free(printed);
        return result;
    }
    static bool has_value(const std::string& text, std::string_view value) {
        return text.find("\"" + std::string(value) + "\"") != std::string::npos;
    }
    std::string at(const std::vector<std::string>& names) const {
        return at(document(), names);
    }
};

TEST(api_openapi, has_every_operation) {
    CHECK(document().find("/sessions") == std::string::npos);
    settings.has_extras = true;
    settings.mail = {{.password_link = "x", .verify_link = "x"}};
    for (const api::Operation& operation : api::operations())
        CHECK_EQUAL("\"" + std::string(operation.name) + "\"",
                    at({"paths", "/" + std::string(operation.path),
                        text::lower_ascii(std::string(operation.method)), "operationId"}));
}

TEST(api_openapi, has_the_methods_of_every_path) {
    settings.has_extras = true;
    const std::string text = document();
    const std::pair<const char*, std::string> paths[] = {
        {"/", "GET, HEAD, POST, OPTIONS"},
        // With other methods than POST, bulk is a user's id.
        {"/bulk", "GET, HEAD, PUT, DELETE, POST, OPTIONS"},
        {"/{id}/sign-in-methods/{kind}/{methodId}", "DELETE, OPTIONS"},
    };
    for (const auto& [path, methods] : paths) {
        const std::string schema = R"({"const":")" + methods + R"("})";
        CHECK_EQUAL(schema, at(text, {"paths", path, "options", "responses", "204", "headers",
                                      "Allow", "schema"}));
        CHECK_EQUAL(schema, at(text, {"paths", path, "x-other-methods", "405", "headers", "Allow",
                                      "schema"}));
    }
}

TEST(api_openapi, has_every_text_of_the_interface) {
    settings.guards = {true, true};
    settings.has_extras = true;
    settings.mail = {{.password_link = "x", .verify_link = "x"}};
    const std::string text = document();
    for (const api::Text& each : api::all_texts())
        CHECK_EQUAL_TEXT(each.spanish != api::texts.openapi_failed.spanish, // error of this page
                         has_value(text, each.spanish), each.spanish.data());
}

TEST(api_openapi, has_invitations_if_links_set_passwords) {
    const std::string required = R"("required":["name","email","password"])";
    STRCMP_CONTAINS(required.c_str(), document().c_str());
    CHECK_EQUAL(std::string::npos, document().find("invite"));
    settings.has_extras = true;
    settings.mail = {{.verify_link = "x"}};
    CHECK_EQUAL(std::string::npos, document().find("invite"));
    CHECK_EQUAL(std::string::npos, document().find("password-link"));
    settings.mail = {{.password_link = "x"}};
    CHECK_EQUAL(std::string::npos, document().find(required));
    CHECK(document().find("\"invite\"") != std::string::npos);
    CHECK_EQUAL(std::string::npos, document().find("verification-link"));
}

TEST(api_openapi, has_the_texts_in_the_language_of_the_service) {
    settings.guards = {true, true};
    settings.has_extras = true;
    settings.mail = {{.password_link = "x", .verify_link = "x"}};
    const std::vector<std::string> confirmation = {
        "paths",  "/{id}",      "delete", "responses", "200", "content", "application/json",
        "schema", "properties", "message"};
    const std::vector<std::string> no_session = {"components", "responses", "NoSession", "content",
                                                 "application/json"};
    CHECK_EQUAL(std::string(R"({"const":"Usuario eliminado correctamente"})"), at(confirmation));
    CHECK(document().find("Content-Language") == std::string::npos);

    settings.language = http::Language::english;
    const std::string english = document();
    for (const api::Text& each : api::all_texts()) {
        CHECK_FALSE_TEXT(has_value(english, each.spanish), each.spanish.data());
        CHECK_EQUAL_TEXT(each.spanish != api::texts.openapi_failed.spanish,
                         has_value(english, each.english), each.english.data());
    }
    CHECK_EQUAL(std::string(R"({"const":"The user has been deleted."})"),
                at(english, confirmation));
    STRCMP_CONTAINS(R"("error":"You are not signed in.")", at(english, no_session).c_str());
    STRCMP_CONTAINS("Content-Language",
                    at(english, {"components", "responses", "NoSession", "headers"}).c_str());
    CHECK(english.find(R"("Vary")") == std::string::npos);

    // Without UserAdminLanguage, a message can be in either language.
    settings.language.reset();
    const std::string both = document();
    CHECK_EQUAL(
        std::string(R"({"enum":["Usuario eliminado correctamente","The user has been deleted."]})"),
        at(both, confirmation));
    STRCMP_CONTAINS(R"("enum":["No autorizado","You are not signed in."])",
                    at(both, no_session).c_str());
    STRCMP_CONTAINS("\"Vary\"", at(both, {"components", "responses", "NoSession"}).c_str());
    const std::string list = at(both, {"paths", "/", "get", "responses", "200"});
    STRCMP_CONTAINS("\"Vary\"", list.c_str());
    CHECK(list.find("Content-Language") == std::string::npos);
}

TEST(api_openapi, has_only_the_extensions_of_the_manual) {
    settings.language.reset();
    const std::string text = document();
    std::set<std::string> extensions;
    for (std::size_t at = 0; (at = text.find("\"x-", at)) != text.npos; ++at) {
        const std::size_t end = text.find('"', at + 1);
        if (text[end + 1] == ':')
            extensions.insert(text.substr(at + 1, end - at - 1));
    }
    CHECK_TRUE((extensions == std::set<std::string>{"x-other-methods", "x-other-paths"}));
}

TEST(api_openapi, has_the_limits_of_the_directives) {
    settings.has_extras = true;
    settings.max_limit = 7;
    surroundings.max_body = 4321;
    const std::string text = document();
    CHECK_EQUAL(std::string(R"({"type":"integer","minimum":1,"maximum":7})"),
                at(text, {"components", "schemas", "Pagination", "properties", "limit"}));
    for (const char* list : {"Users", "Sessions", "Events", "SignInMethods"})
        CHECK_EQUAL(std::string("7"), at(text, {"components", "schemas", list, "maxItems"}));
    STRCMP_CONTAINS("At most 4321 bytes.", text.c_str());
}

TEST(api_openapi, describes_that_a_new_email_is_unverified_if_configured) {
    constexpr const char* note = "A change of the address sets emailVerified to false.";
    CHECK(document().find(note) == std::string::npos);
    settings.unverifies_email = true;
    STRCMP_CONTAINS(note, at({"info", "description"}).c_str());
}

TEST(api_openapi, has_409_and_CORS_headers_only_if_configured) {
    CHECK_EQUAL(std::string::npos, document().find("\"409\""));
    CHECK_EQUAL(std::string::npos, document().find("Access-Control"));
    settings.guards.last_super_admin = true;
    const std::string_view origins[] = {"https://app.example.org"};
    settings.trusted_origins = origins;
    at({"paths", "/{id}", "delete", "responses", "409"});
    STRCMP_CONTAINS("\"Access-Control-Allow-Methods\"", document().c_str());
    STRCMP_CONTAINS("https://app.example.org", at({"info", "description"}).c_str());
}

TEST(api_openapi, has_the_extra_columns_of_the_table) {
    using Kind = store::ExtraColumn::Kind;
    const store::ExtraColumn columns[] = {
        {"phone", Kind::text}, {"logins", Kind::integer, true, 32767}, {"we\"ird\n", Kind::any}};
    surroundings.columns = columns;
    const std::string text = document();
    const auto property = [&](const std::string& name) {
        return at(text, {"components", "schemas", "FullUser", "properties", name});
    };
    CHECK_EQUAL(std::string(R"({"type":["string","null"]})"), property("phone"));
    CHECK_EQUAL(std::string(R"({"type":["integer","null"]})"), property("logins"));
    CHECK_EQUAL(std::string("{}"), property("we\"ird\n"));
    // Lists and single users have only the eleven fields.
    CHECK(at(text, {"components", "schemas", "User"}).find("phone") == std::string::npos);
}

TEST(api_openapi, describes_columns_named_like_keywords_of_OpenAPI) {
    const store::ExtraColumn columns[] = {
        {"responses", store::ExtraColumn::Kind::integer, true, 32767},
        {"x-other-paths", store::ExtraColumn::Kind::text}};
    surroundings.columns = columns;
    const std::vector<std::string> properties = {"components", "schemas", "FullUser", "properties"};
    const std::string text = at(properties);
    CHECK_EQUAL(std::string(R"({"type":["integer","null"]})"), at(text, {"responses"}));
    CHECK_EQUAL(std::string(R"({"type":["string","null"]})"), at(text, {"x-other-paths"}));
}

TEST(api_openapi, has_the_columns_that_super_admins_read_and_change) {
    using Kind = store::ExtraColumn::Kind;
    const store::ExtraColumn columns[] = {
        {"phone", Kind::text}, {"logins", Kind::integer, true, 32767}, {"hidden", Kind::text}};
    constexpr std::string_view shown[] = {"phone"};
    constexpr std::string_view editable[] = {"logins"};
    surroundings.columns = columns;
    settings.columns = shown;
    settings.editable_columns = editable;
    CHECK(document().find("\"columns\"") == std::string::npos);
    settings.has_extras = true;
    const std::string text = document();
    STRCMP_CONTAINS("components/parameters/columns",
                    at(text, {"paths", "/{id}", "get", "parameters"}).c_str());
    const std::string user = at(text, {"components", "schemas", "User", "properties"});
    STRCMP_CONTAINS("\"phone\"", user.c_str());
    STRCMP_CONTAINS("\"logins\"", user.c_str());
    CHECK(user.find("hidden") == std::string::npos);
    CHECK_EQUAL(std::string(R"({"logins":{"type":["integer","null"]}})"),
                at(text, {"paths", "/{id}", "put", "requestBody", "content", "application/json",
                          "schema", "properties", "data", "properties"}));
    settings.editable_columns = {};
    CHECK(at({"paths", "/{id}", "put", "requestBody", "content", "application/json", "schema",
              "properties"})
              .find("\"data\"") == std::string::npos);
}

TEST(api_openapi, describes_what_a_column_accepts) {
    using Kind = store::ExtraColumn::Kind;
    const store::ExtraColumn columns[] = {{"since", Kind::time},
                                          {"until", Kind::time, false},
                                          {"seats", Kind::integer, false, 32767},
                                          {"visits", Kind::integer, false}};
    constexpr std::string_view editable[] = {"since", "until", "seats", "visits"};
    surroundings.columns = columns;
    settings.editable_columns = editable;
    settings.has_extras = true;
    CHECK_EQUAL(
        std::string(
            R"({"since":{"type":["string","null"],"description":"A time in ISO 8601."},)"
            R"("until":{"type":"string","description":"A time in ISO 8601."},)"
            R"("seats":{"type":"integer"},"visits":{"type":["integer","string"],"description":)"
            R"("A string if JavaScript would round the number."}})"),
        at({"paths", "/{id}", "put", "requestBody", "content", "application/json", "schema",
            "properties", "data", "properties"}));
}

TEST(api_openapi, describes_where_the_token_is_sent_if_known) {
    CHECK_EQUAL(std::string("[]"), at({"security"}));
    surroundings.carriers = api::TokenCarriers{"my_session", false};
    CHECK_EQUAL(std::string(R"([{"cookie":[]}])"), at({"security"}));
    STRCMP_CONTAINS("\"my_session\"", at({"components", "securitySchemes", "cookie"}).c_str());
    surroundings.carriers->bearer = true;
    CHECK_EQUAL(std::string(R"([{"cookie":[]},{"bearer":[]}])"), at({"security"}));
}

TEST(api_openapi, encodes_the_base_address) {
    surroundings.base = "/open \xc3\xb1/{users}";
    STRCMP_CONTAINS(R"("url":"/open%20%C3%B1/%7Busers%7D")", at({"servers"}).c_str());
    surroundings.base = "";
    STRCMP_CONTAINS(R"("url":"/")", at({"servers"}).c_str());
}

TEST(api_openapi, has_the_credential_errors_for_any_method_and_path) {
    settings.has_extras = true;
    settings.mail = {{.password_link = "x", .verify_link = "x"}};
    const std::string text = document();
    const auto expect_errors = [&](std::vector<std::string> names) {
        for (const char* status : {"401", "4XX", "503", "5XX"}) {
            names.emplace_back(status);
            STRCMP_CONTAINS("\"$ref\"", at(text, names).c_str());
            names.pop_back();
        }
    };
    expect_errors({"paths", "x-other-paths"});
    for (const api::Operation& operation : api::operations()) {
        const std::string path = "/" + std::string(operation.path);
        expect_errors({"paths", path, "options", "responses"});
        expect_errors({"paths", path, "x-other-methods"});
    }
    at(text, {"components", "responses", "NotTaken", "headers", "Retry-After"});
}

} // namespace useradmin::test
