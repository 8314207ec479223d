// Delete user (specification, section 4.4.1).
#include "scene.hpp"

namespace useradmin::test {

namespace {

constexpr const char* protected_one = "No se puede eliminar el usuario administrador principal";

} // namespace

TEST_GROUP_BASE(delete_user, Scene){};

TEST(delete_user, with_the_built_in_protected_address_returns_403) {
    add_user({"main", "M", "admin@example.com", "superAdmin", "2026-02-01T00:00:00.000Z"});
    expect_error(remove(Caller::super_admin, "main"), 403, protected_one);
}

TEST(delete_user, ends_the_sessions_of_the_user) {
    expect_success(get(Caller::user, "/api/users/ulises-1"));
    expect(remove(Caller::super_admin, "ulises-1"), 200,
           R"({"success":true,"message":"Usuario eliminado correctamente"})");
    expect_error(get(Caller::user, "/api/users/ulises-1"), 401, "No autorizado");
}

TEST(delete_user, succeeds_once_for_eight_concurrent_requests) {
    const std::vector<Request> requests(
        8, Request{"DELETE", "/api/users/ulises-1", {bearer(Caller::super_admin)}, {}});
    int successes = 0;
    for (const auto& response : Suite::current().client().send_at_once(requests)) {
        check_response(response);
        if (response.status == 200)
            ++successes;
        else
            expect_error(response, 404, not_found);
    }
    CHECK_EQUAL(1, successes);
}

TEST(delete_user, ignores_a_body) {
    expect_success(ask(Caller::super_admin, "DELETE", "/api/users/ulises-1", "{ not JSON"));
}

TEST(delete_user, with_the_address_in_ADMIN_EMAIL_returns_403) {
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
    // The directive overrides ADMIN_EMAIL, which overrides the default address.
    expect_error(client.send({"DELETE", "/named/users/ada-1"}), 403, protected_one);
    expect_success(client.send({"DELETE", "/named/users/boss"}));
    expect_success(client.send({"DELETE", "/api/users/main"}));
}

} // namespace useradmin::test
