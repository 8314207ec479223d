// useradminctl schema --scale and --no-scale during requests.
#include "own_httpd.hpp"
#include "support/machine.hpp"
#include "support/process.hpp"

namespace useradmin::test {

TEST_GROUP_BASE(postgresql_scale, OwnHttpd){};

TEST(postgresql_scale, can_be_created_and_removed_while_httpd_runs) {
    add_users(30);
    start(location("/api/users", as_sara));
    const std::string page = send("GET", "/api/users?page=2").body;
    const std::string found = send("GET", "/api/users?search=u012").body;
    const auto expect_same_lists_after = [&](const char* option, SourceLocation where = {}) {
        const TestDatabase& database = Suite::current().database();
        const CommandResult changed =
            test::run({{machine::built("useradminctl").string(), "--driver", database.driver(),
                        "--params", database.params(), "schema", option},
                       machine::sanitizer_environment(),
                       {}});
        if (changed.status != 0)
            fail_test(changed.errors, where);
        for (int round = 0; round < 8; ++round) {
            expect(send("GET", "/api/users?page=2", {}, where), 200, page, where);
            expect(send("GET", "/api/users?search=u012", {}, where), 200, found, where);
        }
    };
    expect_same_lists_after("--scale");
    // A new httpd uses the indexes from the first request on.
    start(location("/api/users", as_sara));
    expect_same_lists_after("--scale");
    expect_same_lists_after("--no-scale");
}

} // namespace useradmin::test
