// Update user (specification, section 4.4).
#include "scene.hpp"

namespace useradmin::test {

namespace {

constexpr const char* update_failed = "Error al actualizar usuario";

} // namespace

TEST_GROUP_BASE(update_user, Scene){};

TEST(update_user, returns_the_full_updated_row) {
    const auto before = current_time();
    const auto response = put(Caller::super_admin, "ulises-1",
                              R"({"name":"Otro","role":"admin","banned":true,"banReason":"spam"})");
    const auto after = current_time();
    const auto updated = text_member(response, "updatedAt");
    expect(
        response, 200,
        R"({"success":true,"data":{"id":"ulises-1","name":"Otro","email":"ulises@example.org",)"
        R"("role":"admin","emailVerified":true,"image":null,"createdAt":"2026-01-01T00:00:00.000Z",)"
        R"("updatedAt":")" +
            updated + R"(","banned":true,"banReason":"spam","banExpires":null}})");
    CHECK_TEXT(before <= updated && updated <= after,
               (before + " " + updated + " " + after).c_str());
    CHECK_EQUAL(response.body, get(Caller::super_admin, "/api/users/ulises-1").body);
}

TEST(update_user, to_a_registered_email_returns_500_and_changes_nothing) {
    expect_log("UA0106");
    expect_error(put(Caller::super_admin, "ulises-1", R"({"name":"X","email":"sara@example.org"})"),
                 500, update_failed);
    expect(get(Caller::super_admin, "/api/users/ulises-1"), 200,
           R"({"success":true,"data":)" + ulises().json() + "}");
}

TEST(update_user, changes_only_the_row_version_that_if_match_names) {
    const std::string read = get(Caller::admin, "/api/users/ulises-1").value("ETag");
    const auto change = [&] {
        return ask(Caller::admin, "PUT", "/api/users/ulises-1", R"({"name":"Otro"})",
                   {"If-Match: \"x\"", "If-Match: " + read});
    };
    const auto changed = change();
    expect_success(changed);
    CHECK_EQUAL(changed.value("ETag"), get(Caller::admin, "/api/users/ulises-1").value("ETag"));
    expect_error(change(), 412, "El usuario ha cambiado");
}

} // namespace useradmin::test
