// Specification 4.4: PUT /api/users/{id}.
#include "scene.hpp"

namespace useradmin::test {

namespace {

constexpr const char* no_permission_to_update = "No tienes permisos para editar usuarios";
constexpr const char* no_role_or_ban = "No tienes permisos para cambiar roles o banear usuarios";
constexpr const char* failed = "Error al actualizar usuario";

} // namespace

class UpdateUser : public Scene {
  protected:
    static std::string stored(const std::string& column) {
        return sql()
            .value("SELECT \"" + column + "\" FROM \"user\" WHERE \"id\" = 'ulises-1'")
            .value_or("(nothing)");
    }

    static void expect_unchanged() {
        expect(get(Caller::super_admin, "/api/users/ulises-1"), 200,
               R"({"success":true,"data":)" + ulises().json() + "}");
    }
};

TEST_GROUP_BASE(update_user, UpdateUser){};

TEST(update_user, without_a_session_is_401) {
    expect_error(put(Caller::nobody, "ulises-1", R"({"name":"X"})"), 401, "No autorizado");
    expect_unchanged();
}

TEST(update_user, by_a_caller_who_is_neither_admin_nor_superAdmin_is_403) {
    expect_error(put(Caller::user, "sara-1", R"({"name":"X"})"), 403, no_permission_to_update);
    expect_error(put(Caller::user, "unknown", R"({"name":"X"})"), 403, no_permission_to_update);
}

TEST(update_user, of_oneself_by_a_plain_user_is_403) {
    expect_error(put(Caller::user, "ulises-1", R"({"name":"X"})"), 403, no_permission_to_update);
    expect_unchanged();
}

TEST(update_user, checks_the_session_and_the_rights_before_the_body) {
    expect_error(put(Caller::nobody, "ulises-1", "{"), 401, "No autorizado");
    expect_error(put(Caller::user, "ulises-1", "{"), 403, no_permission_to_update);
}

TEST(update_user, of_an_unknown_id_is_404) {
    expect_error(put(Caller::admin, "unknown", R"({"name":"X"})"), 404, not_found);
    expect_error(put(Caller::super_admin, "unknown", R"({"name":"X"})"), 404, not_found);
}

TEST(update_user, checks_the_id_before_an_admin_s_role_and_ban) {
    expect_error(put(Caller::admin, "unknown", R"({"role":"admin","banned":true})"), 404,
                 not_found);
}

TEST(update_user, checks_the_id_before_an_unreadable_body) {
    expect_error(put(Caller::admin, "unknown", "{"), 404, not_found);
    expect_error(put(Caller::super_admin, "unknown", R"({"name":1})"), 404, not_found);
}

TEST(update_user, by_an_admin_with_a_non_empty_role_is_403) {
    expect_error(put(Caller::admin, "ulises-1", R"({"role":"admin"})"), 403, no_role_or_ban);
    expect_error(put(Caller::admin, "ulises-1", R"({"name":"X","role":"user"})"), 403,
                 no_role_or_ban);
    expect_unchanged();
}

TEST(update_user, by_an_admin_with_banned_present_is_403) {
    for (const char* value : {"true", "false", "null", "0", "\"\"", "\"x\"", "[]", "{}"})
        expect_error(
            put(Caller::admin, "ulises-1", R"({"name":"X","banned":)" + std::string(value) + "}"),
            403, no_role_or_ban);
    expect_unchanged();
}

TEST(update_user, by_an_admin_with_an_empty_or_null_role_is_not_refused_and_the_field_is_ignored) {
    expect_success(put(Caller::admin, "ulises-1", R"({"role":"","name":"X"})"));
    expect_success(put(Caller::admin, "ulises-1", R"({"role":null,"name":"Y"})"));
    CHECK_EQUAL(std::string("user"), stored("role"));
    CHECK_EQUAL(std::string("Y"), stored("name"));
}

TEST(update_user, with_a_role_of_another_type_is_403_for_an_admin_and_500_for_a_superAdmin) {
    for (const char* value : {"1", "0", "false", "[]", "{}"}) {
        const auto body = R"({"role":)" + std::string(value) + "}";
        expect_error(put(Caller::admin, "ulises-1", body), 403, no_role_or_ban);
        expect_error(put(Caller::super_admin, "ulises-1", body), 500, failed);
    }
    expect_unchanged();
}

TEST(update_user, by_an_admin_who_sends_only_banReason_is_not_refused_and_the_field_is_ignored) {
    expect_success(put(Caller::admin, "ulises-1", R"({"banReason":"spam"})"));
    CHECK_EQUAL(std::string("(nothing)"), stored("banReason"));
}

TEST(update_user, by_an_admin_changes_name_and_email) {
    const auto reply =
        put(Caller::admin, "ulises-1", R"({"name":"Otro","email":"otro@example.org"})");
    expect_success(reply);
    CHECK_EQUAL(std::string("Otro"), stored("name"));
    CHECK_EQUAL(std::string("otro@example.org"), stored("email"));
}

TEST(update_user, by_an_admin_may_edit_a_user_of_any_role) {
    expect_success(
        put(Caller::admin, "sara-1", R"({"name":"Sara Otra","email":"sara.otra@example.org"})"));
    expect_success(put(Caller::admin, "ada-1", R"({"name":"Ada Otra"})"));
    CHECK_EQUAL(std::string("Sara Otra"),
                *sql().value("SELECT \"name\" FROM \"user\" WHERE \"id\" = 'sara-1'"));
}

TEST(update_user, by_a_superAdmin_changes_every_field) {
    expect_success(put(
        Caller::super_admin, "ulises-1",
        R"({"name":"Otro","email":"otro@x","role":"gerente","banned":true,"banReason":"spam"})"));
    CHECK_EQUAL(
        1, sql().number("SELECT count(*) FROM \"user\" WHERE \"id\" = 'ulises-1' AND \"name\" = "
                        "'Otro' AND \"email\" = 'otro@x' AND \"role\" = 'gerente' AND "
                        "\"banned\" = TRUE AND \"banReason\" = 'spam'"));
}

TEST(update_user, answers_with_the_full_updated_row) {
    const auto before = now_as_text();
    const auto reply = put(Caller::super_admin, "ulises-1",
                           R"({"name":"Otro","role":"admin","banned":true,"banReason":"spam"})");
    const auto after = now_as_text();
    const auto updated = text_member(reply, "updatedAt");
    expect(
        reply, 200,
        R"({"success":true,"data":{"id":"ulises-1","name":"Otro","email":"ulises@example.org",)"
        R"("role":"admin","emailVerified":true,"image":null,"createdAt":"2026-01-01T00:00:00.000Z",)"
        R"("updatedAt":")" +
            updated + R"(","banned":true,"banReason":"spam","banExpires":null}})");
    CHECK_TEXT(before <= updated && updated <= after,
               (before + " " + updated + " " + after).c_str());
    CHECK_EQUAL(reply.body, get(Caller::super_admin, "/api/users/ulises-1").body);
}

TEST(update_user, sets_updatedAt_even_where_no_field_applies) {
    for (const char* body :
         {"{}", R"({"name":"","email":"","role":"","banReason":""})", R"({"x":1})",
          R"({"id":"x","image":"x","createdAt":"x","password":"s3cr3t"})"}) {
        const auto before = now_as_text();
        const auto reply = put(Caller::super_admin, "ulises-1", body);
        expect_success(reply);
        const auto updated = text_member(reply, "updatedAt");
        CHECK_TEXT(before <= updated, updated.c_str());
        expect(
            reply, 200, R"({"success":true,"data":)" + [&updated] {
                auto shown = ulises().json();
                return shown.replace(shown.find(R"("updatedAt":")") + 13, 24, updated) + "}";
            }());
    }
}

TEST(update_user, applies_banned_false) {
    sql().run("UPDATE \"user\" SET \"banned\" = TRUE WHERE \"id\" = 'ulises-1'");
    const auto reply = put(Caller::super_admin, "ulises-1", R"({"banned":false})");
    expect_success(reply);
    CHECK_EQUAL(1, sql().number("SELECT count(*) FROM \"user\" WHERE \"id\" = 'ulises-1' AND "
                                "\"banned\" = FALSE"));
}

TEST(update_user, leaves_the_ban_alone_where_banned_is_absent) {
    sql().run(
        "UPDATE \"user\" SET \"banned\" = TRUE, \"banReason\" = 'spam' WHERE \"id\" = 'ulises-1'");
    expect_success(put(Caller::super_admin, "ulises-1", R"({"name":"X"})"));
    CHECK_EQUAL(std::string("spam"), stored("banReason"));
    CHECK_EQUAL(1, sql().number("SELECT count(*) FROM \"user\" WHERE \"id\" = 'ulises-1' AND "
                                "\"banned\" = TRUE"));
}

TEST(update_user, with_banReason_or_role_null_is_as_if_absent_for_a_superAdmin) {
    sql().run("UPDATE \"user\" SET \"banReason\" = 'spam' WHERE \"id\" = 'ulises-1'");
    expect_success(put(Caller::super_admin, "ulises-1", R"({"role":null,"banReason":null})"));
    CHECK_EQUAL(std::string("spam"), stored("banReason"));
    CHECK_EQUAL(std::string("user"), stored("role"));
}

TEST(update_user, with_a_field_of_another_type_is_500_and_changes_nothing) {
    for (const char* body :
         {R"({"name":null})", R"({"name":1})", R"({"email":null})", R"({"email":true})",
          R"({"email":[]})", R"({"name":"X","email":{}})", R"({"banned":null,"name":"X"})",
          R"({"banned":"true"})", R"({"banned":1})", R"({"banned":[]})", R"({"banReason":1})"})
        expect_error(put(Caller::super_admin, "ulises-1", body), 500, failed);
    expect_unchanged();
}

TEST(update_user, with_an_unreadable_body_is_500_and_changes_nothing) {
    for (const char* body :
         {"", "null", "[]", "\"x\"", "1", "{", R"({"name":"X")", R"({"name":"X"}x)",
          R"({"name":"X\u0000"})", R"({"name":"\ud800"})", "{\"name\":\"\xff\"}", "name=X"}) {
        expect_error(put(Caller::super_admin, "ulises-1", body), 500, failed);
        expect_error(put(Caller::admin, "ulises-1", body), 500, failed);
    }
    expect_unchanged();
}

TEST(update_user, to_a_taken_email_breaks_on_the_constraint_with_500) {
    expect_log("UA0106");
    expect_error(put(Caller::super_admin, "ulises-1", R"({"name":"X","email":"sara@example.org"})"),
                 500, failed);
    expect_unchanged();
}

TEST(update_user, to_the_own_email_succeeds) {
    expect_success(put(Caller::super_admin, "ulises-1", R"({"email":"ulises@example.org"})"));
}

TEST(update_user, leaves_the_account_and_other_users_alone) {
    sql().run(
        "INSERT INTO \"account\" (\"id\", \"accountId\", \"providerId\", \"userId\", \"password\", "
        "\"createdAt\", \"updatedAt\") VALUES ('a', 'ulises@example.org', 'credential', "
        "'ulises-1', "
        "'s3cr3t hash', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')");
    expect_success(put(Caller::super_admin, "ulises-1", R"({"email":"otro@x","name":"X"})"));
    CHECK_EQUAL(std::string("ulises@example.org"),
                *sql().value("SELECT \"accountId\" FROM \"account\""));
    expect(get(Caller::super_admin, "/api/users/ada-1"), 200,
           R"({"success":true,"data":)" + ada().json() + "}");
}

TEST(update_user, of_a_key_given_twice_the_last_one_counts) {
    CHECK_EQUAL(
        std::string("B"),
        text_member(put(Caller::super_admin, "ulises-1", R"({"name":"A","name":"B"})"), "name"));
    expect_success(put(Caller::admin, "ulises-1", R"({"role":"admin","role":""})"));
}

TEST(update_user, of_an_id_that_is_not_clean_UTF_8_is_404) {
    expect_error(put(Caller::super_admin, "%ff", R"({"name":"X"})"), 404, not_found);
    expect_error(put(Caller::super_admin, "%ff", "{"), 404, not_found);
}

TEST(update_user, decodes_an_id) {
    add_user({"a+b \xc3\xb1", "X", "x@x", "user", "2026-02-01T00:00:00.000Z"});
    CHECK_EQUAL(std::string("Y"),
                text_member(put(Caller::super_admin, "a%2Bb%20%C3%B1", R"({"name":"Y"})"), "name"));
}

TEST(update_user, and_the_other_operations_on_one_user_tell_which_row_it_is) {
    const auto tag = [](const Reply& reply) { return reply.header("ETag").value_or("(none)"); };
    const std::string read = tag(get(Caller::user, "/api/users/ulises-1"));
    CHECK(read.size() > 3 && read.front() == '"' && read.back() == '"');
    CHECK_EQUAL(read, tag(ask(Caller::admin, "HEAD", "/api/users/ulises-1")));
    std::string last = read;
    for (int time = 0; time < 3; ++time) {
        const std::string now = tag(put(Caller::admin, "ulises-1", "{}"));
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

TEST(update_user, changes_what_if_match_names_alone) {
    const auto change = [](const std::vector<std::string>& headers) {
        return ask(Caller::admin, "PUT", "/api/users/ulises-1", R"({"name":"Otro"})", headers);
    };
    const std::string read = *get(Caller::admin, "/api/users/ulises-1").header("ETag");
    for (const std::string& tags :
         {std::string("\"x\""), "W/" + read, read.substr(1, read.size() - 2), read + " x",
          // What is no UTF-8, a database would not even take.
          std::string("\"\xff\"")})
        expect_error(change({"If-Match: " + tags}), 412, "El usuario ha cambiado");
    // The client's way to send an empty one.
    expect_error(change({"If-Match;"}), 412, "El usuario ha cambiado");
    expect_unchanged();
    expect_success(change({"If-Match: \"x\", " + read}));
    expect_error(change({"If-Match: " + read}), 412, "El usuario ha cambiado");
    const std::string compressed = *get(Caller::admin, "/api/users/ulises-1").header("ETag");
    expect_success(
        change({"If-Match: \"x\"",
                "If-Match: " + compressed.substr(0, compressed.size() - 1) + "-gzip\""}));
    expect_success(change({"If-Match: *"}));
    expect_error(ask(Caller::admin, "PUT", "/api/users/unknown", "{}", {"If-Match: *"}), 404,
                 not_found);
    expect_error(
        ask(Caller::admin, "PUT", "/api/users/ulises-1", R"({"role":"x"})", {"If-Match: \"x\""}),
        403, no_role_or_ban);
}

TEST(update_user, by_two_who_have_read_the_same_is_by_one_of_them) {
    for (int race = 0; race < 50; ++race) {
        const std::string read = *get(Caller::admin, "/api/users/ulises-1").header("ETag");
        std::vector<Request> requests;
        for (const char* name : {"Uno", "Dos"})
            requests.push_back({"PUT",
                                "/api/users/ulises-1",
                                {bearer(Caller::admin), "If-Match: " + read},
                                R"({"name":")" + std::string(name) + "\"}"});
        const auto replies = Suite::current().client().send_at_once(requests);
        const bool is_first = replies[0].status == 200;
        LONGS_EQUAL(is_first ? 412 : 200, replies[1].status);
        LONGS_EQUAL(is_first ? 200 : 412, replies[0].status);
        CHECK_EQUAL(std::string(is_first ? "Uno" : "Dos"), stored("name"));
    }
}

} // namespace useradmin::test
