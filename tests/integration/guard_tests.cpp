// UserAdminGuard: rules in addition to the specification.
#include "scene.hpp"

#include <thread>

namespace useradmin::test {

namespace {

constexpr const char* no_permission = "No tienes permisos para editar usuarios";
constexpr const char* last_one = "Debe quedar al menos un superAdmin";

} // namespace

class Guard : public Scene {
  protected:
    static std::string path_of(const std::string& id) { return "/strict/users/" + id; }

    static Response change(Caller caller, const std::string& id, const std::string& body,
                           SourceLocation where = {}) {
        return ask(caller, "PUT", path_of(id), body, {}, where);
    }

    /// Returns how many superAdmins are not banned.
    static long count_active_super_admins() {
        return sql().number(
            R"(SELECT count(*) FROM "user" WHERE "role" = 'superAdmin' AND )"
            R"(coalesce("banned", )" +
            std::string(Suite::current().kind() == Kind::sqlite ? "0) = 0" : "false) = false"));
    }
};

TEST_GROUP_BASE(guard, Guard){};
TEST_GROUP_BASE(postgresql_guard, Guard){};

TEST(guard, follows_the_directive) {
    expect_error(change(Caller::admin, "ada-1", "{}"), 403, no_permission);
    expect_success(change(Caller::admin, "ulises-1", "{}"));
    expect_error(change(Caller::super_admin, "sara-1", R"({"role":"admin"})"), 409, last_one);
    expect_success(change(Caller::super_admin, "ada-1", R"({"role":"superAdmin"})"));
    expect_success(change(Caller::super_admin, "sara-1", R"({"banned":true})"));
    CHECK_EQUAL(1, count_active_super_admins());
}

TEST(postgresql_guard, last_super_admin_is_checked_again_after_a_lock) {
    // SQLite has one writer at a time.
    sql().run(R"(UPDATE "user" SET "role" = 'superAdmin' WHERE "id" = 'ada-1')");
    sql().run(R"(BEGIN; SELECT 1 FROM "user" WHERE "role" = 'superAdmin' FOR UPDATE)");
    const std::vector<std::string> caller = {"X-Id: nobody", "X-Role: superAdmin"};
    std::vector<Response> responses;
    std::thread both([&] {
        responses = Suite::current().client().send_at_once(
            {{"DELETE", "/strict-by-header/users/ada-1", caller, {}},
             {"PUT", "/strict-by-header/users/sara-1", caller, R"({"banned":true})"}});
    });
    const bool waited = eventually(
        [] { return sql().number("SELECT count(*) FROM pg_locks WHERE NOT granted") == 2; });
    sql().run("COMMIT");
    both.join();
    CHECK(waited);
    CHECK_EQUAL(200 + 409, responses[0].status + responses[1].status);
    CHECK_EQUAL(1, count_active_super_admins());
}

TEST(guard, last_super_admin_is_kept_under_concurrent_changes) {
    constexpr int all = 12;
    constexpr int rounds = 10;
    sql().run(R"(UPDATE "user" SET "role" = 'user' WHERE "id" = 'sara-1')");
    for (int round = 0; round < rounds; ++round) {
        std::vector<Request> requests;
        for (int number = 0; number < all; ++number) {
            const std::string id = "s" + std::to_string(round * all + number);
            add_user({id, "S", id + "@example.org", "superAdmin", "2026-01-01T00:00:00.000Z"});
            const std::string path = "/strict-by-header/users/" + id;
            const std::vector<std::string> caller = {"X-Id: sara-1", "X-Role: superAdmin"};
            if (number % 3 == 0)
                requests.push_back({"DELETE", path, caller, {}});
            else
                requests.push_back({"PUT", path, caller,
                                    number % 3 == 1 ? R"({"role":"user"})" : R"({"banned":true})"});
        }
        int rejected = 0;
        for (const auto& response : Suite::current().client().send_at_once(requests)) {
            if (response.status == 200)
                continue;
            expect_error(response, 409, last_one);
            ++rejected;
        }
        CHECK_EQUAL(1, rejected);
        CHECK_EQUAL(1, count_active_super_admins());
        sql().run(R"(DELETE FROM "user" WHERE "id" LIKE 's%' AND "id" <> 'sara-1')");
    }
}

} // namespace useradmin::test
