// Create user (specification, sections 2.2 and 4.2).
#include "scene.hpp"

#include <argon2.h>
#include <regex>

namespace useradmin::test {

namespace {

constexpr const char* taken = "El email ya est\xc3\xa1 registrado";

constexpr const char* nina =
    R"({"name":"Nina","email":"nina@example.org","password":"s3cr3t of nina","role":"user"})";

} // namespace

class CreateUser : public Scene {
  protected:
    void teardown() override {
        // Each user must have an account, and each account a user.
        CHECK_EQUAL(0, sql().number("SELECT count(*) FROM \"account\" WHERE \"userId\" NOT IN "
                                    "(SELECT \"id\" FROM \"user\")"));
        CHECK_EQUAL(0, sql().number("SELECT count(*) FROM \"user\" WHERE \"id\" NOT IN "
                                    "('sara-1', 'ada-1', 'ulises-1') AND \"id\" NOT IN "
                                    "(SELECT \"userId\" FROM \"account\")"));
    }
};

TEST_GROUP_BASE(create_user, CreateUser){};

TEST(create_user, returns_the_stored_row) {
    const auto before = current_time();
    const auto response = post(Caller::super_admin, nina);
    const auto after = current_time();
    const auto id = text_member(response, "id");
    const auto created = text_member(response, "createdAt");
    expect(response, 200,
           R"({"success":true,"data":{"id":")" + id +
               R"(","name":"Nina","email":"nina@example.org","role":"user","emailVerified":true,)"
               R"("image":null,"createdAt":")" +
               created + R"(","updatedAt":")" + created +
               R"(","banned":false,"banReason":null,"banExpires":null}})");
    CHECK_EQUAL(36U, id.size());
    CHECK_TEXT(before <= created && created <= after,
               (before + " " + created + " " + after).c_str());
    CHECK_EQUAL(response.body, get(Caller::super_admin, "/api/users/" + id).body);
}

TEST(create_user, stores_one_credential_account) {
    const auto response = post(Caller::super_admin, nina);
    const auto rows = sql().rows("SELECT \"id\", \"accountId\", \"providerId\", \"userId\" FROM "
                                 "\"account\"");
    CHECK_EQUAL(1U, rows.size());
    CHECK_EQUAL(36U, rows[0][0].value_or("").size());
    CHECK(rows[0][0] != text_member(response, "id"));
    CHECK_EQUAL(std::string("nina@example.org"), rows[0][1].value_or(""));
    CHECK_EQUAL(std::string("credential"), rows[0][2].value_or(""));
    CHECK_EQUAL(text_member(response, "id"), rows[0][3].value_or(""));
    CHECK_EQUAL(1, sql().number("SELECT count(*) FROM \"account\" a JOIN \"user\" u ON u.\"id\" = "
                                "a.\"userId\" WHERE a.\"createdAt\" = u.\"createdAt\" AND "
                                "a.\"updatedAt\" = u.\"createdAt\""));
}

TEST(create_user, stores_the_password_as_an_argon2id_hash_with_OWASP_parameters) {
    post(Caller::super_admin, nina);
    const auto hash = sql().value("SELECT \"password\" FROM \"account\"").value_or("(none)");
    const std::regex form(
        R"(\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43})");
    CHECK_TEXT(std::regex_match(hash, form), hash.c_str());
    const std::string password = "s3cr3t of nina";
    CHECK_EQUAL(ARGON2_OK, argon2id_verify(hash.c_str(), password.data(), password.size()));
}

TEST(create_user, ignores_the_content_type_of_the_body) {
    const std::string body =
        " \r\n\t{ \"name\" : \"N\" ,\n\"email\":\"n@x\",\"password\":\"s3cr3t\" }\n ";
    expect_success(
        ask(Caller::super_admin, "POST", "/api/users", body, {"Content-Type: text/plain"}));
}

TEST(create_user, succeeds_once_for_twelve_concurrent_requests_with_one_address) {
    const std::vector<Request> requests(
        12, Request{"POST",
                    "/api/users",
                    {bearer(Caller::super_admin)},
                    R"({"name":"N","email":"one@example.org","password":"s3cr3t","role":"user"})"});
    int successes = 0;
    for (const auto& response : Suite::current().client().send_at_once(requests)) {
        check_response(response);
        if (response.status == 200)
            ++successes;
        else
            expect_error(response, 400, taken);
    }
    CHECK_EQUAL(1, successes);
    CHECK_EQUAL(4, count("user"));
    CHECK_EQUAL(1, count("account"));
}

} // namespace useradmin::test
