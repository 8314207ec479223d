// List users (specification, section 4.1).
#include "scene.hpp"

namespace useradmin::test {

TEST_GROUP_BASE(list_users, Scene){};

TEST(list_users, returns_the_specified_envelope) {
    expect(
        get(Caller::admin, "/api/users"), 200,
        R"({"success":true,"data":[{"id":"ulises-1","name":"Ulises","email":"ulises@example.org",)"
        R"("role":"user","emailVerified":true,"image":null,"createdAt":"2026-01-01T00:00:00.000Z",)"
        R"("updatedAt":"2026-01-01T00:00:00.000Z","banned":false,"banReason":null,)"
        R"("banExpires":null}],"pagination":{"page":1,"limit":20,"total":1,"totalPages":1}})");
}

TEST(list_users, ignores_a_trailing_slash) {
    CHECK_EQUAL(get(Caller::super_admin, "/api/users").body,
                get(Caller::super_admin, "/api/users/").body);
    CHECK_EQUAL(std::string("ada-1"), ids_of(get(Caller::super_admin, "/api/users/?role=admin")));
}

TEST(list_users, links_to_the_next_and_previous_page_by_cursor) {
    const auto link = [](const Response& response, const std::string& relation) {
        const std::string links = response.header("Link").value_or("");
        const std::size_t end = links.find(">; rel=\"" + relation);
        const std::size_t start = links.rfind('<', end);
        return end == links.npos ? std::string() : links.substr(start + 1, end - start - 1);
    };
    for (const char* const order : {"", "&order=asc", "&sort=name", "&sort=email&order=desc",
                                    "&sort=updatedAt", "&search=example"}) {
        const std::string address = "/api/users?limit=1" + std::string(order);
        std::vector<std::string> bodies;
        auto response = get(Caller::super_admin, address);
        for (; bodies.size() < 9; response = get(Caller::super_admin, link(response, "next"))) {
            expect_success(response);
            bodies.push_back(response.body);
            CHECK_EQUAL(
                get(Caller::super_admin, address + "&page=" + std::to_string(bodies.size())).body,
                response.body);
            if (link(response, "next").empty())
                break;
            STRCMP_CONTAINS("&cursor=", link(response, "next").c_str());
        }
        CHECK_EQUAL(3U, bodies.size());
        STRCMP_CONTAINS("&cursor=", link(response, "prev").c_str());
        const auto second = get(Caller::super_admin, link(response, "prev"));
        CHECK_EQUAL(bodies[1], second.body);
        CHECK_EQUAL(address + "&page=1", link(second, "prev"));
        CHECK_EQUAL(bodies[2], get(Caller::super_admin, link(second, "next")).body);
    }
    // An invalid cursor, or one of another list, is ignored.
    const auto next = link(get(Caller::super_admin, "/api/users?limit=1"), "next");
    for (const std::string& other : {next + "&order=asc", next.substr(0, next.size() - 1),
                                     std::string("/api/users?limit=1&cursor=%00%FF'")})
        STRCMP_CONTAINS(R"("pagination":{"page":1,"limit":1,"total":3,"totalPages":3})",
                        get(Caller::super_admin, other).body.c_str());
}

} // namespace useradmin::test
