// Update user (specification, section 4.4).
#include "scene.hpp"

namespace useradmin::test {

namespace {

constexpr const char* update_failed = "Error al actualizar usuario";

} // namespace

class UpdateUser : public Scene {
  protected:
    static void expect_unchanged() {
        expect(get(Caller::super_admin, "/api/users/ulises-1"), 200,
               R"({"success":true,"data":)" + ulises().json() + "}");
    }
};

TEST_GROUP_BASE(update_user, UpdateUser){};

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
    expect_unchanged();
}

TEST(update_user, returns_a_new_entity_tag_for_each_change) {
    const auto tag = [](const Response& response) { return response.value("ETag"); };
    const std::string read = tag(get(Caller::user, "/api/users/ulises-1"));
    CHECK(read.size() > 3 && read.front() == '"' && read.back() == '"');
    CHECK_EQUAL(read, tag(ask(Caller::admin, "HEAD", "/api/users/ulises-1")));
    std::string last = read;
    // The names differ: on SQLite, two updates to the same values in one millisecond make one row.
    for (const std::string name : {"A", "B", "C"}) {
        const std::string now = tag(put(Caller::admin, "ulises-1", R"({"name":")" + name + "\"}"));
        CHECK_FALSE(now == last);
        CHECK_EQUAL(now, tag(get(Caller::user, "/api/users/ulises-1")));
        last = now;
    }
    sql().run("UPDATE \"user\" SET \"image\" = 'x' WHERE \"id\" = 'ulises-1'");
    CHECK_FALSE(last == tag(get(Caller::user, "/api/users/ulises-1")));
    const auto made =
        post(Caller::admin, R"({"name":"N","email":"n@example.org","password":"p","role":"user"})");
    const std::size_t id = made.body.find("\"id\":\"") + 6;
    CHECK_EQUAL(tag(made), tag(get(Caller::admin, "/api/users/" + made.body.substr(id, 36))));
    CHECK_EQUAL(std::string("(none)"), tag(get(Caller::admin, "/api/users")));
    CHECK_EQUAL(std::string("(none)"), tag(get(Caller::admin, "/api/users/unknown")));
}

TEST(update_user, changes_only_the_row_version_that_if_match_names) {
    const auto change = [](const std::vector<std::string>& headers) {
        return ask(Caller::admin, "PUT", "/api/users/ulises-1", R"({"name":"Otro"})", headers);
    };
    const std::string read = *get(Caller::admin, "/api/users/ulises-1").header("ETag");
    for (const char* header : {"If-Match: \"x\"", "If-Match: \"\xff\"", "If-Match;"})
        expect_error(change({header}), 412, "El usuario ha cambiado");
    expect_unchanged();
    expect_success(change({"If-Match: \"x\"", "If-Match: " + read}));
    expect_error(change({"If-Match: " + read}), 412, "El usuario ha cambiado");
}

} // namespace useradmin::test
