// useradminctl schema --scale and --no-scale during requests.
#include "own_httpd.hpp"
#include "support/machine.hpp"
#include "support/process.hpp"

namespace useradmin::test {

class Scale : public OwnHttpd {
  protected:
    static void run_schema(const char* option, SourceLocation where = {}) {
        const TestDatabase& database = Suite::current().database();
        const CommandResult finished =
            test::run({{machine::built("useradminctl").string(), "--driver", database.driver(),
                        "--params", database.params(), "schema", option},
                       machine::sanitizer_environment(),
                       {}});
        if (finished.status != 0)
            fail_test(finished.errors, where);
    }

    void teardown() override {
        OwnHttpd::teardown();
        run_schema("--no-scale");
    }
};

TEST_GROUP_BASE(postgresql_scale, Scale){};

TEST(postgresql_scale, is_used_by_the_service_and_can_be_removed) {
    add_users(30);
    add_user({"jose", "José García", "j@x", "user", "2025-01-01T00:00:00.000Z"});
    const std::string service = location("/api/users", as_sara);
    const std::string found = "/api/users?search=jos%C3%A9";
    const std::string folded = "/api/users?search=jose%20garcia";
    start(service);
    const std::string all = send("GET", "/api/users?page=2").body;
    const std::string one = send("GET", found).body;
    const auto expect_same_lists = [&](SourceLocation where = {}) {
        for (int round = 0; round < 8; ++round) {
            const Response list = send("GET", "/api/users?page=2", {}, where);
            expect(list, 200, all, where);
            expect(send("GET", found, {}, where), 200, one, where);
        }
    };
    run_schema("--scale");
    expect_same_lists();
    // A new httpd uses the indexes from the first request on.
    start(service);
    expect_same_lists();
    expect(send("GET", folded), 200, one);
    run_schema("--no-scale");
    expect_same_lists();
    expect(send("GET", folded), 200, one);
    run_schema("--scale");
    run_schema("--no-scale");
    expect_same_lists();
}

TEST(postgresql_scale, finds_a_user_by_a_combining_mark) {
    add_user({"ana", "A\u0301na", "a@x", "user", "2025-01-01T00:00:00.000Z"});
    run_schema("--scale");
    start(location("/api/users", as_sara));
    CHECK_EQUAL(std::string("ana"), ids_of(send("GET", "/api/users?search=%CC%81")));
}

} // namespace useradmin::test
