// List users (specification, section 4.1).
#include "scene.hpp"

namespace useradmin::test {

namespace {

std::string page_of(const std::string& data, const std::string& pagination) {
    return R"({"success":true,"data":[)" + data + R"(],"pagination":{)" + pagination + "}}";
}

/// Returns the pagination object in a list.
std::string pagination_of(const Reply& reply, SourceLocation where = {}) {
    const auto found = between(reply.body, R"("pagination":{)", "}");
    if (!found)
        fail(reply, "there is no pagination", where);
    return *found;
}

} // namespace

TEST_GROUP_BASE(list_users, Scene){};

TEST(list_users, returns_all_users_to_a_superAdmin_newest_first) {
    expect(get(Caller::super_admin, "/api/users"), 200,
           page_of(sara().json() + "," + ada().json() + "," + ulises().json(),
                   R"("page":1,"limit":20,"total":3,"totalPages":1)"));
}

TEST(list_users, returns_exactly_this_envelope) {
    expect(
        get(Caller::admin, "/api/users"), 200,
        R"({"success":true,"data":[{"id":"ulises-1","name":"Ulises","email":"ulises@example.org",)"
        R"("role":"user","emailVerified":true,"image":null,"createdAt":"2026-01-01T00:00:00.000Z",)"
        R"("updatedAt":"2026-01-01T00:00:00.000Z","banned":false,"banReason":null,)"
        R"("banExpires":null}],"pagination":{"page":1,"limit":20,"total":1,"totalPages":1}})");
}

TEST(list_users, returns_the_requested_page) {
    add_users(7);
    const auto reply = get(Caller::super_admin, "/api/users?page=3&limit=3");
    CHECK_EQUAL(std::string("u004 u005 u006"), ids_of(reply));
    CHECK_EQUAL(std::string(R"("page":3,"limit":3,"total":10,"totalPages":4)"),
                pagination_of(reply));
}

TEST(list_users, UserAdminMaxLimit_sets_the_largest_page) {
    exclude_from_document();
    add_users(4);
    const auto reply = get(Caller::super_admin, "/narrow/users?limit=5&page=2");
    CHECK_EQUAL(std::string("u001 u002 u003"), ids_of(reply));
    CHECK_EQUAL(std::string(R"("page":2,"limit":3,"total":7,"totalPages":3)"),
                pagination_of(reply));
}

TEST(list_users, ignores_a_trailing_slash) {
    CHECK_EQUAL(get(Caller::super_admin, "/api/users").body,
                get(Caller::super_admin, "/api/users/").body);
    CHECK_EQUAL(std::string("ada-1"), ids_of(get(Caller::super_admin, "/api/users/?role=admin")));
}

TEST(list_users, sorts_and_filters_as_the_query_says) {
    exclude_from_document();
    const auto ids = [](Caller caller, const std::string& query) {
        const auto reply = get(caller, "/api/users?" + query);
        expect_success(reply);
        return ids_of(reply);
    };
    const std::string all = "sara-1 ada-1 ulises-1 bea-1";
    add_user({"bea-1", "Bea", "bea@example.org", "admin", "2025-01-01T00:00:00.000Z"});
    sql().run("UPDATE \"user\" SET \"banned\" = TRUE WHERE \"id\" = 'bea-1'");
    CHECK_EQUAL(all, ids(Caller::super_admin, "sort=id&order=up"));
    CHECK_EQUAL(std::string("bea-1 ulises-1 ada-1 sara-1"), ids(Caller::super_admin, "order=asc"));
    CHECK_EQUAL(std::string("ada-1 bea-1 sara-1 ulises-1"), ids(Caller::super_admin, "sort=name"));
    CHECK_EQUAL(std::string("ulises-1 sara-1 bea-1 ada-1"),
                ids(Caller::super_admin, "sort=email&order=desc"));
    CHECK_EQUAL(std::string("bea-1"), ids(Caller::super_admin, "banned=true"));
    CHECK_EQUAL(std::string("ulises-1 bea-1"), ids(Caller::admin, "banned=true"));
    CHECK_EQUAL(std::string(), ids(Caller::admin, "banned=true&match=all"));
    CHECK_EQUAL(std::string("ulises-1"), ids(Caller::admin, "emailVerified=true&match=all"));
    CHECK_EQUAL(all, ids(Caller::super_admin, "banned=perhaps"));
    CHECK_EQUAL(std::string(), ids(Caller::super_admin, "createdAfter=2100-01-01"));
    CHECK_EQUAL(all, ids(Caller::super_admin, "createdBefore=2100-01-01T00:00:00Z"));
}

TEST(list_users, has_the_total_and_links_to_other_pages_in_headers) {
    const auto reply =
        get(Caller::super_admin, "/api/users?limit=1&page=2&search=%C3%B1&role=user");
    CHECK_EQUAL(std::string("1"), reply.header("X-Total-Count").value_or("(none)"));
    CHECK_EQUAL(std::string("</api/users?limit=1&search=%C3%B1&role=user&page=1>; rel=\"first\", "
                            "</api/users?limit=1&search=%C3%B1&role=user&page=1>; rel=\"prev\", "
                            "</api/users?limit=1&search=%C3%B1&role=user&page=1>; rel=\"last\""),
                reply.header("Link").value_or("(none)"));
    const auto first = get(Caller::super_admin, "/api/users?limit=3");
    CHECK_EQUAL(std::string("3"), first.header("X-Total-Count").value_or("(none)"));
    CHECK_EQUAL(std::string("</api/users?limit=3&page=1>; rel=\"first\", "
                            "</api/users?limit=3&page=1>; rel=\"last\""),
                first.header("Link").value_or("(none)"));
    CHECK_FALSE(get(Caller::user, "/api/users").header("Link").has_value());
}

TEST(list_users, links_to_the_next_and_previous_page_by_a_cursor) {
    const auto link = [](const Reply& reply, const std::string& relation) {
        const std::string links = reply.header("Link").value_or("");
        const std::size_t end = links.find(">; rel=\"" + relation);
        const std::size_t start = links.rfind('<', end);
        return end == links.npos ? std::string() : links.substr(start + 1, end - start - 1);
    };
    for (const char* const order : {"", "&order=asc", "&sort=name", "&sort=email&order=desc",
                                    "&sort=updatedAt", "&search=example"}) {
        const std::string address = "/api/users?limit=1" + std::string(order);
        std::vector<std::string> bodies;
        auto reply = get(Caller::super_admin, address);
        for (; bodies.size() < 9; reply = get(Caller::super_admin, link(reply, "next"))) {
            expect_success(reply);
            bodies.push_back(reply.body);
            CHECK_EQUAL(
                get(Caller::super_admin, address + "&page=" + std::to_string(bodies.size())).body,
                reply.body);
            if (link(reply, "next").empty())
                break;
            STRCMP_CONTAINS("&cursor=", link(reply, "next").c_str());
        }
        CHECK_EQUAL(3U, bodies.size());
        STRCMP_CONTAINS("&cursor=", link(reply, "prev").c_str());
        const auto second = get(Caller::super_admin, link(reply, "prev"));
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
