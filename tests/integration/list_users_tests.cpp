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
    const auto first = get(Caller::super_admin, "/api/users?limit=1&sort=name");
    STRCMP_CONTAINS("&cursor=", link(first, "next").c_str());
    const auto second = get(Caller::super_admin, link(first, "next"));
    CHECK_EQUAL(get(Caller::super_admin, "/api/users?limit=1&sort=name&page=2").body, second.body);
    const auto third = get(Caller::super_admin, link(second, "next"));
    CHECK_EQUAL(std::string("ulises-1"), ids_of(third));
    CHECK_EQUAL(std::string(), link(third, "next"));
    CHECK_EQUAL(second.body, get(Caller::super_admin, link(third, "prev")).body);
}

} // namespace useradmin::test
