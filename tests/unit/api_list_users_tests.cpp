// List users (specification, section 4.1).
#include "fake_store.hpp"

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace useradmin::test {

namespace {

class ListUsers : public ApiScene {
  protected:
    /// Expects that a query requests this page from the store and that the response repeats its
    /// numbers.
    void expect_page(std::int64_t page, std::int64_t limit, const std::string& query,
                     SourceLocation where = {}) {
        const auto response = send(super_admin, "GET ?" + query);
        expect("200", summary_of(response), query, where);
        // The service requests one more user, to decide whether the next cursor needs an id.
        expect("list role=- search=- " + std::to_string(limit + 1) + " from " +
                   std::to_string((page - 1) * limit),
               calls.text(), query, where);
        const std::string echo =
            R"("page":)" + std::to_string(page) + R"(,"limit":)" + std::to_string(limit) + ",";
        STRCMP_CONTAINS_LOCATION(echo.c_str(), response.body.c_str(), query.c_str(), where.file,
                                 static_cast<std::size_t>(where.line));
    }

    /// Checks that the caller's query passes these filters to the store.
    void expect_filters(std::string_view filters, const Caller& caller, const std::string& query,
                        SourceLocation where = {}) {
        expect("200", ask(caller, "GET ?" + query), query, where);
        expect("list " + std::string(filters) + " 21 from 0", calls.text(), query, where);
    }
};

} // namespace

TEST_GROUP_BASE(list_users, ListUsers){};

TEST(list_users, the_page_is_1_and_the_limit_20_by_default) {
    expect_page(1, 20, "");
}

TEST(list_users, the_offset_is_page_minus_one_times_limit) {
    expect_page(2, 20, "page=2");
    expect_page(1, 5, "limit=5");
    expect_page(3, 7, "page=3&limit=7");
    expect_page(4, 1, "limit=1&page=4");
    expect_page(2147483647, 1000, "page=2147483647&limit=1000");
}

TEST(list_users, an_invalid_page_is_replaced_by_the_default) {
    for (const std::string page :
         {"0", "-1", "-0", "", "two", "2x", "x2", "2.0", "1e1", "0x2", "%20", "2%20", "%202",
          "2%00", "2,5", "%FF", "9223372036854775807", "9223372036854775808",
          "99999999999999999999999"})
        expect_page(1, 20, "page=" + page);
}

TEST(list_users, an_invalid_limit_is_replaced_by_the_default) {
    for (const std::string limit :
         {"0", "-1", "-0", "", "two", "2x", "x2", "2.0", "1e1", "0x2", "%20", "2%20", "%202",
          "2%00", "2,5", "%FF", "9223372036854775808", "99999999999999999999999"})
        expect_page(1, 20, "limit=" + limit);
}

TEST(list_users, a_limit_over_the_maximum_is_reduced_to_it) {
    expect_page(1, 1000, "limit=1000");
    expect_page(1, 1000, "limit=1001");
    expect_page(3, 1000, "limit=1000000&page=3");
    settings.max_limit = 50;
    expect_page(1, 49, "limit=49");
    expect_page(1, 50, "limit=50");
    expect_page(2, 50, "limit=51&page=2");
}

TEST(list_users, the_default_limit_is_reduced_to_the_maximum_too) {
    settings.max_limit = 3;
    expect_page(2, 3, "page=2");
    expect_page(1, 3, "limit=none");
}

TEST(list_users, the_first_value_of_a_repeated_parameter_is_used) {
    expect_page(2, 5, "page=2&limit=5&page=3&limit=6");
    expect_page(1, 20, "page=&limit=x&page=3&limit=6");
    expect_filters("role=admin search=ana", super_admin,
                   "role=admin&search=ana&role=user&search=eva");
    expect_filters("role=- search=-", super_admin, "role=&search=&role=user&search=eva");
}

TEST(list_users, an_admin_always_filters_by_the_role_user) {
    expect_filters("role=user search=-", admin, "");
    expect_filters("role=user search=ana", admin, "search=ana");
}

TEST(list_users, the_role_parameter_is_ignored_for_an_admin) {
    expect_filters("role=user search=-", admin, "role=admin");
    expect_filters("role=user search=-", admin, "role=");
    expect_filters("role=user search=ana", admin, "role=superAdmin&search=ana");
    expect_filters("role=user search=-", admin, "role=%FF");
}

TEST(list_users, a_super_admin_may_use_all_filters) {
    expect_filters("role=- search=-", super_admin, "");
    expect_filters("role=admin search=-", super_admin, "role=admin");
    expect_filters("role=owner search=-", super_admin, "role=owner");
    expect_filters("role=- search=ana", super_admin, "search=ana");
    expect_filters("role=admin search=ana", super_admin, "search=ana&role=admin");
}

TEST(list_users, an_empty_search_or_role_counts_as_absent) {
    expect_filters("role=- search=-", super_admin, "search=&role=");
    expect_filters("role=- search=-", super_admin, "search&role");
    expect_filters("role=user search=-", admin, "search=");
}

TEST(list_users, the_search_is_decoded_and_keeps_its_spaces_and_wildcards) {
    expect_filters("role=- search=Núñez 100%_\\", super_admin, "search=N%C3%BA%C3%B1ez+100%25_%5C");
    expect_filters("role=- search= ", super_admin, "search=+");
}

TEST(list_users, unknown_parameters_are_ignored) {
    expect_filters("role=- search=-", super_admin, "Search=a&ROLE=b&Sort=name&offset=9");
}

TEST(list_users, a_search_or_role_that_is_not_utf8_returns_500) {
    for (const auto query : {"search=%FF", "search=a%C3", "search=%ED%A0%80", "search=a%00b",
                             "role=%FF", "role=admin%00", "role=admin&search=%C0%80"}) {
        expect("500 Error al obtener usuarios", ask(super_admin, "GET ?" + std::string(query)),
               query);
        expect("", calls.text(), query);
    }
    expect("500 Error al obtener usuarios", ask(admin, "GET ?search=%FF"));
}

TEST(list_users, total_pages_is_total_divided_by_limit_rounded_up) {
    struct Case {
        std::int64_t total;
        std::int64_t limit;
        std::int64_t pages;
    };
    for (const auto& [total, limit, pages] :
         {Case{0, 20, 0}, Case{1, 20, 1}, Case{19, 20, 1}, Case{20, 20, 1}, Case{21, 20, 2},
          Case{40, 20, 2}, Case{41, 20, 3}, Case{3, 1, 3}, Case{5000000001, 1000, 5000001}}) {
        store.total = total;
        const auto response = send(super_admin, "GET ?limit=" + std::to_string(limit));
        const std::string numbers = R"("total":)" + std::to_string(total) + R"(,"totalPages":)" +
                                    std::to_string(pages) + "}}";
        STRCMP_CONTAINS(numbers.c_str(), response.body.c_str());
    }
}

TEST(list_users, a_page_past_the_end_is_empty_with_the_total) {
    store.users.clear();
    store.total = 41;
    expect(R"({"success":true,"data":[],)"
           R"("pagination":{"page":9,"limit":20,"total":41,"totalPages":3}})",
           send(super_admin, "GET ?page=9").body);
}

TEST(list_users, supports_more_filters) {
    expect_filters("role=- search=- banned=1", super_admin, "banned=true");
    expect_filters("role=- search=- banned=0", super_admin, "banned=false");
    expect_filters("role=- search=- verified=1", super_admin, "emailVerified=true");
    expect_filters("role=user search=- verified=0", admin, "emailVerified=false");
    expect_filters("role=- search=- from=2026-01-01T00:00:00.001Z", super_admin,
                   "createdAfter=2026-01-01");
    expect_filters("role=- search=- until=2025-12-31T22:00:00.500Z", super_admin,
                   "createdBefore=2026-01-01T00:00:00.500%2B02:00");
    expect_filters("role=x search=y banned=1 verified=0 from=2025-01-01T00:00:00.001Z "
                   "until=2026-01-01T00:00:00.000Z",
                   super_admin,
                   "role=x&search=y&banned=true&emailVerified=false&createdAfter=2025-01-01&"
                   "createdBefore=2026-01-01");
}

TEST(list_users, lists_nobody_created_after_the_last_storable_time) {
    // The next millisecond would be in the year 10000.
    expect_filters("role=- search=- from=9999-12-31T23:59:59.999Z", super_admin,
                   "createdAfter=9999-12-31T23:59:59.999Z");
    expect_filters("role=- search=- from=9999-12-31T23:59:59.999Z", super_admin,
                   "createdAfter=9999-12-31T23:59:59.998Z");
}

TEST(list_users, a_filter_with_an_unknown_value_counts_as_absent) {
    for (const char* query :
         {"banned=", "banned=1", "banned=True", "banned=yes", "emailVerified=null",
          "createdAfter=", "createdAfter=yesterday", "createdAfter=infinity",
          "createdAfter=0000-01-01", "createdAfter=2026", "createdBefore=1795217419717",
          "createdBefore=9999-12-31T23:59:59-01", "createdBefore=20000-01-01",
          "createdBefore=2026-13-01", "Banned=true", "match=all",
          // These parameters need UserAdminExtras.
          "lastSeenAfter=2026-01-01", "lastSeenBefore=2026-01-01", "sort=lastSeen",
          "sort=", "sort=id", "sort=Name", "order=", "order=DESC", "order=up"})
        expect_filters("role=- search=-", super_admin, query);
}

TEST(list_users, all_filters_are_combined_with_or_unless_all_must_match) {
    expect_filters("role=user search=- banned=1", admin, "banned=true");
    expect_filters("role=user search=- banned=1", admin, "banned=true&match=any");
    expect_filters("role=user search=- banned=1 all", admin, "banned=true&match=all");
    expect_filters("role=user search=x all", admin, "match=all&search=x");
    // If there is only one filter, "match" has no effect.
    expect_filters("role=user search=-", admin, "match=all");
    expect_filters("role=- search=x", super_admin, "match=all&search=x");
}

TEST(list_users, is_sorted_in_the_requested_order) {
    for (const auto& [query, order] : {std::pair{"sort=createdAt", ""},
                                       {"order=desc", ""},
                                       {"order=asc", " by createdAt"},
                                       {"sort=createdAt&order=asc", " by createdAt"},
                                       {"sort=updatedAt", " by updatedAt descending"},
                                       {"sort=updatedAt&order=asc", " by updatedAt"},
                                       {"sort=name", " by name"},
                                       {"sort=name&order=desc", " by name descending"},
                                       {"sort=email", " by email"},
                                       {"order=desc&sort=email", " by email descending"}}) {
        expect("200", ask(super_admin, "GET ?" + std::string(query)), query);
        expect("list role=- search=- 21 from 0" + std::string(order), calls.text(), query);
    }
}

TEST(list_users, returns_the_total_and_links_to_other_pages) {
    const auto links = [&](const std::string& query) {
        return header_of(send(super_admin, "GET ?" + query), "Link");
    };
    store.users.clear();
    store.total = 41;
    expect("41", header_of(send(super_admin, "GET "), "X-Total-Count"));
    expect("41", header_of(send(super_admin, "HEAD ?page=9"), "X-Total-Count"));
    expect("<?page=1>; rel=\"first\", <?page=2>; rel=\"next\", <?page=3>; rel=\"last\"", links(""));
    expect("<?page=1>; rel=\"first\", <?page=1>; rel=\"prev\", <?page=3>; rel=\"next\", "
           "<?page=3>; rel=\"last\"",
           links("page=2"));
    expect("<?page=1>; rel=\"first\", <?page=2>; rel=\"prev\", <?page=3>; rel=\"last\"",
           links("page=3"));
    expect("<?page=1>; rel=\"first\", <?page=3>; rel=\"prev\", <?page=3>; rel=\"last\"",
           links("page=9"));
    store.total = 0;
    expect("<?page=1>; rel=\"first\", <?page=1>; rel=\"last\"", links(""));
    expect("", header_of(send(user, "GET "), "X-Total-Count"));
    expect("", header_of(send(super_admin, "GET /another"), "Link"));
}

TEST(list_users, from_a_standby_has_a_Warning_header) {
    expect("", header_of(send(super_admin, "GET "), "Warning"));
    store.last_change_received = *text::parse_timestamp("2026-11-27T16:00:00Z");
    constexpr const char* warning =
        "110 - \"Read from a standby; the last change that it has received "
        "dates from 2026-11-27T16:00:00.000Z\"";
    expect(warning, header_of(send(super_admin, "GET "), "Warning"));
    expect(warning, header_of(send(super_admin, "GET /another"), "Warning"));
    expect("", header_of(send(super_admin, "GET /unknown"), "Warning"));
    expect("", header_of(send(user, "GET "), "Warning"));
}

TEST(list_users, links_to_the_next_and_previous_page_by_cursor) {
    store.users.clear();
    store.add("a", "a@x").sort_key = "2026-01-01T00:00:00.000001";
    store.add("b", "b@x");
    store.total = 100;
    // Returns the query of the response's link with this relation.
    const auto link = [&](const std::string& query, const std::string& relation) {
        const std::string links = header_of(send(super_admin, "GET ?" + query), "Link");
        const std::size_t end = links.find(">; rel=\"" + relation);
        const std::size_t start = links.rfind("<?", end);
        return end == links.npos ? "none" : links.substr(start + 2, end - start - 2);
    };
    const auto expect_list = [&](const std::string& wanted, const std::string& query) {
        expect("200", ask(super_admin, "GET ?" + query), query);
        expect("list role=- search=" + wanted, calls.text(), query);
    };
    const std::string next = link("limit=2&page=3&cursor=unknown", "next");
    STRCMP_CONTAINS("limit=2&cursor=", next.c_str());
    expect_list("- 3 from 6 after NULL b", next);
    expect_list("- 3 from 6 after NULL b", next + "&page=9");
    expect_list("- 2 from 2 before 2026-01-01T00:00:00.000001 a", link("limit=2&page=3", "prev"));
    expect("limit=2&page=1", link("limit=2&page=2", "prev"));
    STRCMP_CONTAINS(R"("page":4,"limit":2,"total":100,"totalPages":50)",
                    send(super_admin, "GET ?" + next).body.c_str());
    // There is a next page if the store finds one more user, regardless of the total.
    expect("none", link(next, "next"));
    store.total = 1;
    store.add("c", "c@x");
    expect_list("- 3 from 8 after NULL b", link(next, "next"));
    POINTERS_EQUAL(nullptr, std::strstr(send(super_admin, "GET ?" + next).body.c_str(), "c@x"));
    expect_list("- 3 from 0", link(next, "prev"));
    // A cursor created for another list is ignored.
    for (const char* other :
         {"&order=asc", "&sort=name", "&banned=true", "&createdAfter=2026-01-01"})
        expect(" 3 from 8",
               (ask(super_admin, "GET ?page=5&" + next + other),
                calls.text().substr(calls.text().find(" 3 from"), 9)),
               other);
    expect_list("x 3 from 0", next + "&search=x");
    expect_list("- 6 from 0", "limit=5&" + next);
    expect("200", ask(admin, "GET ?" + next));
    expect("list role=user search=- 3 from 0", calls.text());
}

TEST(list_users, links_to_the_next_page_despite_an_outdated_total) {
    store.users.clear();
    for (const char* const id : {"a", "b", "c"})
        store.add(id, id);
    store.total = 2;
    const std::string links = header_of(send(super_admin, "GET ?limit=2"), "Link");
    STRCMP_CONTAINS("rel=\"next\"", links.c_str());
}

TEST(list_users, next_cursor_has_an_id_only_if_keys_are_equal) {
    store.users.clear();
    store.add("a", "a@x").sort_key = "1";
    store.add("b", "b@x").sort_key = "2";
    store.add("c", "c@x");
    store.total = 100;
    const auto position = [&](const char* key_of_c) {
        store.users[2].sort_key = key_of_c;
        const std::string links = header_of(send(super_admin, "GET ?limit=2"), "Link");
        const std::size_t start = links.find("limit=2&cursor=");
        expect("200",
               ask(super_admin, "GET ?" + links.substr(start, links.find('>', start) - start)));
        return calls.text();
    };
    expect("list role=- search=- 3 from 2 after 2 b", position("2"));
    expect("list role=- search=- 3 from 2 after 2 ", position("3"));
}

TEST(list_users, links_repeat_the_query_with_another_page) {
    store.total = 1;
    const auto first = [&](const std::string& query) {
        const std::string links = header_of(send(super_admin, "GET ?" + query), "Link");
        return links.substr(0, links.find('>') + 1);
    };
    expect("<?limit=5&search=a%26b+c&page=1>", first("limit=5&page=7&search=a%26b+c&&p%61ge=8"));
    expect("<?search=%22%3E%3C%20%C3%B1%0D&unknown&page=1>",
           first("search=\"><%20\xc3\xb1\r&unknown"));
    base = "/api/\xc3\xb1 x%";
    expect("</api/%C3%B1%20x%25?page=1>", first(""));
    expect("", first("search=" + std::string(2000, 'x')));
}

TEST(list_users, links_keep_a_query_that_ends_in_a_question_mark) {
    STRCMP_CONTAINS("<?search=why?&page=1>;",
                    header_of(send(super_admin, "GET ?search=why?"), "Link").c_str());
}

} // namespace useradmin::test
