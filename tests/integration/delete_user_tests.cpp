// Specification 4.4.1: DELETE /api/users/{id}.
#include "scene.hpp"

namespace useradmin::test {

namespace {

constexpr const char* no_permission_to_delete = "No tienes permisos para eliminar usuarios";
constexpr const char* oneself = "No puedes eliminar tu propio usuario";
constexpr const char* protected_one = "No se puede eliminar el usuario administrador principal";

} // namespace

class DeleteUser : public Scene {
  protected:
    static void add_account(const std::string& user_id) {
        sql().run("INSERT INTO \"account\" (\"id\", \"accountId\", \"providerId\", \"userId\", "
                  "\"createdAt\", \"updatedAt\") VALUES ('account of " +
                  user_id + "', 'x', 'credential', '" + user_id +
                  "', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')");
    }
};

TEST_GROUP_BASE(delete_user, DeleteUser){};

TEST(delete_user, without_a_session_is_401) {
    expect_error(remove(Caller::nobody, "ulises-1"), 401, "No autorizado");
    CHECK_EQUAL(3, count("user"));
}

TEST(delete_user, by_a_caller_who_is_not_superAdmin_is_403) {
    for (const auto caller : {Caller::user, Caller::admin}) {
        expect_error(remove(caller, "sara-1"), 403, no_permission_to_delete);
        expect_error(remove(caller, "unknown"), 403, no_permission_to_delete);
    }
    CHECK_EQUAL(3, count("user"));
}

TEST(delete_user, checks_the_role_before_the_own_id) {
    expect_error(remove(Caller::admin, "ada-1"), 403, no_permission_to_delete);
}

TEST(delete_user, of_oneself_is_400) {
    expect_error(remove(Caller::super_admin, "sara-1"), 400, oneself);
    expect_error(remove(Caller::super_admin, "%73ara%2D1"), 400, oneself);
    CHECK_EQUAL(3, count("user"));
}

TEST(delete_user, of_an_unknown_id_is_404) {
    expect_error(remove(Caller::super_admin, "unknown"), 404, not_found);
    expect_error(remove(Caller::super_admin, "Ulises-1"), 404, not_found);
    expect_error(remove(Caller::super_admin, "%ff"), 404, not_found);
    expect_error(remove(Caller::super_admin, "ulises%25"), 404, not_found);
    CHECK_EQUAL(3, count("user"));
}

TEST(delete_user, of_the_built_in_protected_address_is_403) {
    add_user({"main", "M", "admin@example.com", "superAdmin", "2026-02-01T00:00:00.000Z"});
    add_session("s3cr3t-of-main", "main");
    expect_error(remove(Caller::super_admin, "main"), 403, protected_one);
    CHECK_EQUAL(4, count("user"));
    CHECK_EQUAL(4, count("session"));
}

TEST(delete_user, of_the_address_of_UserAdminProtectedEmail_is_403) {
    add_user({"boss", "B", "jefa@example.org", "user", "2026-02-01T00:00:00.000Z"});
    add_user({"main", "M", "admin@example.com", "user", "2026-02-01T00:00:00.000Z"});
    expect_error(ask(Caller::super_admin, "DELETE", "/protected/users/boss"), 403, protected_one);
    expect_success(ask(Caller::super_admin, "DELETE", "/protected/users/main"));
}

TEST(delete_user, of_oneself_is_400_even_for_the_protected_administrator) {
    sql().run("UPDATE \"user\" SET \"email\" = 'admin@example.com' WHERE \"id\" = 'sara-1'");
    expect_error(remove(Caller::super_admin, "sara-1"), 400, oneself);
}

TEST(delete_user, answers_with_the_message) {
    expect(remove(Caller::super_admin, "ulises-1"), 200,
           R"({"success":true,"message":"Usuario eliminado correctamente"})");
}

TEST(delete_user, deletes_the_sessions_the_accounts_and_the_user_and_nothing_of_others) {
    add_account("ulises-1");
    add_account("ada-1");
    add_session("s3cr3t-second", "ulises-1");
    expect_success(remove(Caller::super_admin, "ulises-1"));
    CHECK_EQUAL(0, sql().number("SELECT count(*) FROM \"user\" WHERE \"id\" = 'ulises-1'"));
    CHECK_EQUAL(2, count("user"));
    CHECK_EQUAL(2, count("session"));
    CHECK_EQUAL(std::string("ada-1"), *sql().value("SELECT \"userId\" FROM \"account\""));
}

TEST(delete_user, ends_the_sessions_of_the_user) {
    expect_success(get(Caller::user, "/api/users/ulises-1"));
    expect_success(remove(Caller::super_admin, "ulises-1"));
    expect_error(get(Caller::user, "/api/users/ulises-1"), 401, "No autorizado");
}

TEST(delete_user, twice_is_404_the_second_time) {
    expect_success(remove(Caller::super_admin, "ulises-1"));
    expect_error(remove(Caller::super_admin, "ulises-1"), 404, not_found);
}

TEST(delete_user, of_another_superAdmin_succeeds) {
    add_user({"other", "O", "o@x", "superAdmin", "2026-02-01T00:00:00.000Z"});
    expect_success(remove(Caller::super_admin, "other"));
}

TEST(delete_user, at_once_by_several_succeeds_exactly_once) {
    const std::vector<Request> requests(
        8, Request{"DELETE", "/api/users/ulises-1", {bearer(Caller::super_admin)}, {}});
    int successes = 0;
    for (const auto& reply : Suite::current().client().send_at_once(requests)) {
        check_reply(reply);
        if (reply.status == 200)
            ++successes;
        else
            expect_error(reply, 404, not_found);
    }
    CHECK_EQUAL(1, successes);
}

TEST(delete_user, ignores_a_body) {
    expect_success(ask(Caller::super_admin, "DELETE", "/api/users/ulises-1", "{ not JSON"));
}

TEST(delete_user, spares_the_address_of_ADMIN_EMAIL_in_httpd_s_environment) {
    add_user({"boss", "B", "jefa@example.org", "user", "2026-02-01T00:00:00.000Z"});
    add_user({"main", "M", "admin@example.com", "user", "2026-02-01T00:00:00.000Z"});
    auto settings = Suite::current().settings(
        Suite::directives_for(Suite::current().database()) +
        location("/api/users", "UserAdminSession sara-1 superAdmin") +
        location("/named/users",
                 "UserAdminSession sara-1 superAdmin\nUserAdminProtectedEmail ada@example.org"));
    settings.environment = {{"ADMIN_EMAIL", "jefa@example.org"}};
    const Httpd httpd(Suite::current().work(), settings);
    HttpClient client(httpd.port());
    expect_error(client.send({"DELETE", "/api/users/boss"}), 403, protected_one);
    // The directive comes before the environment, and either before the built-in address.
    expect_error(client.send({"DELETE", "/named/users/ada-1"}), 403, protected_one);
    expect_success(client.send({"DELETE", "/named/users/boss"}));
    expect_success(client.send({"DELETE", "/api/users/main"}));
}

TEST(delete_user, deletes_what_if_match_names_alone) {
    const auto tagged = [](const std::string& id, const std::string& tags) {
        return ask(Caller::super_admin, "DELETE", "/api/users/" + id, {}, {"If-Match: " + tags});
    };
    const std::string read = *get(Caller::admin, "/api/users/ulises-1").header("ETag");
    expect_success(put(Caller::admin, "ulises-1", R"({"name":"Otro"})"));
    expect_error(tagged("ulises-1", read), 412, "El usuario ha cambiado");
    expect_error(tagged("sara-1", read), 400, oneself);
    expect_error(tagged("unknown", read), 404, not_found);
    CHECK_EQUAL(3, count("user"));
    expect_success(tagged("ulises-1", *get(Caller::admin, "/api/users/ulises-1").header("ETag")));
    CHECK_EQUAL(2, count("user"));
}

} // namespace useradmin::test
