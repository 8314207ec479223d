// Tests the contract of the store (store/store.hpp) on every database.
#include "contract.hpp"
#include "support/expected_users.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/search_pairs.hpp"

#include <map>
#include <optional>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace useradmin::test {

namespace {

std::string or_nothing(const model::NullableText& text) {
    return text ? std::string(*text) : "(nothing)";
}

std::string or_nothing(const std::optional<text::Timestamp>& time) {
    if (!time)
        return "(nothing)";
    std::string text;
    text::append_iso8601(text, *time);
    return text;
}

} // namespace

TEST_GROUP_BASE(list, Contract){};

TEST(list, without_users_is_empty_with_a_total_of_zero) {
    const auto page = expect_ok(store().list({}, {20, 0}));
    CHECK(page.users.empty());
    CHECK_EQUAL(0, page.total);
}

TEST(list, is_sorted_newest_first_and_then_by_id) {
    add_user("b", "b@x", "'user'", "2026-01-01T00:00:00.000Z");
    add_user("a", "a@x", "'user'", "2026-01-01T00:00:00.000Z");
    add_user("c", "c@x", "'user'", "2026-01-01T00:00:00.001Z");
    add_user("d", "d@x", "'user'", "2025-12-31T23:59:59.999Z");
    const auto page = expect_ok(store().list({}, {20, 0}));
    CHECK_EQUAL(std::string("c a b d"), ids(page));
}

TEST(list, has_its_page_and_the_total_of_all_matches) {
    for (const char* id : {"a", "b", "c", "d", "e"})
        add_user(id, std::string(id) + "@x");
    for (const auto& [offset, wanted] : {std::pair<std::int64_t, const char*>(0, "a b"),
                                         {2, "c d"},
                                         {4, "e"},
                                         {2000000000000, ""}}) {
        const auto page = expect_ok(store().list({}, {2, offset}));
        CHECK_EQUAL(std::string(wanted), ids(page));
        CHECK_EQUAL(5, page.total);
    }
}

TEST(list, with_a_role_contains_only_that_role) {
    add_user("a", "a@x", "'admin'");
    add_user("b", "b@x", "'user'");
    const auto page = expect_ok(store().list({"admin", {}}, {20, 0}));
    CHECK_EQUAL(std::string("a"), ids(page));
    CHECK_EQUAL(1, page.total);
}

TEST(list, counts_a_role_of_null_as_user) {
    add_user("a", "a@x", "NULL");
    add_user("b", "b@x", "'admin'");
    CHECK_EQUAL(std::string("a"), ids(expect_ok(store().list({"user", {}}, {20, 0}))));
}

TEST(list, compares_roles_exactly) {
    add_user("a", "a@x", "'superAdmin'");
    CHECK_EQUAL(std::string(""), ids(expect_ok(store().list({"superadmin", {}}, {20, 0}))));
    CHECK_EQUAL(std::string(""), ids(expect_ok(store().list({"super", {}}, {20, 0}))));
    CHECK_EQUAL(std::string("a"), ids(expect_ok(store().list({"superAdmin", {}}, {20, 0}))));
}

TEST(list, searches_the_name_and_the_email) {
    add_user("needle", "a@x");
    add_user("b", "has.needle.inside@x");
    add_user("c", "c@x");
    const auto page = expect_ok(store().list({{}, "needle"}, {20, 0}));
    CHECK_EQUAL(std::string("b needle"), ids(page));
    CHECK_EQUAL(2, page.total);
}

TEST(list, combines_role_and_search_with_or) {
    add_user("a", "a@x", "'admin'");
    add_user("b", "needle@x", "'user'");
    add_user("c", "needle.too@x", "'admin'");
    add_user("d", "d@x", "'user'");
    const auto page = expect_ok(store().list({"admin", "needle"}, {20, 0}));
    CHECK_EQUAL(std::string("a b c"), ids(page));
    CHECK_EQUAL(3, page.total);
}

TEST(list, takes_every_character_of_a_search_literally) {
    add_user("percent", "100%@x");
    add_user("underscore", "a_b@x");
    add_user("backslash", "a\\b@x");
    add_user("quote", "o'hara@x");
    add_user("plain", "axb100@x");
    CHECK_EQUAL(std::string("percent"), ids(expect_ok(store().list({{}, "0%"}, {20, 0}))));
    CHECK_EQUAL(std::string("underscore"), ids(expect_ok(store().list({{}, "a_b"}, {20, 0}))));
    CHECK_EQUAL(std::string("backslash"), ids(expect_ok(store().list({{}, "\\"}, {20, 0}))));
    CHECK_EQUAL(std::string("quote"), ids(expect_ok(store().list({{}, "o'h"}, {20, 0}))));
    CHECK_EQUAL(std::string(""), ids(expect_ok(store().list({{}, "*"}, {20, 0}))));
    CHECK_EQUAL(std::string(""), ids(expect_ok(store().list({{}, "%s"}, {20, 0}))));
}

TEST(list, ignores_case_in_a_search) {
    add_user("a", "Needle@x");
    add_user("b", "\xc3\x81NGEL@x"); // ÁNGEL
    CHECK_EQUAL(std::string("a"), ids(expect_ok(store().list({{}, "nEEDLE"}, {20, 0}))));
    CHECK_EQUAL(std::string("b"), ids(expect_ok(store().list({{}, "\xc3\xa1ngel"}, {20, 0}))));
}

TEST(list, ignores_accents_in_a_search) {
    add_user("l", "Łukasz Żółć");
    add_user("o", "Ødegård");
    add_user("y", "Yılmaz İPEK");
    add_user("e", "Æsop Œuvre");
    add_user("g", "Groß");
    add_user("z", "LUKASZ ODEGARD YILMAZ AESOP GROSS");
    const auto check = [&](const char* search, const char* id) {
        CHECK_EQUAL(std::string(id) + " z", ids(expect_ok(store().list({{}, search}, {20, 0}))));
    };
    for (const char* search : {"lukasz", "Łukasz", "ŁUKASZ"})
        check(search, "l");
    for (const char* search : {"odegard", "ØDEGÅRD", "ødegard"})
        check(search, "o");
    for (const char* search : {"yilmaz", "YILMAZ", "yılmaz"})
        check(search, "y");
    for (const char* search : {"aesop", "æsop", "ÆSOP"})
        check(search, "e");
    for (const char* search : {"gross", "GROẞ", "groß"})
        check(search, "g");
    CHECK_EQUAL(std::string("l"), ids(expect_ok(store().list({{}, "zolc"}, {20, 0}))));
    CHECK_EQUAL(std::string("e"), ids(expect_ok(store().list({{}, "oeuvre"}, {20, 0}))));
    CHECK_EQUAL(std::string("y"), ids(expect_ok(store().list({{}, "ipek"}, {20, 0}))));
}

TEST(list, search_ignores_the_accent_of_a_word_with_final_sigma) {
    add_user("g", "γιώργος νίκου");
    for (const char* search : {"γιωργος", "γιωργοσ", "ργος ν", "νικου γιώργος"})
        CHECK_EQUAL(std::string("g"), ids(expect_ok(store().list({{}, search}, {20, 0}))));
}

TEST(list, searches_parts_of_folded_and_decomposed_letters) {
    add_user("s", "Weißß Þór-[Ñu.ñez]\\ \xef\xac\x81n"); // fin, with a ligature
    add_user("m", "e\xcc\x81\xcc\xa3te\xcc\x81 Фёдор 9é");
    const auto check = [&](const char* search, const char* id) {
        CHECK_EQUAL(std::string(id), ids(expect_ok(store().list({{}, search}, {20, 0}))));
    };
    for (const char* search :
         {"eis", "weissss", "iß", "sss", "thor", "hor", "þor-[nu.nez]\\", "\xef\xac\x81"})
        check(search, "s");
    for (const char* search : {"ete", "ÉTÉ", "федор", "Фёд", "р 9e", "9\xc3\x89"})
        check(search, "m");
    for (const char* search : {"weisssss", "wess", "nu-nez", "etee", "фдор", "99e"})
        check(search, "");
}

TEST(list, searches_every_script_like_the_reference) {
    ExpectedUsers all;
    for (const SearchPair& pair : search_pairs) {
        const std::string id = std::to_string(100 + all.size());
        add_user(id, pair.stored);
        all.push_back({id, "Name of " + id, pair.stored, ""});
    }
    all.sort({});
    for (const SearchPair& pair : search_pairs) {
        const store::Filter filter = {{}, pair.searched};
        const std::string expected = all.page(filter, {100, 0});
        const store::Page page = expect_ok(store().list(filter, {100, 0}));
        CHECK_EQUAL_TEXT(expected, ids(page) + " of " + std::to_string(page.total), pair.searched);
        CHECK_TEXT(matches(filter, {"", "", pair.stored, ""}), pair.searched);
    }
}

TEST(list, searches_words_in_any_order) {
    add_user("a", "a@x", "NULL");
    add_user("b", "berg.ana@x");
    add_user("c", "ana.c@x");
    for (const char* search : {"berg ana", "ana berg", "  ana\tberg ", "ana berg @x b",
                               "a\xc2\xa0"
                               "berg",
                               "b a e r g . n @x"})
        CHECK_EQUAL(std::string("b"), ids(expect_ok(store().list({{}, search}, {20, 0}))));
}

TEST(list, finds_combining_marks_where_they_are_stored) {
    add_user("a", "a@x");
    add_user("b", "A\xcc\x81"
                  "b@x");        // A and a combining acute accent
    add_user("c", "\xc3\x81@x"); // Á
    const auto page = expect_ok(store().list({{}, "\xcc\x81"}, {20, 0}));
    CHECK_EQUAL(std::string("b"), ids(page));
    CHECK_EQUAL(1, page.total);
}

class Lists : public Contract {
  protected:
    /// Adds users who differ in every field that lists filter or sort by.
    void add_users() {
        const auto add = [&](const char* id, const char* name, const char* email, const char* role,
                             const char* time, const char* rest) {
            add_user(id, email, role, std::string("2026-01-0") + time + "T00:00:00.000Z");
            sql().run("UPDATE \"user\" SET \"name\" = " + sql_literal(name) + ", " + rest +
                      " WHERE \"id\" = " + sql_literal(id));
        };
        add("a", "zoe", "B@x", "'user'", "1", "\"banned\" = TRUE, \"updatedAt\" = '2026-02-03'");
        add("b", "\xc3\x81ngel", "a@x", "'admin'", "2",
            "\"banned\" = FALSE, \"updatedAt\" = '2026-02-01'");
        add("c", "Ana", "d@x", "NULL", "3",
            "\"emailVerified\" = FALSE, \"updatedAt\" = '2026-02-02'");
        add("d", "ANGEL", "c@x", "'user'", "4", "\"banned\" = NULL, \"updatedAt\" = '2026-02-02'");
    }

    std::string ids_of(const store::Filter& filter, const store::Order& order = {},
                       std::int64_t limit = 20, std::int64_t offset = 0) {
        const auto page = expect_ok(store().list(filter, {limit, offset, order}));
        return ids(page) + " of " + std::to_string(page.total);
    }
};

TEST_GROUP_BASE(lists, Lists){};

TEST(lists, are_sorted_in_exact_reverse_order) {
    add_users();
    using Key = store::SortKey;
    for (const auto& [key, ascending] : {std::pair{Key::created_at, "a b c d"},
                                         {Key::name, "c b d a"},
                                         {Key::email, "b a d c"},
                                         {Key::updated_at, "b d c a"}}) {
        const std::string forth = ascending;
        const std::string back(forth.rbegin(), forth.rend());
        CHECK_EQUAL(forth + " of 4", ids_of({}, {key, false}));
        CHECK_EQUAL(back + " of 4", ids_of({}, {key, true}));
        CHECK_EQUAL(back.substr(2, 3) + " of 4", ids_of({}, {key, true}, 2, 1));
        CHECK_EQUAL(std::string(" of 4"), ids_of({}, {key, true}, 2, 9));
        // The same applies with a filter.
        CHECK_EQUAL(forth + " of 4", ids_of({"user", "a"}, {key, false}));
        CHECK_EQUAL(forth.substr(4) + " of 4", ids_of({"user", "a"}, {key, false}, 2, 2));
    }
}

TEST(lists, match_any_filter_or_all_filters) {
    add_users();
    store::Filter filter;
    filter.banned = true;
    CHECK_EQUAL(std::string("a of 1"), ids_of(filter));
    filter.banned = false;
    CHECK_EQUAL(std::string("d c b of 3"), ids_of(filter));
    filter.matches_all = true;
    filter.role = "user";
    CHECK_EQUAL(std::string("d c of 2"), ids_of(filter));
    filter.search = "ANA";
    CHECK_EQUAL(std::string("c of 1"), ids_of(filter));
    filter.matches_all = false;
    CHECK_EQUAL(std::string("d c b a of 4"), ids_of(filter));
    filter = {};
    filter.email_verified = false;
    CHECK_EQUAL(std::string("c of 1"), ids_of(filter));
    filter.email_verified = true;
    CHECK_EQUAL(std::string("d b a of 3"), ids_of(filter));
    CHECK_EQUAL(std::string("a of 3"), ids_of(filter, {}, 2, 2));
    CHECK_EQUAL(std::string(" of 3"), ids_of(filter, {}, 2, 20000));
}

TEST(lists, are_filtered_by_the_time_of_creation) {
    add_users();
    store::Filter filter;
    filter.created_from = at("2026-01-02T00:00:00.000Z");
    CHECK_EQUAL(std::string("d c b of 3"), ids_of(filter));
    filter.created_from = at("2026-01-02T00:00:00.001Z");
    CHECK_EQUAL(std::string("d c of 2"), ids_of(filter));
    filter.created_before = at("2026-01-04T00:00:00.000Z");
    CHECK_EQUAL(std::string("d c b a of 4"), ids_of(filter));
    filter.matches_all = true;
    CHECK_EQUAL(std::string("c of 1"), ids_of(filter));
    filter.created_before = at("2026-01-03T00:00:00.000Z");
    CHECK_EQUAL(std::string(" of 0"), ids_of(filter));
}

TEST(lists, are_sorted_correctly_with_thousands_of_matches) {
    add_users();
    const bool is_postgresql = database().kind() == Kind::postgresql;
    sql().run(std::string("INSERT INTO \"user\" (\"id\", \"name\", \"email\", \"emailVerified\", "
                          "\"createdAt\", \"updatedAt\", \"banned\") ") +
              (is_postgresql ? "SELECT 'x' || n, 'm', 'm' || n || '@x', TRUE, '2025-01-01', "
                               "'2025-01-01', TRUE FROM generate_series(1, 5100) n"
                             : "WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s "
                               "WHERE n < 5100) SELECT 'x' || n, 'm', 'm' || n || '@x', TRUE, "
                               "'2025-01-01', '2025-01-01', TRUE FROM s"));
    store::Filter filter;
    filter.banned = true;
    CHECK_EQUAL(std::string("a of 5101"), ids_of(filter, {store::SortKey::name, true}, 1));
    CHECK_EQUAL(std::string("a of 5101"), ids_of(filter, {store::SortKey::name, false}, 5, 5100));
    filter.search = "m";
    filter.matches_all = true;
    CHECK_EQUAL(std::string("x1 of 5100"), ids_of(filter, {store::SortKey::name, false}, 1));
}

TEST_GROUP_BASE(find, Contract){};

TEST(find, returns_nothing_for_an_unknown_id) {
    CHECK(is_not_found(store().find("nobody")));
}

TEST(find, returns_the_eleven_fields) {
    sql().run("INSERT INTO \"user\" (\"id\", \"name\", \"email\", \"emailVerified\", \"image\", "
              "\"createdAt\", \"updatedAt\", \"role\", \"banned\", \"banReason\", \"banExpires\") "
              "VALUES ('u', 'Eva', 'eva@x', TRUE, 'https://x/eva.png', '2026-01-02T03:04:05.678Z', "
              "'2026-02-03T04:05:06.789Z', 'admin', TRUE, 'spam', '2027-01-01T00:00:00.000Z')");
    CHECK_EQUAL(std::string("id=u, name=Eva, email=eva@x, role=admin, emailVerified=true, "
                            "image=https://x/eva.png, createdAt=2026-01-02T03:04:05.678Z, "
                            "updatedAt=2026-02-03T04:05:06.789Z, banned=true, banReason=spam, "
                            "banExpires=2027-01-01T00:00:00.000Z"),
                describe(expect_ok(store().find("u"))));
}

TEST(find, returns_no_time_after_the_year_9999) {
    add_user("u", "u@x");
    const auto ban_expiry = [&](const std::string& time) {
        sql().run("UPDATE \"user\" SET \"banExpires\" = " + sql_literal(time));
        return expect_ok(store().find("u")).ban_expires;
    };
    CHECK(ban_expiry("9999-12-31T23:59:59.999Z") == text::last_time);
    CHECK_FALSE(ban_expiry("10000-01-01T00:00:00.000Z").has_value());
}

TEST(find, distinguishes_null_and_an_empty_string) {
    add_user("u", "u@x", "NULL");
    sql().run("UPDATE \"user\" SET \"banReason\" = ''");
    CHECK_EQUAL(std::string("id=u, name=Name of u, email=u@x, emailVerified=true, "
                            "createdAt=2026-01-01T00:00:00.000Z, "
                            "updatedAt=2026-01-01T00:00:00.000Z, banned=false, banReason="),
                describe(expect_ok(store().find("u"))));
}

TEST(find, compares_ids_exactly) {
    add_user("Abc", "a@x");
    add_user("it's 100%s; --", "b@x");
    CHECK(is_not_found(store().find("abc")));
    CHECK(is_not_found(store().find("Abc ")));
    expect_ok(store().find("Abc"));
    expect_ok(store().find("it's 100%s; --"));
}

TEST_GROUP_BASE(find_by_email, Contract){};

TEST(find_by_email, compares_addresses_exactly) {
    add_user("a", "Ana@x");
    CHECK(is_not_found(store().find_by_email("ana@x")));
    CHECK(is_not_found(store().find_by_email("Ana")));
    expect_ok(store().find_by_email("Ana@x"));
}

TEST_GROUP_BASE(create, Contract){};

TEST(create, stores_the_user_and_its_account) {
    expect_ok(store().create(new_user("n", "n@x")));
    const auto user = sql().rows("SELECT \"id\", \"name\", \"email\", \"role\", "
                                 "CASE WHEN \"emailVerified\" THEN 'yes' ELSE 'no' END, \"image\", "
                                 "\"banReason\", \"banExpires\" FROM \"user\"");
    CHECK_EQUAL(1U, user.size());
    CHECK(user[0] == (Database::Row{"n", "Nueva Persona", "n@x", "user", "yes", {}, {}, {}}));
    const auto account = sql().rows("SELECT \"id\", \"accountId\", \"providerId\", \"userId\", "
                                    "\"password\" FROM \"account\"");
    CHECK_EQUAL(1U, account.size());
    CHECK(account[0] ==
          (Database::Row{"account-of-the-new-one", "n@x", "credential", "n", "a hash"}));
}

TEST(create, sets_the_creation_and_update_times_of_both_rows) {
    expect_ok(store().create(new_user("n", "n@x")));
    for (const char* table : {"user", "account"})
        CHECK_EQUAL(1, sql().number("SELECT count(*) FROM \"" + std::string(table) +
                                    "\" WHERE \"createdAt\" = '2026-03-04T05:06:07.089Z' AND "
                                    "\"updatedAt\" = '2026-03-04T05:06:07.089Z'"));
}

TEST(create, returns_the_stored_row) {
    CHECK_EQUAL(std::string("id=n, name=Nueva Persona, email=n@x, role=user, emailVerified=true, "
                            "createdAt=2026-03-04T05:06:07.089Z, "
                            "updatedAt=2026-03-04T05:06:07.089Z, banned=false"),
                describe(expect_ok(store().create(new_user("n", "n@x")))));
}

TEST(create, with_a_registered_address_stores_nothing) {
    add_user("a", "taken@x");
    CHECK(store().create(new_user("n", "taken@x")).failure() == store::Failure::email_taken);
    CHECK_EQUAL(1, sql().number("SELECT count(*) FROM \"user\""));
    CHECK_EQUAL(0, sql().number("SELECT count(*) FROM \"account\""));
}

TEST(create, with_a_registered_address_is_reported_with_a_listener) {
    IgnoringListener before(true);
    set_change_listener(&before);
    add_user("a", "taken@x");
    CHECK(store().create(new_user("n", "taken@x")).failure() == store::Failure::email_taken);
    CHECK_EQUAL(1, sql().number("SELECT count(*) FROM \"user\""));
    expect_error("UA0106");
    CHECK(is_failure(store().create(new_user("a", "free@x"))));
    expect_ok(store().create(new_user("n", "n@x")));
    CHECK_EQUAL(std::string("taken@x"), std::string(expect_ok(store().find("a")).email));
    expect_ok(store().find("n"));
}

TEST(create, that_cannot_store_the_account_stores_no_user) {
    expect_error("UA0106");
    expect_ok(store().create(new_user("first", "first@x")));
    // Both accounts have the same id.
    CHECK(is_failure(store().create(new_user("second", "second@x"))));
    CHECK_EQUAL(1, sql().number("SELECT count(*) FROM \"user\""));
    CHECK_EQUAL(1, sql().number("SELECT count(*) FROM \"account\""));
    // This uses another connection, which would block if the transaction were still open.
    add_user("other", "other@x");
    expect_ok(store().find("other"));
}

TEST(create, stores_strings_unchanged) {
    auto user = new_user("n", "it's \"100%s\" \\ @x");
    user.name = "\xc3\x81 \xf0\x9f\x98\x80 ' % %s \\ \n\t;--";
    const auto created = expect_ok(store().create(user));
    CHECK_EQUAL(std::string(user.name), std::string(created.name));
    CHECK_EQUAL(std::string(user.name), *sql().value("SELECT \"name\" FROM \"user\""));
    CHECK_EQUAL(std::string(user.email), *sql().value("SELECT \"accountId\" FROM \"account\""));
}

TEST_GROUP_BASE(update, Contract){};

TEST(update, unknown_id_returns_nothing) {
    CHECK(is_not_found(store().update("nobody", {})));
}

TEST(update, sets_the_given_fields) {
    add_user("u", "u@x");
    const store::Changes changes = {
        {"name", "Otro"}, {"email", "otro@x"},   {"role", "gerente"},
        {"banned", true}, {"banReason", "spam"}, {"updatedAt", at("2026-05-06T07:08:09.010Z")}};
    const std::string updated = describe(expect_ok(store().update("u", changes)));
    CHECK_EQUAL(std::string("id=u, name=Otro, email=otro@x, role=gerente, emailVerified=true, "
                            "createdAt=2026-01-01T00:00:00.000Z, "
                            "updatedAt=2026-05-06T07:08:09.010Z, banned=true, banReason=spam"),
                updated);
    CHECK_EQUAL(updated, describe(expect_ok(store().find("u"))));
}

TEST(update, keeps_other_fields) {
    add_user("u", "u@x", "'admin'");
    sql().run("UPDATE \"user\" SET \"banned\" = TRUE, \"banReason\" = 'spam', "
              "\"banExpires\" = '2027-01-01T00:00:00.000Z'");
    const store::Changes changes = {{"updatedAt", at("2026-05-06T07:08:09.010Z")}};
    CHECK_EQUAL(std::string("id=u, name=Name of u, email=u@x, role=admin, emailVerified=true, "
                            "createdAt=2026-01-01T00:00:00.000Z, "
                            "updatedAt=2026-05-06T07:08:09.010Z, banned=true, banReason=spam, "
                            "banExpires=2027-01-01T00:00:00.000Z"),
                describe(expect_ok(store().update("u", changes))));
}

TEST(update, changes_no_other_row) {
    add_user("u", "u@x");
    add_user("v", "v@x");
    const store::Changes changes = {{"name", "Otro"}};
    expect_ok(store().update("u", changes));
    CHECK_EQUAL(std::string("Name of v"),
                *sql().value("SELECT \"name\" FROM \"user\" WHERE \"id\" = 'v'"));
}

TEST(update, does_not_change_the_account) {
    expect_ok(store().create(new_user("n", "n@x")));
    const store::Changes changes = {{"email", "other@x"}};
    expect_ok(store().update("n", changes));
    CHECK_EQUAL(std::string("n@x"), *sql().value("SELECT \"accountId\" FROM \"account\""));
}

TEST(update, to_a_registered_address_fails_and_changes_nothing) {
    expect_error("UA0106");
    add_user("u", "u@x");
    add_user("v", "v@x");
    const store::Changes changes = {{"name", "Otro"}, {"email", "v@x"}};
    CHECK(is_failure(store().update("u", changes)));
    CHECK_EQUAL(std::string("Name of u"),
                *sql().value("SELECT \"name\" FROM \"user\" WHERE \"id\" = 'u'"));
}

TEST(update, does_not_log_the_values_of_a_failure) {
    expect_error("UA0106");
    add_user("u", "u@x");
    add_user("v", "private.address@x");
    const store::Changes changes = {{"email", "private.address@x"}};
    CHECK(is_failure(store().update("u", changes)));
    for (const auto& line : log_.lines)
        CHECK_TEXT(line.find("private.address") == std::string::npos, line.c_str());
}

TEST(update, sets_a_ban_and_lifts_it_completely) {
    add_user("u", "u@x");
    const auto banned = expect_ok(store().update(
        "u",
        {{"banned", true}, {"banReason", "spam"}, {"banExpires", at("2027-01-01T00:00:00.000Z")}}));
    CHECK(banned.banned);
    CHECK_EQUAL(std::string("spam"), or_nothing(banned.ban_reason));
    CHECK_EQUAL(std::string("2027-01-01T00:00:00.000Z"), or_nothing(banned.ban_expires));
    const auto free =
        expect_ok(store().update("u", {{"banned", false}, {"banReason", {}}, {"banExpires", {}}}));
    CHECK(!free.banned);
    CHECK_EQUAL(std::string("(nothing)"), or_nothing(free.ban_reason));
    CHECK_EQUAL(std::string("(nothing)"), or_nothing(free.ban_expires));
}

class EmailChanges : public Contract {
  protected:
    void setup() override {
        Contract::setup();
        add_user("u", "Ana@x");
        add_user("v", "v@x");
    }

    /// Marks all addresses as verified and changes one user's address. Returns whether that address
    /// is still verified.
    bool stays_verified(std::string_view email, bool lowers_email = false,
                        std::string_view id = "u") {
        sql().run("UPDATE \"user\" SET \"emailVerified\" = TRUE");
        const auto user = expect_ok(store().update(
            id, {{"email", email}, store::unverify_changed_email(lowers_email), {"name", "New"}}));
        CHECK_EQUAL(std::string(email), std::string(user.email));
        CHECK_EQUAL(expect_ok(store().find(id)).email_verified, user.email_verified);
        CHECK(expect_ok(store().find(id == "u" ? "v" : "u")).email_verified);
        return user.email_verified;
    }
};

TEST_GROUP_BASE(email_change, EmailChanges){};
TEST_GROUP_BASE(postgresql_email_change, EmailChanges){};

TEST(email_change, unverifies_a_new_address) {
    CHECK_FALSE(stays_verified("bo@x"));
    CHECK_FALSE(stays_verified("cy@x", true));
}

TEST(email_change, to_the_same_address_keeps_it_verified) {
    CHECK(stays_verified("Ana@x"));
    CHECK(stays_verified("ana@x", true));
}

TEST(email_change, that_affects_only_case_unverifies_unless_case_is_ignored) {
    CHECK_FALSE(stays_verified("ana@x"));
    CHECK(stays_verified("ANA@X", true));
}

TEST(email_change, leaves_an_unverified_address_unverified) {
    const auto user = expect_ok(store().update("u", {{"emailVerified", false}}));
    CHECK_FALSE(user.email_verified);
    CHECK_FALSE(
        expect_ok(store().update("u", {{"email", "Ana@x"}, store::unverify_changed_email(false)}))
            .email_verified);
}

TEST(email_change, with_a_ban_clears_only_an_expiry_in_the_past) {
    const text::Timestamp now = text::now();
    const auto ban_expiry_after = [&](std::chrono::seconds distance) {
        const text::Timestamp end = now + distance;
        expect_ok(store().update("u", {{"banExpires", end}}));
        return expect_ok(store().update("u", {{"updatedAt", now}, store::clear_past_ban_expiry()}))
            .ban_expires;
    };
    CHECK_FALSE(ban_expiry_after(std::chrono::seconds(-1)).has_value());
    CHECK_FALSE(ban_expiry_after(std::chrono::seconds(0)).has_value());
    CHECK(ban_expiry_after(std::chrono::seconds(1)) == now + std::chrono::seconds(1));
    expect_ok(store().update("u", {{"banExpires", {}}}));
    CHECK_FALSE(expect_ok(store().update("u", {{"updatedAt", now}, store::clear_past_ban_expiry()}))
                    .ban_expires.has_value());
}

TEST(email_change, without_an_address_keeps_it_verified) {
    expect_ok(store().update("u", {{"emailVerified", true}}));
    CHECK(expect_ok(store().update("u", {{"name", "New"}, store::unverify_changed_email(false)}))
              .email_verified);
}

TEST(email_change, reports_the_stored_value_to_any_listener) {
    class Listener final : public IgnoringListener {
      public:
        using IgnoringListener::IgnoringListener;
        bool on_change(std::string_view, const model::User* before,
                       const model::User* after) override {
            seen = std::to_string(before->email_verified) + std::to_string(after->email_verified);
            return true;
        }
        std::string seen;
    };
    int number = 0;
    for (const bool runs_before_commit : {false, true}) {
        Listener listener(runs_before_commit);
        set_change_listener(&listener);
        const std::string address = "new" + std::to_string(++number) + "@x";
        CHECK_FALSE(stays_verified(address));
        CHECK_EQUAL(std::string("10"), listener.seen);
        CHECK(stays_verified(address));
        CHECK_EQUAL(std::string("11"), listener.seen);
        set_change_listener(nullptr);
    }
}

TEST(email_change, unverifies_when_it_also_ends_the_sessions) {
    add_session("one", "u");
    sql().run("UPDATE \"user\" SET \"emailVerified\" = TRUE");
    const store::Changes changes = {{"email", "bo@x"}, store::unverify_changed_email(false)};
    CHECK_FALSE(
        expect_ok(store().update("u", changes, {}, store::SessionPolicy::revoke)).email_verified);
    CHECK_EQUAL(0, sql().number("SELECT count(*) FROM \"session\""));
}

TEST(postgresql_email_change, compares_with_the_row_after_a_concurrent_change) {
    // SQLite has one writer at a time.
    IgnoringListener listener(false);
    for (store::ChangeListener* const each : Listeners{nullptr, &listener}) {
        sql().run(
            "UPDATE \"user\" SET \"emailVerified\" = TRUE, \"email\" = 'Ana@x' WHERE \"id\" = "
            "'u'");
        set_change_listener(each);
        const auto changed =
            while_another_writer("UPDATE \"user\" SET \"email\" = 'bo@x' WHERE \"id\" = 'u'", [&] {
                return store().update("u",
                                      {{"email", "Ana@x"}, store::unverify_changed_email(false)});
            });
        set_change_listener(nullptr);
        CHECK_FALSE(expect_ok(changed).email_verified);
    }
}

class LostPrivileges : public Contract {
  protected:
    /// Adds a user with two sessions, and another user with one.
    void setup() override {
        Contract::setup();
        add_user("u", "u@x", "'admin'");
        add_user("v", "v@x");
        open_sessions();
        add_session("other", "v");
    }

    void open_sessions() {
        add_session("one", "u");
        add_session("two", "u", "2020-01-01T00:00:00.000Z");
    }

    /// Checks that user v still has a session. Returns how many sessions user u has.
    long count_sessions() {
        CHECK_EQUAL(1, sql().number("SELECT count(*) FROM \"session\" WHERE \"userId\" = 'v'"));
        return sql().number("SELECT count(*) FROM \"session\" WHERE \"userId\" = 'u'");
    }

    /// Makes a change that ends user u's sessions if it reduces privileges. Returns how many
    /// sessions are left.
    long count_sessions_after(const store::Changes& changes) {
        expect_ok(store().update("u", changes, {}, store::SessionPolicy::revoke));
        return count_sessions();
    }
};

TEST_GROUP_BASE(lost_privileges, LostPrivileges){};
TEST_GROUP_BASE(postgresql_lost_privileges, LostPrivileges){};

TEST(lost_privileges, end_all_sessions_with_any_listener) {
    IgnoringListener after(false);
    IgnoringListener before(true);
    int number = 0;
    for (store::ChangeListener* const listener : Listeners{nullptr, &after, &before}) {
        set_change_listener(listener);
        const std::string address = "new" + std::to_string(++number) + "@x";
        for (const store::Changes& changes :
             {store::Changes{{"role", "user"}}, store::Changes{{"role", "admin"}},
              store::Changes{{"email", address}},
              store::Changes{{"name", "N"}, {"banned", true}}}) {
            CHECK_EQUAL(0, count_sessions_after(changes));
            open_sessions();
        }
        sql().run("DELETE FROM \"session\" WHERE \"userId\" = 'u'");
        sql().run("UPDATE \"user\" SET \"banned\" = FALSE, \"role\" = 'admin'");
        open_sessions();
        set_change_listener(nullptr);
    }
}

TEST(lost_privileges, nothing_is_revoked_if_role_and_address_stay_the_same) {
    for (const store::Changes& changes :
         {store::Changes{{"role", "admin"}, {"email", "u@x"}, {"name", "New"}},
          store::Changes{{"banned", false}, {"banReason", {}}}, store::Changes{}})
        CHECK_EQUAL(2, count_sessions_after(changes));
    sql().run("UPDATE \"user\" SET \"role\" = NULL WHERE \"id\" = 'u'");
    CHECK_EQUAL(2, count_sessions_after({{"role", "user"}}));
}

TEST(lost_privileges, treat_a_null_role_as_user) {
    expect_ok(store().update("u", {{"role", model::Value()}}, {}, store::SessionPolicy::revoke));
    CHECK_EQUAL(0, count_sessions());
    add_session("again", "u");
    for (const model::Value& role : {model::Value("user"), model::Value(), model::Value()}) {
        expect_ok(store().update("u", {{"role", role}}, {}, store::SessionPolicy::revoke));
        CHECK_EQUAL(1, count_sessions());
    }
}

TEST(lost_privileges, end_no_sessions_unless_configured) {
    expect_ok(store().update("u", {{"role", "user"}, {"email", "new@x"}, {"banned", true}}));
    CHECK_EQUAL(2, count_sessions());
}

TEST(lost_privileges, rejected_changes_end_no_sessions) {
    expect_error("UA0106");
    CHECK(is_failure(store().update("u", {{"email", "v@x"}}, {}, store::SessionPolicy::revoke)));
    store::UpdateGuard guard = {store::UpdateGuard::Kind::requires_role, "user"};
    CHECK(store().update("u", {{"banned", true}}, guard, store::SessionPolicy::revoke).failure() ==
          store::Failure::outranked);
    guard = {};
    guard.versions = std::vector<std::string_view>{"x"};
    CHECK(store().update("u", {{"banned", true}}, guard, store::SessionPolicy::revoke).failure() ==
          store::Failure::version_mismatch);
    CHECK(is_not_found(store().update("w", {{"banned", true}}, {}, store::SessionPolicy::revoke)));
    CHECK_EQUAL(2, count_sessions());
}

TEST(postgresql_lost_privileges, are_determined_from_the_row_after_a_concurrent_change) {
    // SQLite has one writer at a time.
    expect_ok(store().update("u", {{"role", "user"}}));
    const auto changed =
        while_another_writer("UPDATE \"user\" SET \"role\" = 'admin' WHERE \"id\" = 'u'", [&] {
            return store().update("u", {{"role", "user"}}, {}, store::SessionPolicy::revoke);
        });
    CHECK_EQUAL(std::string("user"), or_nothing(expect_ok(changed).role));
    CHECK_EQUAL(0, count_sessions());
}

TEST(lost_privileges, return_the_new_version_of_the_row) {
    const std::string version(expect_ok(store().find("u")).version);
    store::UpdateGuard guard;
    guard.versions = std::vector<std::string_view>{version};
    const auto changed =
        expect_ok(store().update("u", {{"role", "user"}}, guard, store::SessionPolicy::revoke));
    CHECK_EQUAL(std::string("user"), or_nothing(changed.role));
    CHECK_EQUAL(std::string(expect_ok(store().find("u")).version), std::string(changed.version));
    CHECK_EQUAL(0, count_sessions());
}

class ExtraColumns : public Contract {
  protected:
    void add_columns() {
        change("ALTER TABLE \"user\" ADD COLUMN \"points\" integer DEFAULT 7; "
               "ALTER TABLE \"user\" ADD COLUMN \"motto\" text DEFAULT 'a \"b\" \\ c'; "
               "ALTER TABLE \"user\" ADD COLUMN \"nothing\" text",
               "ALTER TABLE \"user\" DROP COLUMN \"points\"; "
               "ALTER TABLE \"user\" DROP COLUMN \"motto\"; "
               "ALTER TABLE \"user\" DROP COLUMN \"nothing\"");
    }

    static void expect_members(const model::User& user) {
        const std::string text = extra_json(user);
        for (const char* part :
             {"\"motto\"", "\"a \\\"b\\\" \\\\ c\"", "\"points\"", "7", "\"nothing\"", "null"})
            STRCMP_CONTAINS(part, text.c_str());
        CHECK_TEXT(text.find("email") == std::string::npos, text.c_str());
    }
};

TEST_GROUP_BASE(extra_columns, ExtraColumns){};
TEST_GROUP_BASE(postgresql_extra_columns, ExtraColumns){};

TEST(extra_columns, are_returned_with_a_created_and_an_updated_user) {
    add_columns();
    expect_members(expect_ok(store().create(new_user("n", "n@x"))));
    expect_members(expect_ok(store().update("n", {})));
}

TEST(extra_columns, columns_of_any_type_are_returned_as_JSON) {
    add_user("u", "u@x");
    change("ALTER TABLE \"user\" ADD COLUMN \"score\" real; "
           "ALTER TABLE \"user\" ADD COLUMN \"data\" json",
           "ALTER TABLE \"user\" DROP COLUMN \"score\"; "
           "ALTER TABLE \"user\" DROP COLUMN \"data\"");
    const bool is_sqlite = database().kind() == Kind::sqlite;
    for (const std::string sign : {"", "-"}) {
        // SQLite stores any value in a column of any type.
        sql().run("UPDATE \"user\" SET " +
                  (is_sqlite ? "\"score\" = " + sign + "9e999, \"data\" = x'00ff'"
                             : "\"score\" = '" + sign + "Infinity', \"data\" = '[]'"));
        const std::string object = extra_json(expect_ok(store().update("u", {})));
        STRCMP_CONTAINS(is_sqlite ? R"("score":null,"data":"00FF")" : "Infinity\"", object.c_str());
    }
}

TEST(extra_columns, integers_that_JavaScript_would_round_are_strings) {
    add_user("u", "u@x");
    change("ALTER TABLE \"user\" ADD COLUMN \"visits\" bigint",
           "ALTER TABLE \"user\" DROP COLUMN \"visits\"");
    for (const auto& [number, json] :
         std::map<std::string, std::string>{{"9007199254740991", "9007199254740991"},
                                            {"-9007199254740992", "\"-9007199254740992\""},
                                            {"9223372036854775807", "\"9223372036854775807\""},
                                            {"NULL", "null"}}) {
        sql().run("UPDATE \"user\" SET \"visits\" = " + number);
        const std::string object = extra_json(expect_ok(store().update("u", {})));
        STRCMP_CONTAINS(("\"visits\":" + json + "}").c_str(), object.c_str());
    }
}

TEST(postgresql_extra_columns, json_columns_may_hold_what_jsonb_rejects) {
    change("ALTER TABLE \"user\" ADD COLUMN \"data\" json",
           "ALTER TABLE \"user\" DROP COLUMN \"data\"");
    add_user("u", "u@x");
    for (const std::string value : {R"("\ud83d")", R"("\u0000")"}) {
        sql().run("UPDATE \"user\" SET \"data\" = '" + value + "'");
        STRCMP_CONTAINS((R"("data":)" + value).c_str(),
                        extra_json(expect_ok(store().update("u", {}))).c_str());
        STRCMP_CONTAINS(value.c_str(),
                        extra_json(expect_ok(store().find("u", store::UserColumns::all))).c_str());
    }
}

TEST(extra_columns, booleans_are_true_false_or_null_in_every_response) {
    change("ALTER TABLE \"user\" ADD COLUMN \"vip\" boolean",
           "ALTER TABLE \"user\" DROP COLUMN \"vip\"");
    const auto expect_vip = [](const char* value, const model::User& user) {
        CHECK_EQUAL(R"({"vip":)" + std::string(value) + "}", extra_json(user));
    };
    expect_vip("null", expect_ok(store().create(new_user("n", "n@x"))));
    const std::string id(expect_ok(store().find_by_email("n@x")).id);
    for (const char* const value : {"null", "true", "false"}) {
        sql().run("UPDATE \"user\" SET \"vip\" = " + std::string(value));
        expect_vip(value, expect_ok(store().update(id, {})));
        expect_vip(value, expect_ok(store().find(id, store::UserColumns::all)));
    }
}

TEST(extra_columns, are_set_by_name_and_have_types) {
    change("ALTER TABLE \"user\" ADD COLUMN \"points\" smallint; "
           "ALTER TABLE \"user\" ADD COLUMN \"vip\" boolean NOT NULL DEFAULT FALSE; "
           "ALTER TABLE \"user\" ADD COLUMN \"seen\" timestamp; "
           "ALTER TABLE \"user\" ADD COLUMN \"motto\" text",
           "ALTER TABLE \"user\" DROP COLUMN \"points\"; ALTER TABLE \"user\" DROP COLUMN \"vip\"; "
           "ALTER TABLE \"user\" DROP COLUMN \"seen\"; ALTER TABLE \"user\" DROP COLUMN \"motto\"");
    add_user("u", "u@x");
    const auto columns = expect_ok(store().extra_columns());
    using Kind = store::ExtraColumn::Kind;
    constexpr Kind kinds[] = {Kind::integer, Kind::boolean, Kind::time, Kind::text};
    CHECK_EQUAL(std::size(kinds), columns.size());
    for (std::size_t index = 0; index < columns.size(); ++index) {
        CHECK(columns[index].kind == kinds[index]);
        CHECK_EQUAL(columns[index].name != "vip", columns[index].is_nullable);
    }
    if (database().kind() != useradmin::test::Kind::sqlite)
        CHECK_EQUAL(32767, columns[0].max_value);
    const auto column_change = [](std::string_view name, model::Value value) {
        return store::Change{name, value, store::Change::When::always, true};
    };
    const store::Changes changes = {
        column_change("points", "12"), column_change("vip", true),
        column_change("seen", *text::parse_date("2026-11-20T23:30:19.717Z")),
        column_change("motto", "a 'b'")};
    const std::string object = extra_json(expect_ok(store().update("u", changes)));
    for (const char* part : {"\"points\":12", "\"vip\":true",
                             "\"seen\":\"2026-11-20T23:30:19.717Z\"", "\"motto\":\"a 'b'\""})
        STRCMP_CONTAINS(part, object.c_str());
}

TEST(extra_columns, are_not_returned_with_a_user_that_is_read) {
    add_columns();
    add_user("u", "u@x");
    CHECK_TRUE(expect_ok(store().find("u")).extra_columns.empty());
    CHECK_TRUE(expect_ok(store().list({}, {20, 0})).users[0].extra_columns.empty());
}

TEST(extra_columns, may_be_added_while_a_connection_is_in_use) {
    add_user("u", "u@x");
    expect_ok(store().find("u"));
    expect_ok(store().update("u", {}));
    add_columns();
    expect_ok(store().find("u"));
    expect_ok(store().update("u", {}));
    expect_ok(store().create(new_user("n", "n@x")));
    expect_ok(store().list({}, {20, 0}));
}

// The protected address. No user has it unless a test adds one.
constexpr store::ProtectedEmail nobody = {"protected@x", false};

TEST_GROUP_BASE(remove, Contract){};
TEST_GROUP_BASE(postgresql_remove, Contract){};

TEST(remove, unknown_id_is_not_found) {
    CHECK(is_not_found(store().remove("nobody", nobody)));
}

TEST(remove, deletes_only_the_user_with_its_sessions_and_accounts) {
    expect_ok(store().create(new_user("n", "n@x")));
    add_user("v", "v@x");
    add_session("one", "n");
    add_session("two", "n");
    add_session("three", "v");
    expect_ok(store().remove("n", nobody));
    CHECK_EQUAL(std::string("v"), *sql().value("SELECT \"id\" FROM \"user\""));
    CHECK_EQUAL(std::string("three"), *sql().value("SELECT \"token\" FROM \"session\""));
    CHECK_EQUAL(0, sql().number("SELECT count(*) FROM \"account\""));
}

TEST(remove, rejects_the_protected_address) {
    add_user("u", "protected@x");
    add_session("one", "u");
    CHECK(store().remove("u", nobody).failure() == store::Failure::protected_user);
    CHECK_EQUAL(1, sql().number("SELECT count(*) FROM \"user\""));
    CHECK_EQUAL(1, sql().number("SELECT count(*) FROM \"session\""));
}

TEST(remove, ignores_the_case_of_the_protected_address_if_configured) {
    add_user("u", "Protected@X");
    add_user("l", "protected@x");
    for (const char* address : {"PROTECTED@x", "protected@x"})
        for (const char* id : {"u", "l"})
            CHECK(store().remove(id, {address, true}).failure() == store::Failure::protected_user);
    CHECK_EQUAL(2, sql().number("SELECT count(*) FROM \"user\""));
    expect_ok(store().remove("u", {"protected@x", false}));
}

TEST(postgresql_remove, succeeds_if_a_trigger_deletes_the_sessions_and_accounts_first) {
    add_user("u", "u@x");
    add_session("one", "u");
    change("CREATE FUNCTION \"clear\"() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN DELETE FROM "
           "\"session\" WHERE \"userId\" = OLD.\"id\"; DELETE FROM \"account\" WHERE \"userId\" = "
           "OLD.\"id\"; RETURN OLD; END$$; CREATE TRIGGER \"clear\" BEFORE DELETE ON \"user\" FOR "
           "EACH ROW EXECUTE FUNCTION \"clear\"()",
           "DROP TRIGGER \"clear\" ON \"user\"; DROP FUNCTION \"clear\"()");
    expect_ok(store().remove("u", nobody));
    CHECK_EQUAL(0, sql().number("SELECT count(*) FROM \"user\""));
    CHECK_EQUAL(0, sql().number("SELECT count(*) FROM \"session\""));
}

TEST(remove, rejected_by_a_foreign_key_logs_the_remedy) {
    add_user("u", "u@x");
    add_session("one", "u");
    add_account("a", "u@x", "u");
    const std::pair<const char*, const char*> keys[] = {
        {"\"user\" (\"id\")", "'u'"},
        {"\"user\"", "'u'"},
        {"\"user\" (\"id\") ON DELETE RESTRICT", "'u'"},
        {"\"user\" (\"id\") DEFERRABLE INITIALLY DEFERRED", "'u'"},
        {"\"session\" (\"id\")", "'session-one'"},
        {"\"account\" (\"id\")", "'a'"}};
    for (const auto& [target, id] : keys) {
        change("CREATE TABLE \"clingy\" (\"owner\" text REFERENCES " + std::string(target) +
                   "); INSERT INTO \"clingy\" VALUES (" + id + ")",
               "DROP TABLE \"clingy\"");
        expect_error("UA0106");
        CHECK(is_failure(store().remove("u", nobody)));
        const std::string& line = log_.lines.back();
        STRCMP_CONTAINS(is_postgresql() ? "on table \"clingy\" (SQLSTATE 23503); to delete a user"
                                        : "FOREIGN KEY constraint failed; to delete a user",
                        line.c_str());
        STRCMP_CONTAINS("or declare the foreign key ON DELETE CASCADE or ON DELETE SET NULL",
                        line.c_str());
        CHECK_EQUAL(1, sql().number("SELECT count(*) FROM \"session\""));
        undo();
    }
    expect_ok(store().remove("u", nobody));
}

class Guarded : public Contract {
  protected:
    /// Returns the result of an update with the guard: "done", "outranked" and so on.
    std::string outcome_of_update(const store::UpdateGuard& guard) {
        return outcome_of(store().update("u", {{"name", "New"}}, guard));
    }
    std::string outcome_of_removal(const store::UpdateGuard& guard) {
        return outcome_of(store().remove("u", nobody, guard));
    }

    static store::UpdateGuard requires_role(std::string_view role) {
        return {store::UpdateGuard::Kind::requires_role, role};
    }
    static store::UpdateGuard keeps_last_of_role(std::string_view role) {
        return {store::UpdateGuard::Kind::keeps_last_of_role, role, at("2026-01-02T00:00:00.000Z")};
    }

    void ban(std::string_view id, const char* expires) {
        expect_ok(store().update(id, {{"banned", true}}));
        if (expires != nullptr)
            expect_ok(store().update(id, {{"banExpires", at(expires)}}));
    }

  private:
    template <class T>
    static std::string outcome_of(const store::Result<T>& result) {
        if (result)
            return "done";
        switch (result.failure()) {
        case store::Failure::not_found:
            return "not found";
        case store::Failure::outranked:
            return "outranked";
        case store::Failure::last_of_role:
            return "last";
        default:
            return "failed";
        }
    }
};

TEST_GROUP_BASE(guard, Guarded){};

TEST(guard, role_guard_allows_only_changes_to_users_with_the_role) {
    add_user("u", "u@x", "'user'");
    CHECK_EQUAL(std::string("done"), outcome_of_update(requires_role("user")));
    for (const char* role : {"admin", "superAdmin", "User", ""}) {
        expect_ok(store().update("u", {{"role", role}, {"name", "Old"}}));
        CHECK_EQUAL(std::string("outranked"), outcome_of_update(requires_role("user")));
        CHECK_EQUAL(std::string("outranked"), outcome_of_removal(requires_role("user")));
        CHECK_EQUAL(std::string("Old"), std::string(expect_ok(store().find("u")).name));
    }
}

TEST(guard, treats_a_missing_role_as_user) {
    add_user("u", "u@x", "NULL");
    CHECK_EQUAL(std::string("done"), outcome_of_update(requires_role("user")));
    CHECK_EQUAL(std::string("done"), outcome_of_removal(requires_role("user")));
}

TEST(guard, reports_an_unknown_user) {
    for (const store::UpdateGuard& guard : {requires_role("user"), keeps_last_of_role("owner")}) {
        CHECK_EQUAL(std::string("not found"), outcome_of_update(guard));
        CHECK_EQUAL(std::string("not found"), outcome_of_removal(guard));
    }
}

TEST(guard, protects_the_last_user_with_a_role) {
    add_user("u", "u@x", "'owner'");
    add_user("v", "v@x", "'Owner'");
    CHECK_EQUAL(std::string("last"), outcome_of_update(keeps_last_of_role("owner")));
    CHECK_EQUAL(std::string("last"), outcome_of_removal(keeps_last_of_role("owner")));
    CHECK_EQUAL(std::string("Name of u"), std::string(expect_ok(store().find("u")).name));
}

TEST(guard, allows_a_change_if_another_user_has_the_role) {
    add_user("u", "u@x", "'owner'");
    add_user("v", "v@x", "'owner'");
    CHECK_EQUAL(std::string("done"), outcome_of_update(keeps_last_of_role("owner")));
    CHECK_EQUAL(std::string("done"), outcome_of_removal(keeps_last_of_role("owner")));
}

TEST(guard, ignores_other_roles_and_banned_users) {
    add_user("u", "u@x", "'user'");
    CHECK_EQUAL(std::string("done"), outcome_of_update(keeps_last_of_role("owner")));
    expect_ok(store().update("u", {{"role", "owner"}}));
    ban("u", nullptr);
    CHECK_EQUAL(std::string("done"), outcome_of_update(keeps_last_of_role("owner")));
    CHECK_EQUAL(std::string("done"), outcome_of_removal(keeps_last_of_role("owner")));
}

TEST(guard, counts_users_whose_ban_has_ended) {
    add_user("u", "u@x", "'owner'");
    add_user("v", "v@x", "'owner'");
    for (const auto& [expires, outcome] : {std::pair<const char*, const char*>{nullptr, "last"},
                                           {"2026-01-02T00:00:00.001Z", "last"},
                                           {"2026-01-02T00:00:00.000Z", "done"}}) {
        ban("v", expires);
        CHECK_EQUAL(std::string(outcome), outcome_of_update(keeps_last_of_role("owner")));
    }
    ban("u", "2026-01-01T00:00:00.000Z");
    expect_ok(store().remove("v", nobody));
    CHECK_EQUAL(std::string("last"), outcome_of_removal(keeps_last_of_role("owner")));
}

TEST(guard, is_checked_after_the_protected_address) {
    add_user("u", "protected@x", "'owner'");
    CHECK(store().remove("u", nobody, keeps_last_of_role("owner")).failure() ==
          store::Failure::protected_user);
}

/// Provides a connection that the test has opened.
class OpenedConnection final : public store::ConnectionSource {
  public:
    explicit OpenedConnection(const store::Connection& opened) : opened_(opened) {}
    const store::Connection* acquire(store::Deadline) override { return &opened_; }
    void release(const store::Connection&) noexcept override {}

  private:
    const store::Connection& opened_;
};

class PostgresqlClient : public Contract {
  protected:
    void teardown() override {
        client_.reset();
        own_connection_.reset();
        Contract::teardown();
    }

    /// Connects as after mod_dbd has run these statements of DBDInitSQL.
    void connect(std::vector<std::string> init_statements = {}) {
        init_statements_ = std::move(init_statements);
        own_connection_ = std::make_unique<SingleConnection>(database());
        opened_ = *own_connection_->acquire(store::no_deadline);
        opened_.init_statements = init_statements_;
        client_ = store::find_dialect("pgsql")->create_client(opened_, "client");
        client_->set_deadline(store::Clock::now() + std::chrono::minutes(1));
    }

    std::string read(const char* sql) {
        store::Statement statement(pool_);
        auto rows = client_->run(statement << sql, pool_).value();
        CHECK(rows.next());
        return std::string(rows.take().value_or(""));
    }

    /// Terminates the backend, and reconnects as mod_dbd does.
    void reconnect_as_mod_dbd() {
        sql().rows("SELECT pg_terminate_backend(" + std::to_string(client_->backend_id()) + ")");
        CHECK(eventually([&] { return !client_->ping(); }));
        LONGS_EQUAL(APR_SUCCESS, apr_dbd_check_conn(opened_.driver, pool_, opened_.handle));
    }

    std::vector<std::string> init_statements_;
    std::unique_ptr<SingleConnection> own_connection_;
    store::Connection opened_;
    std::unique_ptr<store::Client> client_;
};

TEST_GROUP_BASE(postgresql_client, PostgresqlClient){};

TEST(postgresql_client, checks_for_a_closed_connection_even_after_a_transaction) {
    connect();
    static_cast<void>(client_->execute("BEGIN", pool_));
    CHECK_EQUAL(std::string("1"), read("SELECT '1'"));
    static_cast<void>(client_->execute("COMMIT", pool_));
    if (read("SHOW server_version_num") < "140000")
        return; // the setting does not exist
    CHECK_EQUAL(std::string("1s"), read("SHOW client_connection_check_interval"));
}

TEST(postgresql_client, initializes_the_session_again_after_a_reconnect) {
    connect({"SET search_path TO shop", "SET application_name TO shop"});
    CHECK(client_->set_lock_timeout(std::chrono::seconds(5), pool_));
    const auto settings = [&] {
        return read("SHOW search_path") + ' ' + read("SHOW application_name") + ' ' +
               read("SHOW lock_timeout");
    };
    CHECK(client_->reconnect());
    CHECK_EQUAL(std::string("shop shop 5s"), settings());
    reconnect_as_mod_dbd();
    CHECK(client_->init_session());
    CHECK_EQUAL(std::string("shop shop 5s"), settings());
}

TEST(postgresql_client, initializes_each_session_only_once) {
    connect({"SET search_path TO shop"});
    CHECK(client_->init_session());
    CHECK(read("SHOW search_path") != "shop"); // mod_dbd has initialized the first session
    reconnect_as_mod_dbd();
    const auto other = store::find_dialect("pgsql")->create_client(opened_, "other");
    CHECK(client_->init_session());
    static_cast<void>(client_->execute("SET search_path TO other", pool_));
    CHECK(client_->init_session());
    CHECK(other->init_session());
    CHECK_EQUAL(std::string("other"), read("SHOW search_path"));
}

TEST(postgresql_client, closes_a_connection_that_it_cannot_initialize) {
    connect({"SELECT 1", "SELECT 1 FROM nothing"});
    CHECK(!client_->reconnect());
    CHECK(!client_->is_connected());
    CHECK_EQUAL(std::string("DBDInitSQL failed: ERROR:  relation \"nothing\" does not exist "
                            "(SQLSTATE 42P01)"),
                client_->error_message());
    LONGS_EQUAL(APR_SUCCESS, apr_dbd_check_conn(opened_.driver, pool_, opened_.handle));
    expect_error("UA0105: cannot connect to the database: DBDInitSQL failed: ERROR:  relation");
    OpenedConnection source(opened_);
    store::DatabaseStore own_store(source, log_, pool_, store::TableNames{}, "own", timeout_policy);
    CHECK(is_unavailable(own_store.find("u", store::UserColumns::known)));
    CHECK(!client_->is_connected());
}

TEST(postgresql_client, tries_the_next_host_if_one_does_not_respond) {
    const WorkFolder work;
    const std::string folder = work.path().string();
    std::string params = database().params();
    const std::string host = "host=";
    params.insert(params.find(host) + host.size(), folder + ",");
    params.replace(params.find("connect_timeout=30"), 18, "connect_timeout=2");
    apr_dbd_get_driver(pool_, "pgsql", &opened_.driver);
    LONGS_EQUAL(APR_SUCCESS,
                apr_dbd_open_ex(opened_.driver, pool_, params.c_str(), &opened_.handle, nullptr));
    opened_.pool = pool_;
    client_ = store::find_dialect("pgsql")->create_client(opened_, "client");
    const int silent = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    (folder + "/.s.PGSQL.5432").copy(address.sun_path, sizeof(address.sun_path) - 1);
    const bool listens =
        bind(silent, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0 &&
        listen(silent, 8) == 0;
    client_->set_deadline(store::Clock::now() + std::chrono::seconds(20));
    const bool is_connected = client_->reconnect();
    const std::string error = client_->error_message();
    close(silent);
    client_.reset();
    apr_dbd_close(opened_.driver, opened_.handle);
    CHECK(listens);
    CHECK_TEXT(is_connected, error.c_str());
}

TEST_GROUP_BASE(session, Contract){};

TEST(session, unknown_token_is_not_found) {
    CHECK(is_not_found(store().find_session("nothing")));
    CHECK(is_not_found(store().find_caller("nothing")));
}

TEST(session, returns_its_user_and_expiry) {
    add_user("u", "u@x", "'admin'");
    sql().run("UPDATE \"user\" SET \"banned\" = TRUE, \"banExpires\" = '2027-01-01T00:00:00.000Z'");
    add_session("token", "u", "2026-12-31T23:59:59.999Z");
    const auto found = expect_ok(store().find_session("token"));
    CHECK_EQUAL(std::string("token"), std::string(found.session.token));
    CHECK_EQUAL(std::string("session-token"), std::string(found.session.id));
    CHECK_EQUAL(std::string("u"), std::string(found.session.user_id));
    CHECK_EQUAL(std::string("2026-12-31T23:59:59.999Z"), or_nothing(found.session.expires_at));
    CHECK_EQUAL(std::string("u"), std::string(found.user.id));
    CHECK_EQUAL(std::string("u@x"), std::string(found.user.email));
    CHECK_EQUAL(std::string("admin"), or_nothing(found.user.role));
    CHECK(found.user.banned);
    CHECK_EQUAL(std::string("2027-01-01T00:00:00.000Z"), or_nothing(found.user.ban_expires));
}

TEST(session, returns_the_callers_role_and_ban) {
    add_user("u", "u@x", "'admin'");
    add_session("token", "u", "2026-12-31T23:59:59.999Z");
    const auto caller = [&] {
        const auto found = expect_ok(store().find_caller("token"));
        return std::string(found.user.id) + " " + or_nothing(found.user.role) + " " +
               or_nothing(found.session.expires_at) + (found.user.banned ? " banned " : " ") +
               or_nothing(found.user.ban_expires);
    };
    CHECK_EQUAL(std::string("u admin 2026-12-31T23:59:59.999Z (nothing)"), caller());
    sql().run("UPDATE \"user\" SET \"role\" = NULL, \"banned\" = TRUE, \"banExpires\" = "
              "'2027-01-01T00:00:00.000Z'");
    CHECK_EQUAL(std::string("u (nothing) 2026-12-31T23:59:59.999Z banned 2027-01-01T00:00:00.000Z"),
                caller());
}

TEST(session, returns_the_impersonator) {
    add_user("u", "u@x");
    add_session("token", "u", "2026-12-31T23:59:59.999Z");
    CHECK_FALSE(expect_ok(store().find_caller("token")).session.impersonated_by.has_value());
    sql().run("UPDATE \"session\" SET \"impersonatedBy\" = 'sara-1'");
    CHECK_EQUAL(std::string("sara-1"),
                or_nothing(expect_ok(store().find_caller("token")).session.impersonated_by));
}

TEST(session, compares_tokens_exactly) {
    add_user("u", "u@x");
    add_session("Token", "u");
    for (const char* another : {"token", "Token%"}) {
        CHECK(is_not_found(store().find_session(another)));
        CHECK(is_not_found(store().find_caller(another)));
    }
    expect_ok(store().find_session("Token"));
    expect_ok(store().find_caller("Token"));
}

TEST(session, that_was_opened_is_found) {
    add_user("u", "u@x");
    model::Session opened = session_of("u", "fresh", at("2026-01-01T00:00:00.000Z"));
    opened.id = "session-id";
    opened.expires_at = at("2026-01-08T00:00:00.000Z");
    opened.ip_address = "192.0.2.1";
    CHECK_EQUAL(std::string("session-id"), std::string(expect_ok(store().create_session(opened))));
    const auto found = expect_ok(store().find_session("fresh")).session;
    CHECK_EQUAL(std::string("session-id"), std::string(found.id));
    CHECK_EQUAL(std::string("u"), std::string(found.user_id));
    CHECK_EQUAL(std::string("2026-01-01T00:00:00.000Z"), or_nothing(found.created_at));
    CHECK_EQUAL(std::string("2026-01-08T00:00:00.000Z"), or_nothing(found.expires_at));
    CHECK_EQUAL(std::string("192.0.2.1"), or_nothing(found.ip_address));
    CHECK_EQUAL(std::string("(nothing)"), or_nothing(found.user_agent));
}

TEST(session, session_of_an_unknown_user_cannot_be_opened) {
    const auto result = store().create_session(session_of("nobody", "fresh"));
    CHECK(!result && result.failure() == store::Failure::version_mismatch);
}

TEST(session, that_is_extended_expires_later) {
    add_user("u", "u@x");
    add_session("token", "u", "2026-01-08T00:00:00.000Z");
    expect_ok(store().extend_session("token", at("2026-02-08T00:00:00.000Z"),
                                     at("2026-01-05T00:00:00.000Z")));
    const auto found = expect_ok(store().find_session("token")).session;
    CHECK_EQUAL(std::string("2026-02-08T00:00:00.000Z"), or_nothing(found.expires_at));
    CHECK_EQUAL(std::string("2026-01-05T00:00:00.000Z"), or_nothing(found.updated_at));
    CHECK(is_not_found(store().extend_session("unknown", at("2026-02-08T00:00:00.000Z"),
                                              at("2026-01-05T00:00:00.000Z"))));
}

TEST(session, is_deleted_without_other_sessions) {
    add_user("u", "u@x");
    add_session("one", "u");
    add_session("two", "u");
    expect_ok(store().delete_session("one"));
    CHECK(is_not_found(store().find_session("one")));
    expect_ok(store().find_session("two"));
    CHECK(is_not_found(store().delete_session("one")));
}

TEST(session, lists_and_deletions_are_limited_to_one_user) {
    add_user("u", "u@x");
    add_user("v", "v@x");
    add_session("one", "u", "2020-01-01T00:00:00.000Z");
    add_session("two", "u");
    add_session("three", "v");
    sql().run("UPDATE \"session\" SET \"createdAt\" = '2026-03-01T00:00:00.000Z' "
              "WHERE \"token\" = 'one'");
    const auto sessions = expect_ok(store().list_sessions("u"));
    CHECK_EQUAL(2U, sessions.size());
    CHECK_EQUAL(std::string("one"), std::string(sessions[0].token));
    CHECK_EQUAL(std::string("two"), std::string(sessions[1].token));
    CHECK(is_no_session(store().delete_session_of_user("u", "session-three")));
    CHECK(is_no_session(store().delete_session_of_user("u", "one")));
    expect_ok(store().delete_session_of_user("u", "session-one"));
    CHECK(is_no_session(store().delete_session_of_user("u", "session-one")));
    CHECK_EQUAL(1, expect_ok(store().delete_sessions_of_user("u")));
    CHECK_EQUAL(0U, expect_ok(store().list_sessions("u")).size());
    expect_ok(store().find_session("three"));
}

TEST(session, is_listed_only_if_it_is_one_of_the_newest) {
    add_user("u", "u@x");
    for (const char* const token : {"one", "two", "three"})
        add_session(token, "u");
    sql().run("UPDATE \"session\" SET \"createdAt\" = '2026-03-01T00:00:00.000Z' "
              "WHERE \"token\" = 'two'");
    const auto sessions = expect_ok(store().list_sessions("u", 1));
    CHECK_EQUAL(1U, sessions.size());
    CHECK_EQUAL(std::string("two"), std::string(sessions[0].token));
}

TEST(session, that_is_active_is_listed_without_its_token) {
    add_user("u", "u@x");
    add_user("v", "v@x");
    for (const char* id : {"over", "just-over", "lasting", "newest"})
        add_session(id, "u", "2026-05-01T12:00:00.000Z");
    add_session("other", "v");
    sql().run("UPDATE \"session\" SET \"expiresAt\" = '2026-04-01T00:00:00.000Z' WHERE \"token\" = "
              "'over'");
    sql().run("UPDATE \"session\" SET \"expiresAt\" = '2026-05-01T11:59:59.999Z' WHERE \"token\" = "
              "'just-over'");
    sql().run("UPDATE \"session\" SET \"createdAt\" = '2026-03-01T00:00:00.000Z', \"ipAddress\" = "
              "'192.0.2.1' WHERE \"token\" = 'newest'");
    const auto active_sessions = [this](std::int64_t most) {
        std::string ids;
        const auto sessions =
            expect_ok(store().list_active_sessions("u", at("2026-05-01T11:59:59.999Z"), most));
        for (const model::Session& session : sessions) {
            CHECK_EQUAL(std::string(), std::string(session.token));
            CHECK_EQUAL(std::string("u"), std::string(session.user_id));
            ids += std::string(session.id) + " " + or_nothing(session.ip_address) + ", ";
        }
        return ids;
    };
    CHECK_EQUAL(std::string("session-newest 192.0.2.1, session-lasting (nothing), "),
                active_sessions(10));
    CHECK_EQUAL(std::string("session-newest 192.0.2.1, "), active_sessions(1));
    // The session between these two has just expired, so it is not listed.
    CHECK_EQUAL(std::string("session-newest 192.0.2.1, session-lasting (nothing), "),
                active_sessions(2));
    CHECK_EQUAL(
        0U, expect_ok(store().list_active_sessions("w", at("2026-05-01T11:59:59.999Z"), 9)).size());
}

class Credentials : public Contract {
  protected:
    std::string hash_of(std::string_view email) {
        return or_nothing(expect_ok(store().find_credential(email)).password_hash);
    }
};

TEST_GROUP_BASE(credential, Credentials){};
TEST_GROUP_BASE(postgresql_credential, Credentials){};

TEST(credential, is_absent_for_an_unknown_address) {
    add_user("u", "u@x");
    CHECK(is_not_found(store().find_credential("nobody@x")));
    CHECK(is_not_found(store().find_credential("u@x")));
}

TEST(credential, is_found_among_other_accounts) {
    add_user("n", "n@x");
    add_account("0", "7", "n", "not it", "github");
    CHECK(is_not_found(store().find_credential("n@x")));
    expect_ok(store().set_password(store::account_row(new_user("n", "n@x"))));
    const auto found = expect_ok(store().find_credential("n@x"));
    CHECK_EQUAL(std::string("n"), std::string(found.user.id));
    CHECK_EQUAL(std::string("a hash"), or_nothing(found.password_hash));
    CHECK_EQUAL(std::string("not it"),
                *sql().value("SELECT \"password\" FROM \"account\" WHERE \"id\" = '0'"));
    CHECK_EQUAL(std::string("n@x"),
                *sql().value("SELECT \"accountId\" FROM \"account\" WHERE \"id\" <> '0'"));
}

TEST(credential, is_replaced_by_a_new_password) {
    expect_ok(store().create(new_user("n", "n@x")));
    auto user = new_user("n", "n@x");
    user.account_id = "not used";
    user.password_hash = "another hash";
    expect_ok(store().set_password(store::account_row(user)));
    CHECK_EQUAL(1, sql().number("SELECT count(*) FROM \"account\""));
    CHECK_EQUAL(std::string("another hash"), hash_of("n@x"));
}

TEST(credential, prefers_the_account_with_the_users_id) {
    add_user("n", "n@x");
    const auto add = [this](const std::string& account_id) {
        add_account("of-" + account_id, account_id, "n", "hash of " + account_id);
    };
    const auto expect_hash_of_user = [this] {
        CHECK_EQUAL(std::string("hash of n"), hash_of("n@x"));
    };
    add("n@x");
    add("n");
    expect_hash_of_user();
    sql().run("DELETE FROM \"account\"");
    add("n");
    add("n@x");
    expect_hash_of_user();
}

TEST(credential, new_password_sets_accountId_to_the_user_id_if_configured) {
    expect_ok(store().create(new_user("n", "n@x")));
    auto user = new_user("n", "n@x");
    expect_ok(store().set_password(store::account_row(user)));
    CHECK_EQUAL(std::string("n@x"), *sql().value("SELECT \"accountId\" FROM \"account\""));
    user.account_id_is_user_id = true;
    expect_ok(store().set_password(store::account_row(user)));
    CHECK_EQUAL(std::string("n"), *sql().value("SELECT \"accountId\" FROM \"account\""));
}

TEST(credential, is_renewed_only_if_the_old_hash_matches) {
    expect_ok(store().create(new_user("n", "n@x")));
    auto user = new_user("n", "n@x");
    user.password_hash = "another hash";
    CHECK(is_not_found(store().replace_hash(store::account_row(user), "no hash of it")));
    CHECK_EQUAL(std::string("a hash"), hash_of("n@x"));
    expect_ok(store().replace_hash(store::account_row(user), "a hash"));
    CHECK_EQUAL(std::string("another hash"), hash_of("n@x"));
    add_user("m", "m@x");
    CHECK(is_not_found(store().replace_hash(store::account_row(new_user("m", "m@x")), "a hash")));
    CHECK_EQUAL(1, sql().number("SELECT count(*) FROM \"account\""));
}

TEST(credential, is_not_created_for_an_unknown_user) {
    CHECK(is_not_found(store().set_password(store::account_row(new_user("n", "n@x")))));
    CHECK_EQUAL(0, sql().number("SELECT count(*) FROM \"account\""));
}

TEST(credential, is_changed_only_for_the_expected_versions) {
    expect_ok(store().create(new_user("n", "n@x")));
    add_session("one", "n");
    const std::string before(expect_ok(store().find("n")).version);
    expect_ok(store().update("n", {{"name", "Another"}}));
    const std::string after(expect_ok(store().find("n")).version);
    auto user = new_user("n", "n@x");
    user.password_hash = "another hash";
    const auto set = [&](const std::vector<std::string_view>& versions) {
        store::UpdateGuard guard;
        guard.versions = versions;
        return store().set_password(store::account_row(user), store::SessionPolicy::revoke, guard);
    };
    using Views = std::vector<std::string_view>;
    for (const Views& versions : {Views{before}, Views{}, Views{"x", before}}) {
        const auto refused = set(versions);
        CHECK(!refused && refused.failure() == store::Failure::version_mismatch);
    }
    CHECK_EQUAL(std::string("a hash"), hash_of("n@x"));
    CHECK_EQUAL(1, sql().number("SELECT count(*) FROM \"session\""));
    expect_ok(set({before, after}));
    CHECK_EQUAL(std::string("another hash"), hash_of("n@x"));
    CHECK_EQUAL(0, sql().number("SELECT count(*) FROM \"session\""));
    // The user's row is unchanged.
    CHECK_EQUAL(after, std::string(expect_ok(store().find("n")).version));
    user = new_user("m", "m@x");
    CHECK(is_not_found(set({after})));
}

TEST(postgresql_credential, is_checked_against_a_concurrent_change) {
    // SQLite has one writer at a time.
    expect_ok(store().create(new_user("n", "n@x")));
    const std::string version(expect_ok(store().find("n")).version);
    auto user = new_user("n", "n@x");
    user.password_hash = "another hash";
    store::UpdateGuard guard;
    guard.versions = std::vector<std::string_view>{version};
    const auto set =
        while_another_writer("UPDATE \"user\" SET \"name\" = 'Another' WHERE \"id\" = 'n'", [&] {
            return store().set_password(store::account_row(user), store::SessionPolicy::revoke,
                                        guard);
        });
    CHECK(!set && set.failure() == store::Failure::version_mismatch);
    CHECK_EQUAL(std::string("a hash"), hash_of("n@x"));
}

TEST(credential, ends_the_sessions_on_request) {
    expect_ok(store().create(new_user("n", "n@x")));
    add_user("m", "m@x");
    add_session("one", "n");
    add_session("two", "n");
    add_session("other", "m");
    auto user = new_user("n", "n@x");
    user.password_hash = "another hash";
    expect_ok(store().set_password(store::account_row(user)));
    CHECK_EQUAL(3, sql().number("SELECT count(*) FROM \"session\""));
    expect_ok(store().set_password(store::account_row(user), store::SessionPolicy::revoke));
    CHECK_EQUAL(std::string("other"), *sql().value("SELECT \"token\" FROM \"session\""));
    user = new_user("m", "m@x");
    user.account_id = "another account";
    expect_ok(store().set_password(store::account_row(user), store::SessionPolicy::revoke));
    CHECK_EQUAL(0, sql().number("SELECT count(*) FROM \"session\""));
    CHECK_EQUAL(2, sql().number("SELECT count(*) FROM \"account\""));
}

class OtherSchemas : public Contract {
  protected:
    void setup() override {
        Contract::setup();
        sql().run(with_types(R"(
CREATE TABLE "my users" ("id" $id PRIMARY KEY, "name" text NOT NULL, "email" text NOT NULL UNIQUE,
    "emailVerified" $boolean NOT NULL, "image" text, "createdAt" $time NOT NULL,
    "updatedAt" $time NOT NULL);
CREATE TABLE "my_sessions" ("id" text PRIMARY KEY, "expiresAt" $time NOT NULL,
    "token" text NOT NULL UNIQUE, "createdAt" $time NOT NULL, "updatedAt" $time NOT NULL,
    "userId" $id NOT NULL);
CREATE TABLE "my_accounts" ("id" text PRIMARY KEY, "accountId" text NOT NULL,
    "providerId" text NOT NULL, "userId" $id NOT NULL, "password" text, "createdAt" $time NOT NULL,
    "updatedAt" $time NOT NULL))",
                             {{"$id", is_postgresql() ? "uuid" : "text"},
                              {"$time", is_postgresql() ? "timestamp" : "date"}},
                             true));
        other_ = std::make_unique<store::DatabaseStore>(
            *connection_, log_, pool_, store::TableNames{"my users", "my_sessions", "my_accounts"},
            "other", timeout_policy);
    }
    void teardown() override {
        other_.reset();
        sql().run(
            "DROP TABLE \"my_accounts\"; DROP TABLE \"my_sessions\"; DROP TABLE \"my users\"");
        Contract::teardown();
    }

    static constexpr const char* id = "0b1c7a52-6c1e-4f63-9b0a-5a8f5f0f6c11";
    std::unique_ptr<store::Store> other_;
};

TEST_GROUP_BASE(other_schemas, OtherSchemas){};

TEST(other_schemas, work_with_snake_case_renamed_and_missing_columns) {
    const auto created = expect_ok(other_->create(new_user(id, "n@x")));
    CHECK_EQUAL(std::string("2026-03-04T05:06:07.089Z"), or_nothing(created.created_at));
    CHECK_EQUAL(std::string(id), ids(expect_ok(other_->list({"user", "nueva"}, {20, 0}))));
    const store::Changes changes = {{"name", "Otro"},
                                    {"updatedAt", at("2026-05-06T07:08:09.010Z")}};
    const auto updated = expect_ok(other_->update(id, changes));
    CHECK_EQUAL(std::string("Otro"), std::string(updated.name));
    CHECK_EQUAL(std::string("2026-05-06T07:08:09.010Z"), or_nothing(updated.updated_at));
    expect_ok(other_->remove(id, nobody));
}

TEST(other_schemas, do_not_affect_the_usual_tables_on_the_same_connection) {
    add_user("u", "u@x");
    expect_ok(store().find("u"));
    expect_ok(other_->create(new_user(id, "n@x")));
    expect_ok(store().find("u"));
    CHECK(is_not_found(other_->find("u")));
    expect_ok(other_->find(id));
    expect_ok(store().update("u", {}));
    CHECK_EQUAL(std::string("u"), ids(expect_ok(store().list({}, {20, 0}))));
}

TEST(other_schemas, with_uuid_ids_find_no_other_id) {
    expect_ok(other_->create(new_user(id, "n@x")));
    for (const char* none : {"not a uuid", "0B1C7A52-6c1e-4f63-9b0a-5a8f5f0f6c11"}) {
        CHECK(is_not_found(other_->find(none)));
        CHECK(is_not_found(other_->update(none, {})));
        CHECK(is_not_found(other_->remove(none, nobody)));
    }
}

TEST(other_schemas, reject_a_value_without_a_column) {
    expect_error("UA0106");
    expect_ok(other_->create(new_user(id, "n@x")));
    auto admin = new_user("1b1c7a52-6c1e-4f63-9b0a-5a8f5f0f6c11", "a@x");
    admin.role = "admin";
    CHECK(is_failure(other_->create(admin)));
    const store::Changes lost[] = {
        {{"role", "admin"}}, {{"banned", true}}, {{"banReason", "spam"}}};
    for (const store::Changes& changes : lost)
        CHECK(is_failure(other_->update(id, changes)));
    // A missing user is reported before a missing column.
    for (const store::Changes& changes : lost)
        CHECK(is_not_found(other_->update("2b1c7a52-6c1e-4f63-9b0a-5a8f5f0f6c11", changes)));
    // Missing columns imply these values, so setting them succeeds.
    expect_ok(other_->update(id, {{"role", "user"}, {"banned", false}}));
}

class UnavailableDatabase : public Contract {
  protected:
    void rename_user_table() {
        change("ALTER TABLE \"user\" RENAME TO \"hidden\"",
               "ALTER TABLE \"hidden\" RENAME TO \"user\"");
    }
};

TEST_GROUP_BASE(failures_of_the_database, UnavailableDatabase){};

TEST(failures_of_the_database, without_a_connection_the_store_is_unavailable) {
    database().make_unavailable();
    const auto page = store().list({}, {20, 0});
    const auto created = store().create(new_user("n", "n@x"));
    database().make_available();
    CHECK(is_unavailable(page));
    CHECK(is_unavailable(created));
}

TEST(failures_of_the_database, a_connection_works_after_the_tables_are_restored) {
    expect_error("UA0103");
    add_user("u", "u@x");
    expect_ok(store().list({}, {20, 0}));
    rename_user_table();
    CHECK(is_failure(store().list({}, {20, 0})));
    undo();
    expect_ok(store().find("u"));
    CHECK_EQUAL(std::string("u"), ids(expect_ok(store().list({}, {20, 0}))));
}

TEST(failures_of_the_database, a_database_restart_does_not_fail_reads) {
    add_user("u", "u@x");
    expect_ok(store().find("u"));
    expect_ok(store().list({}, {20, 0}));
    database().make_unavailable();
    database().make_available();
    expect_ok(store().find("u"));
    CHECK_EQUAL(std::string("u"), ids(expect_ok(store().list({}, {20, 0}))));
}

} // namespace useradmin::test
