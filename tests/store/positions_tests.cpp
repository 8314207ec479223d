// Pages before and after a position in a list (specification, section 4.1).
#include "contract.hpp"

#include <algorithm>

namespace useradmin::test {

namespace {

using store::Order;
using store::SortKey;
using Ids = std::vector<std::string>;

constexpr SortKey sort_keys[] = {SortKey::created_at, SortKey::name, SortKey::email,
                                 SortKey::updated_at, SortKey::last_seen};

class Positions : public Contract {
  public:
    void setup() override {
        Contract::setup();
        listed_ = &store();
    }
    void teardown() override {
        people_.reset();
        Contract::teardown();
    }

  protected:
    /// Lists the users of a new table in which only the id is NOT NULL.
    void create_people(const std::string& type_of_time) {
        change("CREATE TABLE people (id text PRIMARY KEY, name text, email text, \"emailVerified\" "
               "boolean, image text, role text, \"createdAt\" " +
                   type_of_time + ", \"updatedAt\" " + type_of_time +
                   ", banned boolean, \"banReason\" text, \"banExpires\" timestamp)",
               "DROP TABLE people");
        store::TableNames names;
        names.user = "people";
        people_ = std::make_unique<store::DatabaseStore>(*connection_, log_, pool_, names, "people",
                                                         timeout_policy);
        listed_ = people_.get();
    }

    store::Page list(const store::Filter& filter, const store::Window& window,
                     SourceLocation where = {}) {
        return expect_ok(listed_->list(filter, window), where);
    }

    static Ids ids_of(const store::Page& page) {
        Ids ids;
        for (const model::User& user : page.users)
            ids.emplace_back(user.id);
        return ids;
    }

    static std::string text_of(const Ids& ids) {
        std::string text;
        for (const std::string& id : ids)
            text += id + " ";
        return text;
    }

    /// Returns the ids of this page and all that follow, in either direction.
    Ids ids_of_remaining_pages(const store::Filter& filter, const Order& order, std::int64_t limit,
                               store::Page page, bool is_back) {
        Ids ids;
        for (std::size_t pages = 0; !page.users.empty() && pages < 1000; ++pages) {
            if (is_back)
                std::reverse(page.users.begin(), page.users.end());
            // If the next user has another key, the position needs no id.
            bool needs_id = true;
            if (const auto size = static_cast<std::size_t>(limit); page.users.size() > size) {
                const model::NullableText& key = page.users[size - 1].sort_key;
                needs_id = !key || key == page.users[size].sort_key;
                page.users.resize(size);
            }
            const Ids more = ids_of(page);
            ids.insert(ids.end(), more.begin(), more.end());
            const model::User& last = page.users.back();
            // If the offset applied, the page would be empty.
            page = list(filter, {limit + 1, 5000, order,
                                 store::Position{last.sort_key, needs_id ? last.id : "", is_back}});
        }
        if (is_back)
            std::reverse(ids.begin(), ids.end());
        return ids;
    }

    void expect_all_users_once(const store::Filter& filter, std::int64_t limit,
                               SourceLocation where = {}) {
        for (const SortKey by : sort_keys)
            for (const bool is_descending : {false, true}) {
                const Order order = {by, is_descending};
                const store::Page whole = list(filter, {1000, 0, order});
                const std::string wanted = text_of(ids_of(whole));
                const std::string of_order = "order " + std::to_string(static_cast<int>(by)) +
                                             (is_descending ? " descending: " : ": ");
                const auto expect = [&](const Ids& is) {
                    if (const std::string text = text_of(is); text != wanted)
                        fail_test(of_order + text + "expected: " + wanted, where);
                };
                expect(ids_of_remaining_pages(filter, order, limit, list(filter, {limit, 0, order}),
                                              false));
                const std::int64_t offset = std::max<std::int64_t>(whole.total - limit, 0);
                expect(ids_of_remaining_pages(filter, order, limit,
                                              list(filter, {limit, offset, order}), true));
            }
    }

  private:
    store::Store* listed_ = nullptr;
    std::unique_ptr<store::DatabaseStore> people_;
};

} // namespace

TEST_GROUP_BASE(positions, Positions){};

TEST(positions, reach_every_user_once_in_every_order) {
    // Many users have the same name or time. Times differ by microseconds.
    for (int user = 0; user < 60; ++user) {
        const std::string number = std::to_string(user);
        add_user("u" + number, (user % 2 == 0 ? "A" : "\xc3\xa1") + number + "@x",
                 user % 3 == 0   ? "'admin'"
                 : user % 3 == 1 ? "'user'"
                                 : "NULL",
                 "2026-01-0" + std::to_string(1 + user % 4) + "T00:00:00.00000" +
                     std::to_string(user % 3));
        sql().run("UPDATE \"user\" SET \"name\" = " +
                  sql_literal(user % 5 == 0   ? ""
                              : user % 5 == 1 ? "\xc3\x81ngel"
                              : user % 5 == 2 ? "angel"
                                              : "Name " + number) +
                  ", \"banned\" = " + (user % 4 == 0 ? "TRUE" : "NULL") +
                  ", \"updatedAt\" = '2026-02-02' WHERE \"id\" = 'u" + number + "'");
        if (user % 3 != 0)
            sql().insert("session", {{"id", number},
                                     {"token", number},
                                     {"userId", "u" + number},
                                     {"expiresAt", "2030-01-01T00:00:00.000Z"},
                                     {"updatedAt", "2026-03-0" + std::to_string(1 + user % 5)}});
    }
    for (const std::int64_t limit : {1, 7, 20})
        expect_all_users_once({}, limit);
    store::Filter banned;
    banned.banned = true;
    store::Filter all = {"user", "1"};
    all.matches_all = true;
    store::Filter seen;
    seen.seen_before = at("2026-03-03T00:00:00.000Z");
    for (const store::Filter& filter :
         {store::Filter{"user", {}}, store::Filter{{}, "angel"}, store::Filter{"user", "angel"},
          store::Filter{"user", "nobody"}, banned, all, seen})
        expect_all_users_once(filter, 7);
}

TEST(positions, reach_users_whose_sort_key_is_null) {
    for (const char* const type : {"timestamp", "bigint"}) {
        create_people(type);
        for (int user = 0; user < 40; ++user) {
            const bool is_number = std::string(type) == "bigint";
            const std::string time =
                user % 4 == 0 ? "NULL"
                : is_number   ? std::to_string(1764000000000 + user % 6)
                              : "'2026-01-0" + std::to_string(1 + user % 6) + "T00:00:00.123456'";
            sql().run("INSERT INTO people (id, name, email, role, \"createdAt\", \"updatedAt\") "
                      "VALUES ('u" +
                      std::to_string(user) + "', " + (user % 3 == 0 ? "NULL" : "'Ana'") + ", " +
                      (user % 7 == 0 ? "NULL" : "'a" + std::to_string(user) + "'") + ", NULL, " +
                      time + ", " + (user % 5 == 0 ? "NULL" : time) + ")");
        }
        for (const std::int64_t limit : {1, 6})
            expect_all_users_once({}, limit);
        expect_all_users_once({"user", "a1"}, 6);
        undo();
    }
}

TEST(positions, stay_valid_if_users_are_deleted_or_added) {
    for (const char* const id : {"a", "b", "c", "d"})
        add_user(id, std::string(id) + "@x");
    const Order order = {SortKey::email, false};
    const store::Page first = list({}, {2, 0, order});
    const store::Position position = {first.users.back().sort_key, first.users.back().id};
    sql().run("DELETE FROM \"user\" WHERE \"id\" = 'b'");
    add_user("0", "0@x");
    CHECK_EQUAL(std::string("c d"), ids(list({}, {2, 2, order, position})));
    CHECK_EQUAL(std::string("0 a"),
                ids(list({}, {2, 2, order, store::Position{position.key, position.id, true}})));
}

TEST(positions, impossible_positions_do_not_replace_the_offset) {
    for (const char* const id : {"a", "b", "c", "d"})
        add_user(id, std::string(id) + "@x");
    for (const bool is_end : {false, true}) {
        for (const char* const key :
             {"", "x", "infinity", "2026-13-01T00:00:00", "2026-01-01T00:00:00Z",
              "2026-01-01T00:00:00+99:00", "2026-01-01", "12026-01-01T00:00:00", "1.5",
              "2026-01-01T00:00:00.1234567", "2026-01-01T00:00:00' OR true --"})
            // SQLite accepts any key that parses as a time.
            if (database().kind() == Kind::postgresql || !text::parse_timestamp(key))
                for (const bool is_descending : {false, true})
                    CHECK_EQUAL(std::string(is_descending ? "b c" : "c b"),
                                ids(list({}, {2,
                                              1,
                                              {SortKey::updated_at, is_descending},
                                              store::Position{key, "b", is_end}})));
        CHECK_EQUAL(
            std::string("b c"),
            ids(list({}, {2, 1, {SortKey::name, false}, store::Position{{}, "b", is_end}})));
    }
}

} // namespace useradmin::test
