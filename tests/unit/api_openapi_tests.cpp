// The OpenAPI document: whether it leaves out anything that there is. (What it says of the replies
// is compared with them in the integration tests.)
#include "api/openapi.hpp"
#include "api/operations.hpp"
#include "support/files.hpp"
#include "support/machine.hpp"

#include <CppUTest/TestHarness.h>
#include <cJSON.h>
#include <memory>
#include <regex>
#include <string>
#include <vector>

namespace useradmin::test {

TEST_GROUP(api_openapi) {
    api::OperationSettings settings;
    api::DocumentSettings surroundings{"/api/users", settings};

    std::string document() const {
        return api::openapi_document(surroundings);
    }
    /// The member at the end of the names; fails where there is none.
    static std::string at(const std::string& text, const std::vector<std::string>& names) {
        const std::unique_ptr<cJSON, void (*)(cJSON*)> whole(cJSON_Parse(text.c_str()),
                                                             cJSON_Delete);
        CHECK_TEXT(whole != nullptr, "the document is no JSON");
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
    std::string at(const std::vector<std::string>& names) const {
        return at(document(), names);
    }
};

TEST(api_openapi, has_every_operation) {
    CHECK(document().find("/sessions") == std::string::npos);
    settings.has_extras = true;
    const std::string text = document();
    for (const api::Operation& operation : api::operations())
        STRCMP_CONTAINS(("\"operationId\":\"" + std::string(operation.name) + "\"").c_str(),
                        text.c_str());
}

TEST(api_openapi, has_every_text_of_the_interface) {
    settings.guards = {true, true};
    settings.has_extras = true;
    const std::string text = document();
    const std::string table = read_file(machine::source("mod_useradmin/api/texts.hpp"));
    const std::regex literal("std::string_view ([a-z_]+) =\\s*\"([^\"]+)\"");
    int count = 0;
    for (auto found = std::sregex_iterator(table.begin(), table.end(), literal);
         found != std::sregex_iterator(); ++found) {
        // The document's own.
        if ((*found)[1] == "openapi_failed")
            continue;
        STRCMP_CONTAINS(("\"" + (*found)[2].str() + "\"").c_str(), text.c_str());
        ++count;
    }
    CHECK(count > 25);
}

TEST(api_openapi, has_the_limits_of_the_directives) {
    settings.max_limit = 7;
    surroundings.max_body = 4321;
    const std::string text = document();
    CHECK_EQUAL(std::string(R"({"type":"integer","minimum":1,"maximum":7})"),
                at(text, {"components", "schemas", "Pagination", "properties", "limit"}));
    STRCMP_CONTAINS("At most 4321 bytes.", text.c_str());
}

TEST(api_openapi, says_that_another_email_is_unverified_if_configured) {
    constexpr const char* note = "A change of the address sets emailVerified to false.";
    CHECK(document().find(note) == std::string::npos);
    settings.unverifies_email = true;
    STRCMP_CONTAINS(note, at({"info", "description"}).c_str());
}

TEST(api_openapi, has_the_last_superadmin_where_one_stays) {
    CHECK(document().find("\"409\"") == std::string::npos);
    settings.guards.last_super_admin = true;
    STRCMP_CONTAINS("Debe quedar al menos un superAdmin",
                    at({"paths", "/{id}", "delete", "responses", "409"}).c_str());
}

TEST(api_openapi, has_the_columns_that_the_table_has_beside) {
    using Kind = store::ExtraColumn::Kind;
    const store::ExtraColumn columns[] = {
        {"phone", Kind::text}, {"logins", Kind::integer}, {"we\"ird\n", Kind::any}};
    surroundings.columns = columns;
    const std::string text = document();
    const auto property = [&](const std::string& name) {
        return at(text, {"components", "schemas", "FullUser", "properties", name});
    };
    CHECK_EQUAL(std::string(R"({"type":["string","null"]})"), property("phone"));
    CHECK_EQUAL(std::string(R"({"type":["integer","null"]})"), property("logins"));
    CHECK_EQUAL(std::string("{}"), property("we\"ird\n"));
    // Lists, and a single user, have the eleven fields alone.
    CHECK(at(text, {"components", "schemas", "User"}).find("phone") == std::string::npos);
}

TEST(api_openapi, says_what_carries_the_token_where_that_is_known) {
    CHECK_EQUAL(std::string("[]"), at({"security"}));
    surroundings.carriers = api::TokenCarriers{"my_session", false};
    CHECK_EQUAL(std::string(R"([{"cookie":[]}])"), at({"security"}));
    STRCMP_CONTAINS("\"my_session\"", at({"components", "securitySchemes", "cookie"}).c_str());
    surroundings.carriers->bearer = true;
    CHECK_EQUAL(std::string(R"([{"cookie":[]},{"bearer":[]}])"), at({"security"}));
}

TEST(api_openapi, has_the_headers_of_CORS_where_origins_are_trusted) {
    CHECK(document().find("Access-Control") == std::string::npos);
    const std::string_view origins[] = {"https://app.example.org"};
    settings.trusted_origins = origins;
    const std::string text = document();
    STRCMP_CONTAINS("https://app.example.org", at(text, {"info", "description"}).c_str());
    STRCMP_CONTAINS("Access-Control-Allow-Methods",
                    at(text, {"paths", "/", "options", "responses", "204"}).c_str());
}

TEST(api_openapi, encodes_the_base_address) {
    surroundings.base = "/open \xc3\xb1/{users}";
    STRCMP_CONTAINS(R"("url":"/open%20%C3%B1/%7Busers%7D")", at({"servers"}).c_str());
    surroundings.base = "";
    STRCMP_CONTAINS(R"("url":"/")", at({"servers"}).c_str());
}

} // namespace useradmin::test
