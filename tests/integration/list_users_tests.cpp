// Specification 4.1: GET /api/users.
#include "scene.hpp"

namespace useradmin::test {

namespace {

constexpr const char* no_permission_to_list = "No tienes permisos para ver usuarios";
constexpr const char* failed = "Error al obtener usuarios";

std::string page_of(const std::string& data, const std::string& pagination) {
    return R"({"success":true,"data":[)" + data + R"(],"pagination":{)" + pagination + "}}";
}

/// The pagination object of a list's reply.
std::string pagination_of(const Reply& reply, SourceLocation where = {}) {
    const auto found = between(reply.body, R"("pagination":{)", "}");
    if (!found)
        fail(reply, "there is no pagination", where);
    return *found;
}

} // namespace

TEST_GROUP_BASE(list_users, Scene){};

TEST(list_users, without_a_session_is_401) {
    expect_error(get(Caller::nobody, "/api/users"), 401, "No autorizado");
}

TEST(list_users, by_a_caller_who_is_neither_admin_nor_superAdmin_is_403) {
    expect_error(get(Caller::user, "/api/users"), 403, no_permission_to_list);
}

TEST(list_users, gives_a_superAdmin_all_users_newest_first_with_the_eleven_fields) {
    expect(get(Caller::super_admin, "/api/users"), 200,
           page_of(sara().json() + "," + ada().json() + "," + ulises().json(),
                   R"("page":1,"limit":20,"total":3,"totalPages":1)"));
}

TEST(list_users, is_byte_for_byte_this_envelope) {
    expect(
        get(Caller::admin, "/api/users"), 200,
        R"({"success":true,"data":[{"id":"ulises-1","name":"Ulises","email":"ulises@example.org",)"
        R"("role":"user","emailVerified":true,"image":null,"createdAt":"2026-01-01T00:00:00.000Z",)"
        R"("updatedAt":"2026-01-01T00:00:00.000Z","banned":false,"banReason":null,)"
        R"("banExpires":null}],"pagination":{"page":1,"limit":20,"total":1,"totalPages":1}})");
}

TEST(list_users, of_one_creation_time_comes_by_id) {
    for (const char* id : {"b", "c", "a"})
        add_user({id, "x", std::string(id) + "@x", "user", "2026-02-01T00:00:00.000Z"});
    CHECK_EQUAL(std::string("a b c sara-1 ada-1 ulises-1"),
                ids_of(get(Caller::super_admin, "/api/users")));
}

TEST(list_users, by_an_admin_adds_the_filter_role_user) {
    CHECK_EQUAL(std::string("ulises-1"), ids_of(get(Caller::admin, "/api/users")));
}

TEST(list_users, by_an_admin_ignores_the_role_parameter) {
    const auto reply = get(Caller::admin, "/api/users?role=superAdmin");
    CHECK_EQUAL(std::string("ulises-1"), ids_of(reply));
    CHECK_EQUAL(std::string(R"("page":1,"limit":20,"total":1,"totalPages":1)"),
                pagination_of(reply));
}

TEST(list_users, by_a_superAdmin_with_a_role_holds_that_role) {
    CHECK_EQUAL(std::string("ada-1"), ids_of(get(Caller::super_admin, "/api/users?role=admin")));
}

TEST(list_users, takes_a_role_to_the_letter) {
    add_user({"g", "G", "g@x", "gerente de zona", "2026-02-01T00:00:00.000Z"});
    CHECK_EQUAL(std::string("g"),
                ids_of(get(Caller::super_admin, "/api/users?role=gerente+de%20zona")));
    CHECK_EQUAL(std::string(""), ids_of(get(Caller::super_admin, "/api/users?role=superadmin")));
    CHECK_EQUAL(std::string(""), ids_of(get(Caller::super_admin, "/api/users?role=%25")));
}

TEST(list_users, that_matches_nothing_is_an_empty_list_of_no_pages) {
    expect(get(Caller::super_admin, "/api/users?role=gerente"), 200,
           page_of("", R"("page":1,"limit":20,"total":0,"totalPages":0)"));
}

TEST(list_users, search_matches_a_part_of_the_name) {
    CHECK_EQUAL(std::string("ulises-1"),
                ids_of(get(Caller::super_admin, "/api/users?search=lise")));
}

TEST(list_users, search_matches_a_part_of_the_email) {
    add_user({"e", "Elena", "buzon@correo.test", "admin", "2026-02-01T00:00:00.000Z"});
    CHECK_EQUAL(std::string("e"), ids_of(get(Caller::super_admin, "/api/users?search=n@correo")));
}

TEST(list_users, by_an_admin_with_search_holds_role_user_together_with_any_match) {
    const auto reply = get(Caller::admin, "/api/users?search=sara");
    CHECK_EQUAL(std::string("sara-1 ulises-1"), ids_of(reply));
    CHECK_EQUAL(std::string(R"("page":1,"limit":20,"total":2,"totalPages":1)"),
                pagination_of(reply));
}

TEST(list_users, by_a_superAdmin_with_role_and_search_is_the_union_of_both) {
    const auto reply = get(Caller::super_admin, "/api/users?role=admin&search=ulises");
    CHECK_EQUAL(std::string("ada-1 ulises-1"), ids_of(reply));
    CHECK_EQUAL(std::string(R"("page":1,"limit":20,"total":2,"totalPages":1)"),
                pagination_of(reply));
}

TEST(list_users, without_parameters_is_page_1_of_20) {
    add_users(22);
    const auto reply = get(Caller::super_admin, "/api/users");
    CHECK_EQUAL(
        std::string("sara-1 ada-1 ulises-1 u001 u002 u003 u004 u005 u006 u007 u008 u009 u010 "
                    "u011 u012 u013 u014 u015 u016 u017"),
        ids_of(reply));
    CHECK_EQUAL(std::string(R"("page":1,"limit":20,"total":25,"totalPages":2)"),
                pagination_of(reply));
}

TEST(list_users, begins_at_page_less_1_times_limit) {
    add_users(7);
    const auto reply = get(Caller::super_admin, "/api/users?page=3&limit=3");
    CHECK_EQUAL(std::string("u004 u005 u006"), ids_of(reply));
    CHECK_EQUAL(std::string(R"("page":3,"limit":3,"total":10,"totalPages":4)"),
                pagination_of(reply));
}

TEST(list_users, total_counts_what_the_filters_match_regardless_of_paging) {
    add_users(7);
    const auto reply = get(Caller::super_admin, "/api/users?page=2&limit=2&search=Persona");
    CHECK_EQUAL(std::string("u003 u004"), ids_of(reply));
    CHECK_EQUAL(std::string(R"("page":2,"limit":2,"total":7,"totalPages":4)"),
                pagination_of(reply));
}

TEST(list_users, totalPages_is_not_rounded_up_where_the_total_is_a_multiple) {
    add_users(3);
    CHECK_EQUAL(std::string(R"("page":1,"limit":3,"total":6,"totalPages":2)"),
                pagination_of(get(Caller::super_admin, "/api/users?limit=3")));
}

TEST(list_users, a_page_past_the_end_is_an_empty_list_and_keeps_the_total) {
    expect(get(Caller::super_admin, "/api/users?page=9"), 200,
           page_of("", R"("page":9,"limit":20,"total":3,"totalPages":1)"));
    expect(get(Caller::super_admin, "/api/users?page=2147483647&limit=1000"), 200,
           page_of("", R"("page":2147483647,"limit":1000,"total":3,"totalPages":1)"));
}

TEST(list_users, a_page_or_limit_that_is_no_whole_number_above_zero_is_the_default) {
    exclude_from_document();
    for (const char* text : {"",
                             "0",
                             "-1",
                             "-0",
                             "abc",
                             "1.5",
                             "1e3",
                             "2x",
                             "x2",
                             "%202",
                             "2%20",
                             "+2",
                             "%2B2",
                             "0x10",
                             "1,5",
                             "%00",
                             "2%00",
                             "\xc3\xa1",
                             "%ff",
                             "99999999999",
                             "18446744073709551617",
                             "99999999999999999999999999999999",
                             "null",
                             "true",
                             "[]",
                             "%31%2e"}) {
        const auto page = get(Caller::super_admin, std::string("/api/users?page=") + text);
        STRCMP_EQUAL_TEXT(R"("page":1,"limit":20,"total":3,"totalPages":1)",
                          pagination_of(page).c_str(), text);
        const auto limit = get(Caller::super_admin, std::string("/api/users?limit=") + text);
        STRCMP_EQUAL_TEXT(R"("page":1,"limit":20,"total":3,"totalPages":1)",
                          pagination_of(limit).c_str(), text);
    }
}

TEST(list_users, a_limit_over_the_maximum_is_cut_and_the_reply_echoes_the_value_used) {
    exclude_from_document();
    CHECK_EQUAL(std::string(R"("page":1,"limit":1000,"total":3,"totalPages":1)"),
                pagination_of(get(Caller::super_admin, "/api/users?limit=1001")));
    CHECK_EQUAL(std::string(R"("page":1,"limit":1000,"total":3,"totalPages":1)"),
                pagination_of(get(Caller::super_admin, "/api/users?limit=1000000")));
}

TEST(list_users, UserAdminMaxLimit_sets_the_largest_page) {
    exclude_from_document();
    add_users(4);
    const auto reply = get(Caller::super_admin, "/narrow/users?limit=5&page=2");
    CHECK_EQUAL(std::string("u001 u002 u003"), ids_of(reply));
    CHECK_EQUAL(std::string(R"("page":2,"limit":3,"total":7,"totalPages":3)"),
                pagination_of(reply));
}

TEST(list_users, the_default_limit_is_cut_to_UserAdminMaxLimit_too) {
    CHECK_EQUAL(std::string(R"("page":1,"limit":3,"total":3,"totalPages":1)"),
                pagination_of(get(Caller::super_admin, "/narrow/users")));
}

TEST(list_users, an_empty_search_or_role_is_as_if_absent) {
    CHECK_EQUAL(std::string("sara-1 ada-1 ulises-1"),
                ids_of(get(Caller::super_admin, "/api/users?search=&role=")));
    CHECK_EQUAL(std::string("ada-1"),
                ids_of(get(Caller::super_admin, "/api/users?search=&role=admin")));
    CHECK_EQUAL(std::string("ulises-1"), ids_of(get(Caller::admin, "/api/users?search=")));
    CHECK_EQUAL(std::string("sara-1 ada-1 ulises-1"),
                ids_of(get(Caller::super_admin, "/api/users?search")));
}

TEST(list_users, of_a_parameter_given_twice_the_first_counts) {
    CHECK_EQUAL(std::string("ada-1"),
                ids_of(get(Caller::super_admin, "/api/users?search=ada&search=sara")));
    CHECK_EQUAL(std::string("ada-1"),
                ids_of(get(Caller::super_admin, "/api/users?role=admin&role=user")));
    CHECK_EQUAL(std::string(R"("page":1,"limit":2,"total":3,"totalPages":2)"),
                pagination_of(get(Caller::super_admin, "/api/users?limit=2&limit=1")));
}

TEST(list_users, parameters_that_nobody_knows_are_ignored) {
    exclude_from_document();
    CHECK_EQUAL(std::string("sara-1 ada-1 ulises-1"),
                ids_of(get(Caller::super_admin, "/api/users?Search=x&ROLE=x&sort=id&=&&&a=b=c")));
}

TEST(list_users, search_takes_every_character_literally) {
    add_user({"percent", "100% suyo", "a@x", "user", "2026-02-01T00:00:00.000Z"});
    add_user({"underscore", "a_b", "b@x", "user", "2026-02-01T00:00:00.000Z"});
    add_user({"backslash", "a\\b", "c@x", "user", "2026-02-01T00:00:00.000Z"});
    add_user({"quote", "O'Hara", "d@x", "user", "2026-02-01T00:00:00.000Z"});
    add_user({"plus", "a+b", "e@x", "user", "2026-02-01T00:00:00.000Z"});
    const auto found = [](const std::string& search) {
        return ids_of(get(Caller::super_admin, "/api/users?search=" + search));
    };
    CHECK_EQUAL(std::string("percent"), found("%25"));
    CHECK_EQUAL(std::string("percent"), found("100%25+suyo"));
    CHECK_EQUAL(std::string("underscore"), found("_"));
    CHECK_EQUAL(std::string("underscore"), found("a_b"));
    CHECK_EQUAL(std::string("backslash"), found("%5C"));
    CHECK_EQUAL(std::string("quote"), found("o'h"));
    CHECK_EQUAL(std::string("plus"), found("a%2Bb"));
    CHECK_EQUAL(std::string(""), found("%25%25"));
    CHECK_EQUAL(std::string(""), found("*"));
    CHECK_EQUAL(std::string(""), found("'%20OR%201=1%20--"));
}

TEST(list_users, search_takes_upper_and_lower_case_alike) {
    add_user({"angel",
              "\xc3\x81NGEL Nu\xc3\xb1"
              "ez",
              "a@x", "user", "2026-02-01T00:00:00.000Z"});
    CHECK_EQUAL(std::string("sara-1"), ids_of(get(Caller::super_admin, "/api/users?search=SARA")));
    CHECK_EQUAL(std::string("angel"),
                ids_of(get(Caller::super_admin, "/api/users?search=%C3%A1ngel")));
    CHECK_EQUAL(std::string("angel"),
                ids_of(get(Caller::super_admin, "/api/users?search=NU%C3%91EZ")));
}

TEST(list_users, a_search_that_is_not_clean_UTF_8_is_500) {
    for (const char* text : {"%ff", "%C3", "a%00b", "%00", "%ED%A0%80", "%C0%AF", "%F4%90%80%80"}) {
        expect_error(get(Caller::super_admin, std::string("/api/users?search=") + text), 500,
                     failed);
        expect_error(get(Caller::admin, std::string("/api/users?search=") + text), 500, failed);
    }
}

TEST(list_users, a_role_that_is_not_clean_UTF_8_is_500_for_a_superAdmin_alone) {
    for (const char* text : {"%ff", "a%00b"}) {
        expect_error(get(Caller::super_admin, std::string("/api/users?role=") + text), 500, failed);
        CHECK_EQUAL(std::string("ulises-1"),
                    ids_of(get(Caller::admin, std::string("/api/users?role=") + text)));
    }
}

TEST(list_users, a_percent_sign_that_escapes_nothing_stays_as_it_is) {
    add_user({"percent", "50%zz", "a@x", "user", "2026-02-01T00:00:00.000Z"});
    CHECK_EQUAL(std::string("percent"), ids_of(get(Caller::super_admin, "/api/users?search=%zz")));
    CHECK_EQUAL(std::string("percent"), ids_of(get(Caller::super_admin, "/api/users?search=0%")));
}

TEST(list_users, a_role_of_NULL_is_user_in_replies_and_in_filters) {
    add_user({"norole", "N", "n@x", "NULL", "2026-02-01T00:00:00.000Z"});
    const auto reply = get(Caller::super_admin, "/api/users?role=user");
    CHECK_EQUAL(std::string("norole ulises-1"), ids_of(reply));
    CHECK_EQUAL(std::string("user"), text_member(reply, "role"));
    CHECK_EQUAL(std::string("norole ulises-1"), ids_of(get(Caller::admin, "/api/users")));
}

TEST(list_users, gives_each_field_its_value_and_NULL_as_null) {
    sql().run(
        "UPDATE \"user\" SET \"emailVerified\" = FALSE, \"image\" = 'https://x/u.png', "
        "\"banned\" = TRUE, \"banReason\" = 'spam', \"createdAt\" = '2024-02-29T23:59:59.999Z', "
        "\"updatedAt\" = '2026-11-20T23:30:19.717Z', \"banExpires\" = '2027-12-31T22:00:00.010Z' "
        "WHERE \"id\" = 'ulises-1'");
    expect(
        get(Caller::admin, "/api/users"), 200,
        page_of(R"({"id":"ulises-1","name":"Ulises","email":"ulises@example.org","role":"user",)"
                R"("emailVerified":false,"image":"https://x/u.png",)"
                R"("createdAt":"2024-02-29T23:59:59.999Z","updatedAt":"2026-11-20T23:30:19.717Z",)"
                R"("banned":true,"banReason":"spam","banExpires":"2027-12-31T22:00:00.010Z"})",
                R"("page":1,"limit":20,"total":1,"totalPages":1)"));
}

TEST(list_users, escapes_what_JSON_wants_escaped_and_leaves_the_rest_as_UTF_8) {
    sql().run("UPDATE \"user\" SET \"name\" = 'a\"b\\c/d\te\nf\x01g\x7f \xc3\xb1 "
              "\xf0\x9f\x98\x80 <script>' WHERE \"id\" = 'ulises-1'");
    CHECK_EQUAL(std::string("a\\\"b\\\\c/d\\te\\nf\\u0001g\x7f \xc3\xb1 \xf0\x9f\x98\x80 <script>"),
                *between(get(Caller::admin, "/api/users").body, R"("name":")", R"(","email")"));
}

TEST(list_users, with_a_slash_at_the_end_is_the_same) {
    CHECK_EQUAL(get(Caller::super_admin, "/api/users").body,
                get(Caller::super_admin, "/api/users/").body);
    CHECK_EQUAL(std::string("ada-1"), ids_of(get(Caller::super_admin, "/api/users/?role=admin")));
}

TEST(list_users, is_sorted_and_filtered_as_the_query_says) {
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

TEST(list_users, tells_the_total_and_the_other_pages_in_headers) {
    const auto reply =
        get(Caller::super_admin, "/api/users?limit=1&page=2&search=%C3%B1&role=user");
    CHECK_EQUAL(std::string("1"), reply.header("X-Total-Count").value_or("(none)"));
    CHECK_EQUAL(std::string("</api/users?limit=1&search=%C3%B1&role=user&page=1>; rel=\"first\", "
                            "</api/users?limit=1&search=%C3%B1&role=user&page=1>; rel=\"prev\", "
                            "</api/users?limit=1&search=%C3%B1&role=user&page=1>; rel=\"last\""),
                reply.header("Link").value_or("(none)"));
    const auto first = get(Caller::super_admin, "/api/users?limit=2");
    CHECK_EQUAL(std::string("3"), first.header("X-Total-Count").value_or("(none)"));
    CHECK_EQUAL(std::string("</api/users?limit=2&page=1>; rel=\"first\", "
                            "</api/users?limit=2&page=2>; rel=\"next\", "
                            "</api/users?limit=2&page=2>; rel=\"last\""),
                first.header("Link").value_or("(none)"));
    CHECK_FALSE(get(Caller::user, "/api/users").header("Link").has_value());
}

} // namespace useradmin::test
