// Specification 4.2 and 2.2: POST /api/users.
#include "scene.hpp"

#include <argon2.h>
#include <openssl/evp.h>
#include <regex>

namespace useradmin::test {

namespace {

constexpr const char* no_permission_to_create = "No tienes permisos para crear usuarios";
constexpr const char* only_role_user = "Solo puedes crear usuarios con rol 'user'";
constexpr const char* missing = "Faltan campos requeridos";
constexpr const char* taken = "El email ya est\xc3\xa1 registrado";
constexpr const char* failed = "Error al crear usuario";

constexpr const char* nina =
    R"({"name":"Nina","email":"nina@example.org","password":"s3cr3t of nina","role":"user"})";

bool is_uuid_4(const std::string& text) {
    static const std::regex form(
        "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
    return std::regex_match(text, form);
}

} // namespace

class CreateUser : public Scene {
  protected:
    void teardown() override {
        // No account without its user, no user without its account, whatever the test did.
        CHECK_EQUAL(0, sql().number("SELECT count(*) FROM \"account\" WHERE \"userId\" NOT IN "
                                    "(SELECT \"id\" FROM \"user\")"));
        CHECK_EQUAL(0, sql().number("SELECT count(*) FROM \"user\" WHERE \"id\" NOT IN "
                                    "('sara-1', 'ada-1', 'ulises-1') AND \"id\" NOT IN "
                                    "(SELECT \"userId\" FROM \"account\")"));
    }

    static void expect_nothing_stored() {
        CHECK_EQUAL(3, count("user"));
        CHECK_EQUAL(0, count("account"));
    }

    static std::string stored_password() {
        return sql().value("SELECT \"password\" FROM \"account\"").value_or("(none)");
    }
};

TEST_GROUP_BASE(create_user, CreateUser){};

TEST(create_user, without_a_session_is_401) {
    expect_error(post(Caller::nobody, nina), 401, "No autorizado");
    expect_nothing_stored();
}

TEST(create_user, by_a_caller_who_is_neither_admin_nor_superAdmin_is_403) {
    expect_error(post(Caller::user, nina), 403, no_permission_to_create);
    expect_nothing_stored();
}

TEST(create_user, checks_the_session_and_the_rights_before_the_body) {
    expect_error(post(Caller::nobody, "{"), 401, "No autorizado");
    expect_error(post(Caller::user, "{"), 403, no_permission_to_create);
    expect_nothing_stored();
}

TEST(create_user, with_name_email_or_password_missing_or_empty_is_400) {
    for (const char* body : {"{}", R"({"email":"n@x","password":"s3cr3t","role":"user"})",
                             R"({"name":"N","password":"s3cr3t","role":"user"})",
                             R"({"name":"N","email":"n@x","role":"user"})",
                             R"({"name":"","email":"n@x","password":"s3cr3t","role":"user"})",
                             R"({"name":"N","email":"","password":"s3cr3t","role":"user"})",
                             R"({"name":"N","email":"n@x","password":"","role":"user"})"}) {
        expect_error(post(Caller::super_admin, body), 400, missing);
        expect_error(post(Caller::admin, body), 400, missing);
    }
    expect_nothing_stored();
}

TEST(create_user, with_a_required_field_of_another_type_than_string_is_400_as_if_missing) {
    for (const char* value : {"null", "1", "0", "true", "false", "[]", "[\"x\"]", "{}", "1.5e3"})
        for (const char* field : {"name", "email", "password"}) {
            std::string body = "{";
            for (const char* each : {"name", "email", "password"})
                body += "\"" + std::string(each) +
                        "\":" + (std::string(each) == field ? value : "\"s3cr3t@x\"") + ",";
            expect_error(post(Caller::super_admin, body + R"("role":"user"})"), 400, missing);
        }
    expect_nothing_stored();
}

TEST(create_user, by_an_admin_with_a_role_that_is_not_exactly_user_is_403) {
    for (const char* role : {R"("admin")", R"("superAdmin")", R"("User")", R"("user ")", R"("x")"})
        expect_error(
            post(Caller::admin, R"({"name":"N","email":"n@x","password":"s3cr3t","role":)" +
                                    std::string(role) + "}"),
            403, only_role_user);
    expect_nothing_stored();
}

TEST(create_user, by_an_admin_with_an_absent_null_or_empty_role_is_403) {
    expect_error(post(Caller::admin, R"({"name":"N","email":"n@x","password":"s3cr3t"})"), 403,
                 only_role_user);
    expect_error(
        post(Caller::admin, R"({"name":"N","email":"n@x","password":"s3cr3t","role":null})"), 403,
        only_role_user);
    expect_error(post(Caller::admin, R"({"name":"N","email":"n@x","password":"s3cr3t","role":""})"),
                 403, only_role_user);
    expect_nothing_stored();
}

TEST(create_user, with_a_role_of_another_type_is_403_for_an_admin_and_500_for_a_superAdmin) {
    for (const char* role : {"1", "true", "[]", "{}", "[\"user\"]"}) {
        const auto body =
            R"({"name":"N","email":"n@x","password":"s3cr3t","role":)" + std::string(role) + "}";
        expect_error(post(Caller::admin, body), 403, only_role_user);
        expect_error(post(Caller::super_admin, body), 500, failed);
    }
    expect_nothing_stored();
}

TEST(create_user, checks_the_required_fields_before_the_role) {
    expect_error(post(Caller::admin, R"({"name":"N","email":"n@x","role":"admin"})"), 400, missing);
}

TEST(create_user, checks_the_role_before_the_email) {
    expect_error(
        post(Caller::admin, R"({"name":"N","email":"sara@example.org","password":"s3cr3t"})"), 403,
        only_role_user);
}

TEST(create_user, with_a_registered_email_is_400) {
    expect_error(
        post(Caller::super_admin,
             R"({"name":"N","email":"sara@example.org","password":"s3cr3t","role":"user"})"),
        400, taken);
    expect_error(
        post(Caller::admin,
             R"({"name":"N","email":"sara@example.org","password":"s3cr3t","role":"user"})"),
        400, taken);
    expect_nothing_stored();
}

TEST(create_user, answers_with_the_full_user_row) {
    const auto before = now_as_text();
    const auto reply = post(Caller::super_admin, nina);
    const auto after = now_as_text();
    const auto id = text_member(reply, "id");
    const auto created = text_member(reply, "createdAt");
    expect(reply, 200,
           R"({"success":true,"data":{"id":")" + id +
               R"(","name":"Nina","email":"nina@example.org","role":"user","emailVerified":true,)"
               R"("image":null,"createdAt":")" +
               created + R"(","updatedAt":")" + created +
               R"(","banned":false,"banReason":null,"banExpires":null}})");
    CHECK_TEXT(is_uuid_4(id), id.c_str());
    CHECK_TEXT(before <= created && created <= after,
               (before + " " + created + " " + after).c_str());
}

TEST(create_user, stores_the_user_as_it_was_answered) {
    const auto reply = post(Caller::super_admin, nina);
    const auto id = text_member(reply, "id");
    const auto shown = get(Caller::super_admin, "/api/users/" + id);
    CHECK_EQUAL(reply.body, shown.body);
}

TEST(create_user, stores_emailVerified_true_and_both_times_as_now) {
    post(Caller::super_admin, nina);
    CHECK_EQUAL(
        1, sql().number("SELECT count(*) FROM \"user\" WHERE \"email\" = 'nina@example.org' AND "
                        "\"emailVerified\" = TRUE AND \"createdAt\" = \"updatedAt\""));
}

TEST(create_user, stores_one_credential_account) {
    const auto reply = post(Caller::super_admin, nina);
    const auto rows = sql().rows("SELECT \"id\", \"accountId\", \"providerId\", \"userId\" FROM "
                                 "\"account\"");
    CHECK_EQUAL(1U, rows.size());
    CHECK_TEXT(is_uuid_4(rows[0][0].value_or("")), rows[0][0].value_or("").c_str());
    CHECK(rows[0][0] != text_member(reply, "id"));
    CHECK_EQUAL(std::string("nina@example.org"), rows[0][1].value_or(""));
    CHECK_EQUAL(std::string("credential"), rows[0][2].value_or(""));
    CHECK_EQUAL(text_member(reply, "id"), rows[0][3].value_or(""));
    CHECK_EQUAL(1, sql().number("SELECT count(*) FROM \"account\" a JOIN \"user\" u ON u.\"id\" = "
                                "a.\"userId\" WHERE a.\"createdAt\" = u.\"createdAt\" AND "
                                "a.\"updatedAt\" = u.\"createdAt\""));
}

TEST(create_user, stores_the_password_as_an_argon2id_hash_of_OWASP_s_parameters) {
    post(Caller::super_admin, nina);
    const auto hash = stored_password();
    const std::regex form(
        R"(\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43})");
    CHECK_TEXT(std::regex_match(hash, form), hash.c_str());
    const std::string password = "s3cr3t of nina";
    CHECK_EQUAL(ARGON2_OK, argon2id_verify(hash.c_str(), password.data(), password.size()));
}

TEST(create_user, salts_each_password_anew) {
    post(Caller::super_admin, R"({"name":"A","email":"a@x","password":"s3cr3t"})");
    post(Caller::super_admin, R"({"name":"B","email":"b@x","password":"s3cr3t"})");
    CHECK_EQUAL(2, sql().number("SELECT count(DISTINCT \"password\") FROM \"account\""));
}

TEST(create_user, hashes_with_the_parameters_of_UserAdminPasswordHash) {
    expect_success(ask(Caller::super_admin, "POST", "/cheap/users", nina));
    const auto hash = stored_password();
    CHECK_TEXT(hash.starts_with("$argon2id$v=19$m=64,t=3,p=2$"), hash.c_str());
    const std::string password = "s3cr3t of nina";
    CHECK_EQUAL(ARGON2_OK, argon2id_verify(hash.c_str(), password.data(), password.size()));
}

TEST(create_user, hashes_with_better_auth_s_scrypt_where_UserAdminPasswordHash_says_so) {
    // NFKC turns the ligature U+FB01 into "fi".
    expect_success(ask(Caller::super_admin, "POST", "/scrypt/users",
                       R"({"name":"N","email":"n@x","password":"s3cr3t ﬁn"})"));
    const auto hash = stored_password();
    CHECK_TEXT(std::regex_match(hash, std::regex("[0-9a-f]{32}:[0-9a-f]{128}")), hash.c_str());
    const std::string password = "s3cr3t fin";
    unsigned char key[64];
    CHECK_EQUAL(1, EVP_PBE_scrypt(password.data(), password.size(),
                                  reinterpret_cast<const unsigned char*>(hash.data()), 32, 16384,
                                  16, 1, 128UL * 1024 * 1024, key, sizeof key));
    std::string expected;
    for (const unsigned char byte : key) {
        char hex[3];
        std::snprintf(hex, sizeof hex, "%02x", byte);
        expected += hex;
    }
    CHECK_EQUAL(expected, hash.substr(33));
}

TEST(create_user, by_a_superAdmin_without_a_role_stores_user) {
    for (const char* role : {"", R"(,"role":null)", R"(,"role":"")"}) {
        const auto reply = post(Caller::super_admin, R"({"name":"N","email":"n)" +
                                                         std::to_string(std::string(role).size()) +
                                                         R"(@x","password":"s3cr3t")" + role + "}");
        expect_success(reply);
        CHECK_EQUAL(std::string("user"), text_member(reply, "role"));
    }
    CHECK_EQUAL(4, sql().number("SELECT count(*) FROM \"user\" WHERE \"role\" = 'user'"));
}

TEST(create_user, by_a_superAdmin_takes_any_role) {
    for (const char* role : {"admin", "superAdmin", "gerente", "Usuario Especial"}) {
        const auto reply =
            post(Caller::super_admin, R"({"name":"N","email":")" + std::string(role) +
                                          R"(","password":"s3cr3t","role":")" + role + R"("})");
        expect_success(reply);
        CHECK_EQUAL(std::string(role), text_member(reply, "role"));
    }
}

TEST(create_user, by_an_admin_with_role_user_succeeds) {
    const auto reply = post(Caller::admin, nina);
    expect_success(reply);
    CHECK_EQUAL(std::string("user"), text_member(reply, "role"));
}

TEST(create_user, compares_addresses_to_the_letter) {
    expect_success(post(Caller::super_admin,
                        R"({"name":"N","email":"Sara@example.org","password":"s3cr3t"})"));
}

TEST(create_user, keeps_every_character_of_name_and_email) {
    const auto reply =
        post(Caller::super_admin,
             R"({"name":"\u00c1ngel \ud83d\ude00 ñ \"x\" \\ \/ \b\f\n\r\t \u0001 ' % %s $1 --",)"
             R"("email":"o'hara+%s@x","password":"s3cr3t"})");
    expect_success(reply);
    CHECK_EQUAL(
        std::string(
            "\xc3\x81ngel \xf0\x9f\x98\x80 \xc3\xb1 \"x\" \\ / \b\f\n\r\t \x01 ' % %s $1 --"),
        sql().value("SELECT \"name\" FROM \"user\" WHERE \"email\" = 'o''hara+%s@x'").value_or(""));
}

TEST(create_user, hashes_every_character_of_the_password) {
    expect_success(
        post(Caller::super_admin,
             R"({"name":"N","email":"n@x","password":"s3cr3t \u00e1 \ud83d\ude00 \" %s"})"));
    const std::string password = "s3cr3t \xc3\xa1 \xf0\x9f\x98\x80 \" %s";
    CHECK_EQUAL(ARGON2_OK,
                argon2id_verify(stored_password().c_str(), password.data(), password.size()));
}

TEST(create_user, takes_a_password_of_1024_bytes_and_none_longer) {
    const auto with_password = [&](const std::string& password) {
        return post(Caller::super_admin,
                    R"({"name":"N","email":"n@x","password":")" + password + "\"}");
    };
    expect_error(with_password(std::string(1025, 'x')), 500, failed);
    expect_nothing_stored();
    const std::string longest(1024, 'x');
    expect_success(with_password(longest));
    CHECK_EQUAL(ARGON2_OK,
                argon2id_verify(stored_password().c_str(), longest.data(), longest.size()));
}

TEST(create_user, of_a_key_given_twice_the_last_one_counts) {
    const auto reply =
        post(Caller::super_admin,
             R"({"name":"A","email":"n@x","password":"s3cr3t","name":"B","role":"x","role":"y"})");
    CHECK_EQUAL(std::string("B"), text_member(reply, "name"));
    CHECK_EQUAL(std::string("y"), text_member(reply, "role"));
    expect_error(
        post(Caller::super_admin, R"({"name":"A","name":"","email":"m@x","password":"s3cr3t"})"),
        400, missing);
}

TEST(create_user, compares_keys_to_the_letter_and_ignores_unknown_ones) {
    expect_error(post(Caller::super_admin, R"({"Name":"N","EMAIL":"n@x","password":"s3cr3t"})"),
                 400, missing);
    const auto reply =
        post(Caller::super_admin,
             R"({"id":"mine","name":"N","email":"n@x","password":"s3cr3t","banned":true,)"
             R"("emailVerified":false,"createdAt":"1999-01-01","x":{"name":"no"}})");
    expect_success(reply);
    CHECK(text_member(reply, "id") != "mine");
    CHECK(reply.body.find(R"("emailVerified":true)") != std::string::npos);
    CHECK(reply.body.find(R"("banned":false)") != std::string::npos);
}

TEST(create_user, with_an_unreadable_body_is_500_and_stores_nothing) {
    // One of each kind: the reader's own tests have the rest.
    for (const std::string& body : {
             std::string(""),
             std::string("null"),
             std::string(R"([{"name":"N","email":"n@x","password":"s3cr3t"}])"),
             std::string("name=N&email=n@x&password=s3cr3t"),
             std::string(R"({"name":"N","email":"n@x","password":"s3cr3t")"),
             std::string(R"({"name":"N","email":"n@x","password":"s3cr3t"} x)"),
             std::string(R"({"name":"N","email":"n@x","password":"s3cr3t\u0000x"})"),
             std::string("{\"name\":\"N\xff\",\"email\":\"n@x\",\"password\":\"s3cr3t\"}"),
             std::string("{\"name\":\"N\",\"email\":\"n@x\",\"password\":\"s3cr3t\"}\0", 47),
             std::string(60000, '['),
         }) {
        expect_error(post(Caller::super_admin, body), 500, failed);
        expect_error(post(Caller::admin, body), 500, failed);
    }
    expect_nothing_stored();
}

TEST(create_user, takes_a_body_whatever_its_content_type_and_white_space) {
    const std::string body =
        " \r\n\t{ \"name\" : \"N\" ,\n\"email\":\"n@x\",\"password\":\"s3cr3t\" }\n ";
    expect_success(
        ask(Caller::super_admin, "POST", "/api/users", body, {"Content-Type: text/plain"}));
}

TEST(create_user, twelve_times_at_once_with_one_address_succeeds_exactly_once) {
    const std::vector<Request> requests(
        12, Request{"POST",
                    "/api/users",
                    {bearer(Caller::super_admin)},
                    R"({"name":"N","email":"one@example.org","password":"s3cr3t","role":"user"})"});
    int successes = 0;
    for (const auto& reply : Suite::current().client().send_at_once(requests)) {
        check_reply(reply);
        if (reply.status == 200)
            ++successes;
        else
            expect_error(reply, 400, taken);
    }
    CHECK_EQUAL(1, successes);
    CHECK_EQUAL(4, count("user"));
    CHECK_EQUAL(1, count("account"));
}

TEST(create_user, twelve_times_at_once_with_twelve_addresses_succeeds_twelve_times) {
    std::vector<Request> requests;
    for (int number = 0; number < 12; ++number)
        requests.push_back({"POST",
                            "/api/users",
                            {bearer(Caller::super_admin)},
                            R"({"name":"N","email":"n)" + std::to_string(number) +
                                R"(@example.org","password":"s3cr3t","role":"user"})"});
    for (const auto& reply : Suite::current().client().send_at_once(requests)) {
        check_reply(reply);
        expect_success(reply);
    }
    CHECK_EQUAL(15, count("user"));
    CHECK_EQUAL(12, count("account"));
}

} // namespace useradmin::test
