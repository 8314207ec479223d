// Lists with schema --scale are the same as without it, except that searches ignore accents
// (specification, section 4.1).
#include "scale.hpp"
#include "support/expected_users.hpp"
#include "support/machine.hpp"
#include "support/search_pairs.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <random>
#include <utf8proc.h>

namespace useradmin::test {

namespace {

/// Returns the numbers in turn. One test case takes only a few numbers, but many cases together
/// take all of them.
struct Rotation {
    std::vector<std::int64_t> numbers;
    std::size_t position = 0;

    std::int64_t next() { return numbers[position++ % numbers.size()]; }
};

std::string utf8(utf8proc_int32_t point) {
    utf8proc_uint8_t bytes[4];
    return std::string(bytes, bytes + utf8proc_encode_char(point, bytes));
}

const std::array<const char*, 32> names = {
    "José García",
    "JOSE\u0301 GARCI\u0301A",
    "jose garcia",
    "Straße",
    "STRASSE",
    "İstanbul Işık",
    "ıi",
    "김철수",
    "\u1100\u1161\u11a8 \u1100\u1161",
    "각 가",
    "山田太郎",
    "田",
    "\U0002309d",
    "\U000f0000\U00100000",
    "Ünal 😀 Öz",
    "😀😃",
    "Владимир Ёлкин",
    "владимир елкин",
    "Ὀδυσσεύς",
    "ΟΔΥΣΣΕΥΣ",
    "100% _sure_",
    "back\\slash \\% \\_",
    "o'hara \"quoted\"",
    "a\x01"
    "b",
    "",
    "\u0301",
    "ﬁnance",
    "e\u0323\u0302 ệ",
    "Zwölf Boxkämpfer",
    "Ana de Torre",
    "Ana de 'Torre'",
    "A",
};

constexpr std::array<const char*, 54> searches = {
    "jose garcia", "José",        "JOSÉ GARCÍA", "e\u0301 g",
    "ss",          "ß",           "straße",      "i",
    "İ",           "ı",           "ist",         "김",
    "철수",        "가",          "각",          "\u1100",
    "\u1161",      "田",          "山田",        "\U0002309d",
    "\U000f0000",  "\U00100000",  "😀",           "😃 ",
    "в",           "ЛАДИМ",       "елк",         "σ",
    "ς",           "%",           "_",           "_s",
    "0% _",        "\\",          "\\%",         "'",
    "\"q",         "\u0301",      "\ufb01",      "ệ",
    "@b",          "7",           "12",          "nobody has this",
    "garcia jose", "SÉ GARCÍA q", "100% _sure_", "lash \\% \\_",
    "ara \"quo",   "lf boxk",     "box.org",     "garcia 12@box",
    "ana de tor",  "na de 'tor"};

} // namespace

TEST_GROUP_BASE(postgresql_scale_lists, ScaleScene) {
    ExpectedUsers all;

    /// Adds users with all the names. Many were created at the same time.
    void add_users(int count) {
        std::minstd_rand random(7);
        const char* roles[] = {"user", "user", "admin", "superAdmin", "", "gerente de zona"};
        std::string values;
        std::string sessions;
        for (int number = 0; number < count; ++number) {
            ExpectedUser user{
                "id-" + std::to_string(random() % 100000) + "-" + std::to_string(number),
                names[random() % names.size()] + std::string(number % 3 == 0 ? " Q" : ""),
                "m" + std::to_string(number) + (number % 5 == 0 ? "ñ@BOX.ORG" : "@box.org"),
                roles[random() % 6],
                static_cast<long>(random() % 2000) * 24 / 20,
                number % 7 == 0,
                number % 3 != 0,
                -1};
            for (int session = 0; session < number % 4; ++session) {
                const long hour = static_cast<long>(random() % 300);
                user.seen = std::max(user.seen, hour);
                sessions += (sessions.empty() ? "(" : ", (") +
                            sql_literal(user.id + "/" + std::to_string(session)) + ", " +
                            sql_literal(user.id) + ", '2026-01-01T00:00Z'::timestamptz + " +
                            std::to_string(hour) + " * interval '1 hour')";
            }
            values += (values.empty() ? "" : ", ") + ("(" + sql_literal(user.id)) + ", " +
                      sql_literal(user.name) + ", " + sql_literal(user.email) +
                      (user.verified ? ", true, " : ", false, ") +
                      (user.role.empty() ? "NULL" : sql_literal(user.role)) +
                      ", '2026-01-01T00:00Z'::timestamptz + " + std::to_string(user.created) +
                      " * interval '1 hour', " + (user.banned ? "true" : "false") + ")";
            all.push_back(std::move(user));
        }
        sql().run(
            R"(INSERT INTO "user" (id, name, email, "emailVerified", role, "createdAt", banned) )"
            "VALUES " +
            values +
            "; INSERT INTO session (id, token, \"userId\", \"updatedAt\", \"expiresAt\") "
            "SELECT id, id, user_id, seen, seen FROM (VALUES " +
            sessions + ") AS s (id, user_id, seen)");
        all.sort({});
    }

    void check_page(OpenStore & store, const store::Filter& filter, const store::Window& window) {
        const std::string is = store.list(filter, window);
        if (const std::string must = all.page(filter, window); is != must)
            fail_test("role " + std::string(filter.role.value_or("(none)")) + ", search " +
                      std::string(filter.search.value_or("(none)")) + ", offset " +
                      std::to_string(window.offset) + ", order " +
                      std::to_string(static_cast<int>(window.order.by)) +
                      (window.order.is_descending ? " descending" : "") + ":\n" + is +
                      "\nexpected:\n" + must);
    }
};

TEST(postgresql_scale_lists, match_the_reference_for_every_role_search_and_page) {
    add_users(400);
    scale();
    OpenStore store(params_);
    CHECK(store.is_scaled());
    std::vector<model::NullableText> texts(searches.begin(), searches.end());
    texts.emplace_back(std::nullopt);
    for (const model::NullableText& search : texts)
        for (const model::NullableText& role :
             {model::NullableText(), model::NullableText("user"), model::NullableText("admin"),
              model::NullableText("nobody")})
            for (const store::Window& window :
                 {store::Window{20, 0}, store::Window{7, 7}, store::Window{100, 350}})
                check_page(store, {role, search}, window);
    // A search that contains the separator between name and address bypasses the search index and
    // reads the user table.
    CHECK(store.search("a\x01"
                       "b") == all.page({{},
                                         "a\x01"
                                         "b"},
                                        {20, 0}));
    CHECK_EQUAL(std::string("of 0"), store.search("a\x01m"));
}

TEST(postgresql_scale_lists, search_every_script_like_the_reference) {
    std::string values;
    for (const SearchPair& pair : search_pairs) {
        const std::string id = std::to_string(100 + all.size());
        values += (values.empty() ? "('" : ", ('") + id + "', 'Name of " + id + "', " +
                  sql_literal(pair.stored) + ", true, '2026-01-01T00:00Z')";
        all.push_back({id, "Name of " + id, pair.stored, ""});
    }
    all.sort({});
    sql().run(R"(INSERT INTO "user" (id, name, email, "emailVerified", "createdAt") VALUES )" +
              values);
    const auto check = [&](bool is_scaled) {
        OpenStore store(params_);
        CHECK_EQUAL(is_scaled, store.is_scaled());
        for (const SearchPair& pair : search_pairs)
            check_page(store, {{}, pair.searched}, {100, 0});
    };
    check(false);
    scale();
    check(true);
}

TEST(postgresql_scale_lists, match_the_reference_by_last_activity) {
    add_users(7000);
    scale();
    sql().run("ANALYZE");
    OpenStore store(params_);
    CHECK(store.is_scaled());
    std::vector<store::Filter> filters = {{}, {"user", {}}, {"gerente de zona", {}}, {{}, "x.org"}};
    for (const bool matches_all : {false, true}) {
        store::Filter filter;
        filter.matches_all = matches_all;
        filter.seen_before = at_hour(200);
        filters.push_back(filter);
        filter.role = "user";
        filters.push_back(filter);
        filter.seen_from = at_hour(150);
        filters.push_back(filter);
    }
    for (const bool is_descending : {true, false}) {
        const store::Order order = {store::SortKey::last_seen, is_descending};
        all.sort(order);
        for (const store::Filter& filter : filters) {
            for (const std::int64_t offset : {0, 1000, 5240, 6980})
                check_page(store, filter, {20, offset, order});
            const std::string is = store.walk(filter, {2000, 0, order});
            CHECK(is == all.page(filter, {7000, 0, order}));
        }
    }
}

/// Provides a total that another request has counted.
class KnownTotal final : public store::Totals {
  public:
    KnownTotal(std::int64_t total, bool keeps) noexcept : total_(total), keeps_(keeps) {}
    bool is_caching() const noexcept override { return keeps_; }
    store::Result<std::int64_t> total(const store::Filter&, store::Deadline,
                                      const Count&) override {
        return total_;
    }
    void invalidate() noexcept override {}

  private:
    std::int64_t total_;
    bool keeps_;
};

TEST(postgresql_scale_lists, are_not_queried_past_the_known_total) {
    add_users(50);
    scale();
    KnownTotal none(0, false);
    KnownTotal two(2, false);
    KnownTotal kept(0, true);
    CHECK_EQUAL(std::string("of 0"), OpenStore(params_, "", {}, &none).search("box.org"));
    const auto list_at = [&](std::int64_t offset) {
        return OpenStore(params_, "", {}, &two).list({{}, "box.org"}, {1, offset});
    };
    CHECK_EQUAL(std::string("of 2"), list_at(2));
    CHECK_EQUAL(all[1].id + " of 2", list_at(1));
    // A cached total of 0 does not mean that the page is empty.
    const std::string ids = all.page({{}, "box.org"}, {20, 0});
    CHECK_EQUAL(ids.substr(0, ids.rfind(' ')) + " 0",
                OpenStore(params_, "", {}, &kept).search("box.org"));
}

TEST(postgresql_scale_lists, match_the_reference_on_deep_pages) {
    add_users(7000);
    scale();
    OpenStore store(params_);
    Rotation offsets{{0, 40, 1500, 4990, 6990}};
    for (const model::NullableText& role :
         {model::NullableText(), model::NullableText("user"),
          model::NullableText("gerente de zona"), model::NullableText("no")}) {
        for (const std::int64_t offset :
             {0, 999, 1000, 1001, 1160, 2333, 3456, 5000, 6980, 6999, 7000, 7001, 2000000000})
            check_page(store, {role, {}}, {20, offset});
        // Some searches match more users than are collected, others fewer; some can use the index.
        for (const char* search :
             {"x.org", "box.org", "arcía q", "M1", "o", "garcia", "владимир", "田", "@", ""})
            for (int count = 0; count < 2; ++count)
                check_page(store, {role, search}, {20, offsets.next()});
    }
    for (std::int64_t offset = 1000; offset < 7000; offset += 400)
        check_page(store, {}, {400, offset});
}

TEST(postgresql_scale_lists, match_the_reference_for_any_substring) {
    add_users(400);
    scale();
    OpenStore store(params_);
    std::minstd_rand random(11);
    for (int count = 0; count < 300; ++count) {
        const ExpectedUser& user = all[random() % all.size()];
        std::string text = text::fold(count % 4 == 0 ? user.email : user.name);
        if (count % 3 == 0)
            text += " " + text::fold(all[random() % all.size()].name);
        std::vector<std::size_t> starts;
        for (std::size_t at = 0; at < text.size();
             at += text::sequence_length(std::string_view(text).substr(at)))
            starts.push_back(at);
        if (starts.empty() || text.find('\x01') != text.npos)
            continue;
        const std::size_t first = starts[random() % starts.size()];
        const std::size_t last = starts[random() % starts.size()];
        const auto part =
            text.substr(std::min(first, last), std::max(first, last) - std::min(first, last));
        check_page(store,
                   {count % 2 == 0 ? model::NullableText() : model::NullableText("admin"), part},
                   {20, 0});
    }
}

TEST(postgresql_scale_lists, match_the_reference_in_every_order_and_filter) {
    add_users(7000);
    std::vector<store::Filter> filters = {{}, {"user", {}}, {"gerente de zona", {}}};
    for (const bool is_all : {false, true})
        for (const model::NullableText& search :
             {model::NullableText(), model::NullableText("jose"), model::NullableText("o")})
            for (const bool has_time : {false, true}) {
                store::Filter filter = {"user", search};
                filter.banned = true;
                if (has_time)
                    filter.created_from = at_hour(1200);
                filter.matches_all = is_all;
                filters.push_back(filter);
            }
    filters.push_back({"admin", "garcia"});
    for (const model::NullableText& role : {model::NullableText(), model::NullableText("user")})
        for (const bool is_banned : {false, true}) {
            store::Filter filter = {role, {}};
            filter.banned = is_banned;
            filters.push_back(filter);
            filter.email_verified = false;
            filters.push_back(filter);
            filter.matches_all = true;
            filters.push_back(filter);
        }
    scale();
    OpenStore store(params_);
    CHECK(store.is_scaled());
    Rotation offsets{{0, 60, 1200, 3000, 6000, 6990, 7000, 90000}};
    using Key = store::SortKey;
    for (const Key by : {Key::created_at, Key::name, Key::email, Key::updated_at})
        for (const bool is_descending : {false, true}) {
            all.sort({by, is_descending});
            for (const store::Filter& filter : filters) {
                for (int count = 0; count < 3; ++count)
                    check_page(store, filter, {20, offsets.next(), {by, is_descending}});
                CHECK(store.walk(filter, {3000, 0, {by, is_descending}}) ==
                      all.page(filter, {7000, 0}));
            }
        }
}

TEST(postgresql_scale_lists, after_a_position_are_read_from_one_index_range) {
    // All users have the same updatedAt.
    add_users(7000);
    scale();
    sql().run("VACUUM ANALYZE \"user\"");
    OpenStore store(params_);
    CHECK(store.is_scaled());
    using Key = store::SortKey;
    for (const Key by : {Key::created_at, Key::name, Key::email, Key::updated_at})
        for (const bool is_descending : {false, true}) {
            const store::Order order = {by, is_descending};
            const store::Position position = store.position({20, 3000, order});
            CHECK(!store.list({}, {21, 0, order, position}).empty());
            const std::string statement = store.last_statement();
            const std::string key = sql_literal(*position.key);
            const std::string id = sql_literal(position.id);
            Session session(params_);
            CHECK_EQUAL(std::string(), session.run("SET plan_cache_mode = force_generic_plan; "
                                                   "PREPARE page AS " +
                                                   statement));
            const std::string plan =
                session.value("EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE page(" + key + ", " + id +
                              (order.sorts_by_time() ? ", " + key : "") + ")");
            constexpr std::string_view actual = "\"Actual Rows\": ";
            CHECK(has(plan, "\"user\""));
            for (std::size_t at = 0; (at = plan.find(actual, at)) != plan.npos; ++at)
                CHECK_TEXT(std::strtol(plan.c_str() + at + actual.size(), nullptr, 10) <= 2 * 21,
                           plan.c_str());
            CHECK_FALSE_TEXT(has(plan, "Rows Removed by Filter"), plan.c_str());
        }
}

TEST(postgresql_scale_lists, use_the_index_for_the_order) {
    add_users(7000);
    scale();
    sql().run("ANALYZE \"user\"");
    Session session(params_);
    for (const auto& [key, index] :
         {std::pair{"lower(regexp_replace(normalize(\"name\"::text COLLATE \"C\", NFKD), "
                    "E'[\\u0300-\\u036f]', '', 'g'))",
                    "user_by_name_idx"},
          {"lower(regexp_replace(normalize(\"email\"::text COLLATE \"C\", NFKD), "
           "E'[\\u0300-\\u036f]', '', 'g'))",
           "user_by_email_idx"},
          {"\"updatedAt\"", "user_by_update_idx"}})
        for (const bool is_back : {false, true}) {
            const bool is_time = *key == '"';
            const std::string plan = session.value(
                std::string("EXPLAIN (FORMAT JSON) SELECT * FROM \"user\" ORDER BY ") + key +
                (is_back ? " DESC" : "") + ", id" + (is_back != is_time ? " DESC" : "") +
                " LIMIT 20");
            CHECK(has(plan, index));
            CHECK_FALSE(has(plan, "Sort"));
        }
}

TEST(postgresql_scale_lists, include_users_with_extreme_times) {
    sql().run(users(1, 1100) +
              R"(UPDATE "user" SET "createdAt" = 'infinity' WHERE id IN ('u1', 'u2'); )"
              R"(UPDATE "user" SET "createdAt" = '-infinity' WHERE id IN ('u3', 'u4'); )"
              R"(UPDATE "user" SET "createdAt" = '0044-03-15 12:00Z BC' WHERE id = 'u5')");
    scale();
    OpenStore store(params_);
    CHECK_EQUAL(std::string("u1 u2 u6 of 1100"), store.list({}, {3, 0}));
    CHECK_EQUAL(std::string("u1099 u1100 u5 u3 u4 of 1100"), store.list({}, {20, 1095}));
    CHECK_EQUAL(std::string("u4 of 1100"), store.list({}, {20, 1099}));
    sql().run(R"(UPDATE "user" SET "createdAt" = 'infinity')");
    OpenStore again(params_);
    CHECK_EQUAL(std::string("u996 u997 of 1100"), again.list({}, {2, 1097 - 1}));
}

TEST(postgresql_scale_lists, fold_all_of_unicode_as_sqlite_does) {
    scale();
    Session session(params_);
    std::vector<std::string> texts(1);
    for (utf8proc_int32_t point = 1; point <= 0x10ffff; ++point) {
        if (!utf8proc_codepoint_valid(point))
            continue;
        texts.back() += utf8(point);
        if (point % 128 == 0)
            texts.emplace_back();
    }
    std::minstd_rand random(11);
    static constexpr utf8proc_int32_t blocks[] = {
        0x20,   0x41,   0xc0,   0x300,  0x370,  0x400,  0x590,  0x900,   0x1100,  0x1160,
        0x11a8, 0x1e00, 0x1f00, 0x3040, 0x4e00, 0xac00, 0xfb00, 0x1d400, 0x1f600, 0x10400};
    for (int number = 0; number < 20000; ++number) {
        std::string text;
        for (unsigned long length = 1 + random() % 6; length > 0; --length)
            text += utf8(blocks[random() % std::size(blocks)] +
                         static_cast<utf8proc_int32_t>(random() % 48));
        texts.push_back(std::move(text));
    }
    session.run("CREATE TEMPORARY TABLE given (text text, folded text COLLATE \"C\"); "
                "SET standard_conforming_strings = on");
    std::string values;
    for (const std::string& text : texts)
        values += (values.empty() ? "(" : ", (") + sql_literal(text) + ", " +
                  sql_literal(text::fold(text)) + ")";
    CHECK_EQUAL(std::string(), session.run("INSERT INTO given VALUES " + values));
    CHECK_EQUAL(
        std::string("(null)"),
        session.value("SELECT min(text) FROM given WHERE useradmin_public_user.fold(text) <> "
                      "useradmin_public_user.fold(folded)"));
    // A fold that maps different texts to the same text would also satisfy this.
    CHECK_EQUAL(0, session.number("SELECT count(DISTINCT folded) - "
                                  "count(DISTINCT useradmin_public_user.fold(text)) FROM given"));
}

TEST(postgresql_scale_lists, do_not_match_parts_of_a_folded_code_point) {
    scale();
    Session session(params_);
    // In the concatenation of any two folded code points, only these two are found.
    session.run(
        "CREATE TEMPORARY TABLE given AS SELECT code, useradmin_public_user.fold(chr(code)) "
        "AS folded FROM unnest(ARRAY[233, 4660, 12166, 12167, 20013, 143517, 279840, 279841, "
        "423358, 559682, 839523, 983040, 1048576, 1114109]) AS code");
    CHECK_EQUAL(0, session.number(
                       "SELECT count(*) FROM given a CROSS JOIN given b CROSS JOIN given c WHERE "
                       "c.folded NOT IN (a.folded, b.folded) AND strpos(a.folded || b.folded, "
                       "c.folded) > 0"));
}

TEST(postgresql_scale_lists, use_the_index_with_any_collation) {
    std::vector<std::string> kinds = {"LC_COLLATE 'C' LC_CTYPE 'C'",
                                      "LC_COLLATE 'C.UTF-8' LC_CTYPE 'C.UTF-8'"};
    const std::string version = *sql().value("SHOW server_version_num");
    if (version >= "150000" && sql().number("SELECT count(*) FROM pg_collation WHERE collname = "
                                            "'und-x-icu'") == 1)
        kinds.emplace_back("LOCALE_PROVIDER icu ICU_LOCALE 'tr-TR' LOCALE 'C.UTF-8'");
    undo("DROP DATABASE IF EXISTS other");
    for (const std::string& kind : kinds) {
        sql().run("DROP DATABASE IF EXISTS other");
        sql().run("CREATE DATABASE other TEMPLATE template0 ENCODING 'UTF8' " + kind);
        const std::string other = " dbname=other";
        Database database("pgsql", params_ + other);
        database.run(read_file(machine::source("sql/postgresql/schema.sql")));
        database.run(users(1, 5000) +
                     R"(UPDATE "user" SET name = 'Владимир Ёлкин' WHERE id = 'u77'; )"
                     R"(UPDATE "user" SET name = '山田太郎' WHERE id = 'u78'; )"
                     R"(UPDATE "user" SET name = 'INGI Işık' WHERE id = 'u79')");
        const std::vector<std::string> words = {machine::built("useradminctl").string(),
                                                "--driver",
                                                "pgsql",
                                                "--params",
                                                params_ + other,
                                                "schema",
                                                "--scale"};
        expect_ok(test::run({words, environment()}));
        OpenStore store(params_, other);
        CHECK(store.is_scaled());
        CHECK_EQUAL(std::string("u77 of 1"), store.search("ладимир ел"));
        CHECK_EQUAL(std::string("u78 of 1"), store.search("田"));
        CHECK_EQUAL(std::string("u79 of 1"), store.search("ingi i"));
        Session session(params_, other);
        for (const char* text : {"ладим", "田", "太郎", "ingi"}) {
            session.run("SET enable_seqscan = off");
            const std::string found = session.value(
                "EXPLAIN (ANALYZE, FORMAT JSON) SELECT count(*) FROM \"user\" WHERE "
                "useradmin_public_user.searched(\"name\"::text COLLATE \"C\", "
                "\"email\"::text COLLATE \"C\") LIKE (SELECT useradmin_public_user.fold('%" +
                std::string(text) + "%'))");
            CHECK(has(found, "user_searched_idx"));
            // The index must return only the matching row.
            CHECK_FALSE(has(found, "\"Rows Removed by Index Recheck\": 4"));
        }
    }
}

} // namespace useradmin::test
