// Specification 4.3: GET /api/users/{id}.
#include "scene.hpp"

namespace useradmin::test {

namespace {

constexpr const char* no_permission_to_get = "No tienes permisos";

} // namespace

TEST_GROUP_BASE(get_user, Scene){};

TEST(get_user, without_a_session_is_401) {
    expect_error(get(Caller::nobody, "/api/users/ulises-1"), 401, "No autorizado");
    expect_error(get(Caller::nobody, "/api/users/unknown"), 401, "No autorizado");
}

TEST(get_user, of_another_by_a_caller_who_is_neither_admin_nor_superAdmin_is_403) {
    expect_error(get(Caller::user, "/api/users/sara-1"), 403, no_permission_to_get);
}

TEST(get_user, by_a_plain_user_does_not_tell_which_ids_exist) {
    expect_error(get(Caller::user, "/api/users/unknown"), 403, no_permission_to_get);
}

TEST(get_user, of_oneself_is_open_to_any_user) {
    expect(get(Caller::user, "/api/users/ulises-1"), 200,
           R"({"success":true,"data":)" + ulises().json() + "}");
}

TEST(get_user, of_any_record_is_open_to_admin_and_superAdmin) {
    for (const auto caller : {Caller::admin, Caller::super_admin})
        for (const auto* person : {&sara(), &ada(), &ulises()})
            expect(get(caller, "/api/users/" + person->id), 200,
                   R"({"success":true,"data":)" + person->json() + "}");
}

TEST(get_user, is_byte_for_byte_this_envelope) {
    expect(
        get(Caller::admin, "/api/users/ulises-1"), 200,
        R"({"success":true,"data":{"id":"ulises-1","name":"Ulises","email":"ulises@example.org",)"
        R"("role":"user","emailVerified":true,"image":null,"createdAt":"2026-01-01T00:00:00.000Z",)"
        R"("updatedAt":"2026-01-01T00:00:00.000Z","banned":false,"banReason":null,)"
        R"("banExpires":null}})");
}

TEST(get_user, of_an_unknown_id_is_404) {
    expect_error(get(Caller::admin, "/api/users/unknown"), 404, not_found);
    expect_error(get(Caller::super_admin, "/api/users/unknown"), 404, not_found);
}

TEST(get_user, takes_an_id_to_the_letter) {
    for (const char* id : {"Ulises-1", "ULISES-1", "ulises-1%20", "%20ulises-1", "ulises-",
                           "ulises_1", "ulises-%25", "ulises-1'", "+", "ulises-1;x"})
        expect_error(get(Caller::super_admin, std::string("/api/users/") + id), 404, not_found);
}

TEST(get_user, decodes_an_id) {
    add_user({"el ni\xc3\xb1o +%2F.gz?", "X", "x@x", "user", "2026-02-01T00:00:00.000Z"});
    const auto reply = get(Caller::admin, "/api/users/el%20ni%C3%B1o%20+%252F.gz%3F");
    expect_success(reply);
    CHECK_EQUAL(std::string("x@x"), text_member(reply, "email"));
}

TEST(get_user, of_an_id_with_an_encoded_slash_is_404_of_httpd_s) {
    add_user({"a/b", "X", "x@x", "user", "2026-02-01T00:00:00.000Z"});
    for (const char* path : {"/api/users/a%2Fb", "/api/users/a%2fb", "/api/users/%2F"})
        expect_error(get(Caller::admin, path), 404, not_found);
}

TEST(get_user, takes_an_encoded_slash_as_part_of_an_id_where_httpd_lets_it_through) {
    add_user({"a/b", "X", "x@x", "user", "2026-02-01T00:00:00.000Z"});
    add_user({"a%2Fb", "Y", "y@x", "user", "2026-02-01T00:00:00.000Z"});
    const auto read = [](const char* path) {
        return ask(Caller::admin, "GET", path, {}, {"Host: slashes.test"});
    };
    CHECK_EQUAL(std::string("a/b"), text_member(read("/api/users/a%2Fb"), "id"));
    CHECK_EQUAL(std::string("a/b"), text_member(read("/api/users/a%2fb"), "id"));
    CHECK_EQUAL(std::string("a%2Fb"), text_member(read("/api/users/a%252Fb"), "id"));
    expect_error(read("/api/users/a%2Fc"), 404, not_found);
}

TEST(get_user, takes_an_id_of_dots_and_the_like_as_an_id) {
    add_user({"bob.gz", "X", "x@x", "user", "2026-02-01T00:00:00.000Z"});
    add_user({"..", "Y", "y@x", "user", "2026-02-01T00:00:00.000Z"});
    const auto reply = get(Caller::admin, "/api/users/bob.gz");
    CHECK_EQUAL(std::string("bob.gz"), text_member(reply, "id"));
    CHECK_FALSE(reply.header("Content-Encoding").has_value());
}

TEST(get_user, of_an_id_that_is_not_clean_UTF_8_is_404) {
    for (const char* id : {"%ff", "%C3", "%ED%A0%80", "a%C0%AFb"})
        expect_error(get(Caller::super_admin, std::string("/api/users/") + id), 404, not_found);
}

TEST(get_user, of_an_id_of_six_thousand_characters_is_404) {
    expect_error(get(Caller::super_admin, "/api/users/" + std::string(6000, 'x')), 404, not_found);
}

TEST(get_user, ignores_the_query) {
    exclude_from_document();
    expect_success(get(Caller::super_admin, "/api/users/ulises-1?id=sara-1&x=%ff"));
    CHECK_EQUAL(std::string("ulises-1"),
                text_member(get(Caller::super_admin, "/api/users/ulises-1?id=sara-1"), "id"));
}

TEST(get_user, of_a_row_with_NULLs_gives_role_user_and_banned_false) {
    add_user({"n", "N", "n@x", "NULL", "2026-02-01T00:00:00.000Z"});
    const Person shown{"n", "N", "n@x", "user", "2026-02-01T00:00:00.000Z"};
    expect(get(Caller::admin, "/api/users/n"), 200,
           R"({"success":true,"data":)" + shown.json() + "}");
}

} // namespace useradmin::test
