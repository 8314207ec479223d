// UserAdminTotalCache: totals of lists, cached for all children.
#include "own_httpd.hpp"

#include "support/process.hpp"

#include <set>

namespace useradmin::test {

namespace {

constexpr const char* searched = "/api/users?search=example.org";

std::string total_of(const Response& response) {
    return between(response.body, R"("total":)", ",").value_or("(none)");
}

} // namespace

class TotalCache : public OwnHttpd {
  protected:
    void start_caching(const std::string& seconds, const std::string& more = {}) {
        start("UserAdminPasswordHash argon2id m=64\nUserAdminTotalCache " + seconds + "\n" +
              location("/api/users", as_sara) + more);
    }

    /// Returns the distinct totals of concurrent requests, such as "3" or "3 4".
    std::string totals_of(const std::string& path, int count = 24) {
        const std::vector<Request> requests(static_cast<std::size_t>(count), Request{"GET", path});
        std::set<std::string> totals;
        for (const auto& response : client_->send_at_once(requests))
            totals.insert(total_of(response));
        std::string text;
        for (const auto& total : totals)
            text += (text.empty() ? "" : " ") + total;
        return text;
    }

    static void insert_user(const std::string& id) {
        add_user({id, "Nueva", id + "@example.org", "user", "2026-02-01T00:00:00.000Z"});
    }
};

TEST_GROUP_BASE(total_cache, TotalCache){};

TEST(total_cache, reuses_stale_totals_in_all_children) {
    start_caching("3600");
    for (const char* const path : {searched, "/api/users"})
        CHECK_EQUAL(std::string("3"), totals_of(path));
    insert_user("nueva");
    for (const char* const path : {searched, "/api/users"})
        CHECK_EQUAL(std::string("3"), totals_of(path));
    CHECK_EQUAL(std::string("4"), totals_of("/api/users?search=EXAMPLE.org"));
}

TEST(total_cache, is_invalidated_immediately_by_changes_of_the_service) {
    start_caching("3600");
    const char* const of_role = "/api/users?role=editor&search=nobody";
    CHECK_EQUAL(std::string("3"), totals_of(searched));
    CHECK_EQUAL(std::string("0"), totals_of(of_role));
    const auto created = send("POST", "/api/users", user_json("n@example.org"));
    expect_success(created);
    CHECK_EQUAL(std::string("4"), totals_of(searched));
    expect_success(send("PUT", "/api/users/" + text_member(created, "id"), R"({"role":"editor"})"));
    CHECK_EQUAL(std::string("1"), totals_of(of_role));
    expect_success(send("DELETE", "/api/users/" + text_member(created, "id")));
    CHECK_EQUAL(std::string("3"), totals_of(searched));
    CHECK_EQUAL(std::string("0"), totals_of(of_role));
}

TEST(total_cache, is_cleared_by_a_restart) {
    start_caching("3600");
    CHECK_EQUAL(std::string("3"), totals_of(searched));
    insert_user("nueva");
    httpd_->restart_gracefully();
    CHECK_TRUE(eventually([&] { return totals_of(searched, 1) == "4"; }));
}

TEST(total_cache, separates_sets_of_tables) {
    change("CREATE TABLE \"other user\" AS SELECT * FROM \"user\" WHERE \"id\" = 'ada-1'",
           "DROP TABLE \"other user\"");
    start_caching("3600", location("/other/users",
                                   as_sara + "UserAdminTables \"other user\" session account"));
    CHECK_EQUAL(std::string("3"), totals_of(searched, 1));
    CHECK_EQUAL(std::string("1"), totals_of("/other/users?search=example.org", 1));
    CHECK_EQUAL(std::string("3"), totals_of(searched, 1));
}

} // namespace useradmin::test
