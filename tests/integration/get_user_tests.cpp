// Get user (specification, section 4.3).
#include "scene.hpp"

namespace useradmin::test {

TEST_GROUP_BASE(get_user, Scene){};

TEST(get_user, returns_the_specified_envelope) {
    expect(
        get(Caller::admin, "/api/users/ulises-1"), 200,
        R"({"success":true,"data":{"id":"ulises-1","name":"Ulises","email":"ulises@example.org",)"
        R"("role":"user","emailVerified":true,"image":null,"createdAt":"2026-01-01T00:00:00.000Z",)"
        R"("updatedAt":"2026-01-01T00:00:00.000Z","banned":false,"banReason":null,)"
        R"("banExpires":null}})");
}

TEST(get_user, decodes_an_id) {
    add_user({"el ni\xc3\xb1o +%2F.gz?", "X", "x@x", "user", "2026-02-01T00:00:00.000Z"});
    const auto response = get(Caller::admin, "/api/users/el%20ni%C3%B1o%20+%252F.gz%3F");
    expect_success(response);
    CHECK_EQUAL(std::string("x@x"), text_member(response, "email"));
}

TEST(get_user, returns_404_for_an_encoded_slash_by_default) {
    add_user({"a/b", "X", "x@x", "user", "2026-02-01T00:00:00.000Z"});
    for (const char* path : {"/api/users/a%2Fb", "/api/users/a%2fb", "/api/users/%2F"})
        expect_error(get(Caller::admin, path), 404, not_found);
}

TEST(get_user, accepts_an_encoded_slash_with_AllowEncodedSlashes) {
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

TEST(get_user, returns_404_for_repeated_slashes_with_MergeSlashes_Off) {
    add_user({"s", "X", "x@x", "user", "2026-02-01T00:00:00.000Z"});
    const auto read = [](Caller caller, const char* path) {
        return ask(caller, "GET", path, {}, {"Host: slashes.test"});
    };
    expect_success(read(Caller::admin, "/api/users/s"));
    for (const char* path : {"/api//users/s", "/api///users/s", "/api/users//s"})
        expect_error(read(Caller::admin, path), 404, not_found);
    CHECK_EQUAL(401, read(Caller::nobody, "/api//users/s").status);
}

TEST(get_user, accepts_an_id_with_dots) {
    add_user({"bob.gz", "X", "x@x", "user", "2026-02-01T00:00:00.000Z"});
    add_user({"..", "Y", "y@x", "user", "2026-02-01T00:00:00.000Z"});
    const auto response = get(Caller::admin, "/api/users/bob.gz");
    CHECK_EQUAL(std::string("bob.gz"), text_member(response, "id"));
    CHECK_FALSE(response.header("Content-Encoding").has_value());
}

TEST(get_user, returns_404_for_an_id_of_six_thousand_characters) {
    expect_error(get(Caller::super_admin, "/api/users/" + std::string(6000, 'x')), 404, not_found);
}

TEST(get_user, ignores_the_query) {
    exclude_from_document();
    expect_success(get(Caller::super_admin, "/api/users/ulises-1?id=sara-1&x=%ff"));
    CHECK_EQUAL(std::string("ulises-1"),
                text_member(get(Caller::super_admin, "/api/users/ulises-1?id=sara-1"), "id"));
}

} // namespace useradmin::test
