// The last activity of users, taken from their sessions or from a column (UserAdminLastSeen).
#include "contract.hpp"
#include "store/cached_connection.hpp"
#include "support/expected_users.hpp"

#include <algorithm>
#include <apr_strings.h>
#include <array>

namespace useradmin::test {

namespace {

using store::Filter;
using store::Order;
using store::SortKey;

std::string padded(int number) {
    std::string digits = std::to_string(number);
    return std::string(4 - std::min<std::size_t>(digits.size(), 4), '0') + digits;
}

/// Returns the time in ISO 8601.
std::string time_of(long hour) {
    std::string text;
    text::append_iso8601(text, at_hour(hour));
    return text;
}

class LastActivity : public Contract {
  public:
    void setup() override {
        Contract::setup();
        read_ = &store();
    }
    void teardown() override {
        other_.reset();
        Contract::teardown();
    }

  protected:
    /// Makes read_ a store with these table and column names.
    void open_store(const store::TableNames& names) {
        // Use a new label each time, because the schema is cached by label for ten seconds.
        const std::string label = "other" + std::to_string(++uses_);
        other_ = std::make_unique<store::DatabaseStore>(
            *connection_, log_, pool_, names, apr_pstrdup(pool_, label.c_str()), timeout_policy);
        read_ = other_.get();
        names_ = names;
    }
    void add_last_login_column(const std::string& type) {
        change("ALTER TABLE \"user\" ADD COLUMN \"lastLoginAt\" " + type,
               "ALTER TABLE \"user\" DROP COLUMN \"lastLoginAt\"");
        open_store({.last_seen = "lastLoginAt"});
    }

    void add_session_at(const std::string& user, int number, long hour) {
        sessions_ += (sessions_.empty() ? "(" : ", (") + sql_literal(user + "-" + padded(number)) +
                     ", '2026-01-01', " + sql_literal("token of " + user + padded(number)) +
                     ", '2026-01-01', " + sql_literal(time_of(hour)) + ", " + sql_literal(user) +
                     ")";
    }
    void insert_sessions() {
        sql().run("INSERT INTO \"session\" (\"id\", \"expiresAt\", \"token\", \"createdAt\", "
                  "\"updatedAt\", \"userId\") VALUES " +
                  sessions_);
        sessions_.clear();
    }

    /// Adds users. Every fourth has no session. Others have up to three, some of them with the same
    /// time.
    void add_users(int count) {
        std::string rows;
        for (int number = 0; number < count; ++number) {
            const std::string id = "u" + padded(number);
            ExpectedUser user = {id, "n", id + "@x", number % 3 == 0 ? "admin" : ""};
            rows += (rows.empty() ? "(" : ", (") + sql_literal(user.id) + ", " +
                    sql_literal(user.email) + ", TRUE, " +
                    (user.role.empty() ? "NULL" : "'admin'") + ", '2026-01-01', '2026-01-01', 'n')";
            for (int session = 0; session < number % 4; ++session) {
                const long hour = (number * 7 + session / 2 * 5) % 29;
                user.seen = std::max(user.seen, hour);
                add_session_at(user.id, session, hour);
            }
            users_.push_back(user);
        }
        sql().run("INSERT INTO \"user\" (\"id\", \"email\", \"emailVerified\", \"role\", "
                  "\"createdAt\", \"updatedAt\", \"name\") VALUES " +
                  rows);
        insert_sessions();
    }

    enum class Paging { by_offset, forward, back };

    /// Returns the ids of all pages of a list, and the total.
    std::string ids_of_all_pages(const Filter& filter, const Order& order, std::int64_t limit,
                                 Paging paging, SourceLocation where) {
        const bool is_back = paging == Paging::back;
        std::string ids;
        store::Window window = {limit, 0, order};
        window.columns = store::UserColumns::all;
        store::Page page = expect_ok(read_->list(filter, window), where);
        if (is_back) {
            window.offset = std::max<std::int64_t>(0, page.total - limit);
            page = expect_ok(read_->list(filter, window), where);
        }
        for (int pages = 0; !page.users.empty() && pages < 1000; ++pages) {
            std::string more;
            for (const model::User& user : page.users)
                more += std::string(user.id) + " ";
            ids = is_back ? more + ids : ids + more;
            window.offset += limit;
            if (paging != Paging::by_offset) {
                const model::User& last = is_back ? page.users.front() : page.users.back();
                window.position = store::Position{last.sort_key, last.id, is_back};
                window.offset = 10000; // If it applied, the page would be empty.
            }
            page = expect_ok(read_->list(filter, window), where);
        }
        return ids + "of " + std::to_string(page.total);
    }

    void expect(const Filter& filter, std::int64_t limit, SourceLocation where = {}) {
        for (const bool is_descending : {true, false}) {
            const Order order = {SortKey::last_seen, is_descending};
            users_.sort(order);
            const std::string ids = users_.page(filter, {10000});
            for (const Paging paging : {Paging::by_offset, Paging::forward, Paging::back})
                CHECK_EQUAL_LOCATION(ids, ids_of_all_pages(filter, order, limit, paging, where), "",
                                     where.file, static_cast<std::size_t>(where.line));
        }
    }

    void expect_orders_and_filters(std::int64_t limit, SourceLocation where = {}) {
        expect({}, limit, where);
        expect({"admin", {}}, limit, where);
        for (const long hour : {0, 10, 28, 29}) {
            expect({.role = {}, .search = {}, .seen_from = at_hour(hour)}, limit, where);
            expect({.role = {}, .search = {}, .seen_before = at_hour(hour)}, limit, where);
        }
        Filter filter = {.role = {}, .search = {}, .seen_from = at_hour(20)};
        filter.seen_before = at_hour(5);
        expect(filter, limit, where);
        filter.role = "admin";
        expect(filter, limit, where);
        filter.matches_all = true;
        expect(filter, limit, where);
        filter.seen_from = at_hour(3);
        filter.seen_before = at_hour(20);
        expect(filter, limit, where);
        filter.seen_from.reset();
        filter.search = "u";
        expect(filter, limit, where);
    }

    /// Returns the last activity of these users, or "unknown".
    std::string read(std::initializer_list<std::string_view> ids) {
        std::vector<model::User> users(ids.size());
        std::transform(ids.begin(), ids.end(), users.begin(), [](std::string_view id) {
            model::User user;
            user.id = id;
            return user;
        });
        expect_ok(read_->read_last_activity(users));
        std::string text;
        for (const model::User& user : users) {
            text += text.empty() ? "" : " ";
            if (user.last_seen.value())
                text::append_iso8601(text, **user.last_seen);
            else
                text += "unknown";
        }
        return text;
    }

    std::string problem() {
        const store::Dialect& dialect = *store::find_dialect(database().driver());
        const std::string label = "problem" + std::to_string(++uses_);
        const store::Connection& connection = *connection_->acquire({});
        store::CachedConnection& known =
            store::CachedConnection::get(connection, dialect, label.c_str());
        CHECK(known.refresh_schema(dialect, names_, store::no_deadline, pool_));
        connection_->release(connection);
        return known.schema().last_seen_problem;
    }

    ExpectedUsers users_;

  private:
    store::Store* read_ = nullptr;
    store::TableNames names_;
    std::unique_ptr<store::DatabaseStore> other_;
    std::string sessions_;
    int uses_ = 0;
};

} // namespace

TEST_GROUP_BASE(last_activity, LastActivity){};
TEST_GROUP_BASE(sqlite_last_activity, LastActivity){};
TEST_GROUP_BASE(postgresql_last_activity, LastActivity){};

TEST(last_activity, comes_from_the_newest_session) {
    add_user("ana", "ana@x");
    add_user("bob", "bob@x");
    add_session_at("ana", 1, 3);
    add_session_at("ana", 2, 30);
    add_session_at("ana", 3, 7);
    insert_sessions();
    CHECK_EQUAL(std::string("2026-01-02T06:00:00.000Z unknown unknown"),
                read({"ana", "bob", "nobody"}));
    CHECK_EQUAL(std::string(""), read({}));
    CHECK_EQUAL(std::string(""), problem());
}

TEST(last_activity, activity_of_many_users_is_read) {
    add_users(1100);
    std::vector<model::User> users = expect_ok(store().list({}, {2000})).users;
    expect_ok(store().read_last_activity(users));
    for (const ExpectedUser& kept : users_) {
        const auto user = std::find_if(users.begin(), users.end(),
                                       [&](const model::User& each) { return each.id == kept.id; });
        CHECK(user->last_seen.value() ==
              (kept.seen < 0 ? model::NullableTime() : at_hour(kept.seen)));
    }
}

TEST(last_activity, orders_and_filters_lists) {
    add_users(40);
    for (const std::int64_t limit : {3, 100})
        expect_orders_and_filters(limit);
}

TEST(last_activity, orders_and_filters_thousands_of_users) {
    add_users(5500);
    Filter filter;
    filter.seen_before = at_hour(28);
    expect(filter, 3000);
    filter.matches_all = true;
    filter.search = "u";
    expect(filter, 3000);
    filter.seen_from = at_hour(0);
    filter.matches_all = false;
    expect(filter, 3000);
}

TEST(last_activity, ignores_sessions_of_users_in_other_tables) {
    add_users(20);
    change("CREATE TABLE people AS SELECT * FROM \"user\" WHERE \"id\" < 'u0008'; "
           "CREATE UNIQUE INDEX people_id ON people (\"id\")",
           "DROP TABLE people");
    users_.resize(8);
    open_store({.user = "people"});
    expect_orders_and_filters(3);
}

TEST(sqlite_last_activity, may_be_a_number) {
    add_users(40);
    change("CREATE TABLE numbered_session AS SELECT * FROM \"session\"; "
           "ALTER TABLE numbered_session DROP COLUMN \"updatedAt\"; "
           "ALTER TABLE numbered_session ADD COLUMN \"updatedAt\" integer; "
           "UPDATE numbered_session SET \"updatedAt\" = (SELECT 1000 * strftime('%s', "
           "\"updatedAt\") FROM \"session\" s WHERE s.\"id\" = numbered_session.\"id\")",
           "DROP TABLE numbered_session");
    open_store({.session = "numbered_session"});
    expect_orders_and_filters(3);
}

TEST(postgresql_last_activity, is_read_in_any_date_style_without_prepared_statements) {
    add_user("u", "u@x");
    add_session("s", "u", "2099-01-01T00:00:00.000Z");
    execute_on_connection("SET DateStyle = German");
    for (int time = 0; time < 3; ++time) {
        std::vector<model::User> users = {expect_ok(store().find("u"))};
        expect_ok(store().read_last_activity(users));
        CHECK_TRUE(users[0].last_seen == at("2026-01-01T00:00:00.000Z"));
        execute_on_connection("DEALLOCATE ALL");
    }
}

TEST(last_activity, comes_from_the_column_if_there_is_one) {
    for (const char* const type : is_postgresql()
                                      ? std::array{"timestamptz", "timestamp", "timestamptz"}
                                      : std::array{"date", "text", "bigint"}) {
        database().clear();
        users_.clear();
        add_last_login_column(type);
        add_users(60);
        const bool is_number = type == std::string_view("bigint");
        for (ExpectedUser& user : users_) {
            // Different from the time of the sessions.
            user.seen = user.seen < 0 ? 3 : user.seen % 2 == 0 ? -1 : (user.seen + 11) % 29;
            if (user.seen >= 0)
                sql().run("UPDATE \"user\" SET \"lastLoginAt\" = " +
                          (is_number ? std::to_string(at_hour(user.seen).time_since_epoch().count())
                                     : sql_literal(time_of(user.seen))) +
                          " WHERE \"id\" = " + sql_literal(user.id));
        }
        CHECK_EQUAL(time_of(3) + " unknown", read({"u0000", "u0002"}));
        CHECK_EQUAL(std::string(""), problem());
        expect_orders_and_filters(7);
        undo();
    }
}

TEST(last_activity, is_unknown_without_a_time_column) {
    add_users(8);
    for (ExpectedUser& user : users_)
        user.seen = -1;
    open_store({.last_seen = "lastLoginAt"});
    CHECK(problem().find("has no column \"lastLoginAt\"; UserAdminLastSeen must name") !=
          std::string::npos);
    CHECK_EQUAL(std::string("unknown"), read({"u0001"}));
    expect_orders_and_filters(3);
}

// SQLite has no type for times, so no column has a wrong type.
TEST(postgresql_last_activity, is_unknown_if_the_column_has_another_type) {
    add_users(8);
    open_store({.last_seen = "banned"});
    CHECK(problem().find("column \"banned\" of table \"user\" has the type boolean; "
                         "UserAdminLastSeen") != std::string::npos);
    CHECK_EQUAL(std::string("unknown"), read({"u0001"}));
}

TEST(last_activity, is_unknown_without_sessions) {
    add_users(8);
    for (ExpectedUser& user : users_)
        user.seen = -1;
    open_store({.session = "nothing"});
    CHECK_EQUAL(std::string(""), problem());
    CHECK_EQUAL(std::string("unknown"), read({"u0001"}));
    expect_orders_and_filters(3);
}

TEST(postgresql_last_activity, is_unknown_to_a_role_that_may_not_read_sessions) {
    add_users(8);
    change(
        "CREATE ROLE lister LOGIN; GRANT SELECT ON \"user\" TO lister; GRANT SELECT (\"userId\") "
        "ON \"session\" TO lister",
        "DROP OWNED BY lister; DROP ROLE lister");
    connection_ = std::make_unique<SingleConnection>(database(), "lister");
    open_store({});
    CHECK_EQUAL(std::string("unknown"), read({"u0001"}));
    connection_ = std::make_unique<SingleConnection>(database());
}

} // namespace useradmin::test
