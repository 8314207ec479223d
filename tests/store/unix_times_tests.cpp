// SQLite tables whose times are numbers, or text in other formats, as ORMs create and fill them.
#include "clock.hpp"
#include "contract.hpp"

#include <memory>
#include <string>

namespace useradmin::test {

namespace {

using store::Filter;
using store::SortKey;

/// How an ORM stores times.
struct Orm {
    const char* name;
    ColumnTypes types;
    /// An SQL expression for a time in ISO 8601 as the ORM writes it.
    std::string (*time)(const std::string& iso);
    /// The stored value of 2026-03-04T05:06:07.089Z.
    const char* stored;
    /// Whether fractions of a second are lost.
    bool has_seconds;
    /// Whether columns are in snake_case.
    bool is_snake_case;
};

std::string in_milliseconds(const std::string& iso) {
    return std::to_string(at(iso).time_since_epoch().count());
}
std::string in_seconds(const std::string& iso) {
    return std::to_string(at(iso).time_since_epoch().count() / 1000);
}
std::string with_offset(const std::string& iso) {
    return sql_literal(iso.substr(0, iso.size() - 1) + "+00:00");
}

// The columns that the service uses, as Prisma and drizzle-kit create them.
constexpr const char* orm_tables = R"(
CREATE TABLE "orm_user" ("id" text NOT NULL PRIMARY KEY, "name" text NOT NULL,
    "email" text NOT NULL, "emailVerified" $boolean DEFAULT false NOT NULL, "image" text,
    "createdAt" $time DEFAULT $now NOT NULL, "updatedAt" $time NOT NULL, "role" text,
    "banned" $boolean DEFAULT false, "banReason" text, "banExpires" $time,
    "twoFactorEnabled" $boolean DEFAULT false);
CREATE TABLE "orm_session" ("id" text NOT NULL PRIMARY KEY, "expiresAt" $time NOT NULL,
    "token" text NOT NULL, "createdAt" $time DEFAULT $now NOT NULL, "updatedAt" $time NOT NULL,
    "ipAddress" text, "userAgent" text, "impersonatedBy" text,
    "userId" text NOT NULL REFERENCES "orm_user" ("id") ON DELETE CASCADE);
CREATE TABLE "orm_account" ("id" text NOT NULL PRIMARY KEY, "accountId" text NOT NULL,
    "providerId" text NOT NULL, "accessTokenExpiresAt" $time, "password" text,
    "createdAt" $time DEFAULT $now NOT NULL, "updatedAt" $time NOT NULL,
    "userId" text NOT NULL REFERENCES "orm_user" ("id") ON DELETE CASCADE);
CREATE UNIQUE INDEX "orm_user_email_key" ON "orm_user" ("email");
CREATE UNIQUE INDEX "orm_session_token_key" ON "orm_session" ("token"))";

const ColumnTypes prisma = {
    {"$time", "DATETIME"}, {"$boolean", "BOOLEAN"}, {"$now", "CURRENT_TIMESTAMP"}};
const ColumnTypes drizzle = {{"$time", "integer"},
                             {"$boolean", "integer"},
                             {"$now", "(cast(strftime('%s', 'now') * 1000 as integer))"}};

const Orm orms[] = {
    {"Prisma, unixepoch-ms", prisma, in_milliseconds, "1772600767089", false, false},
    {"Prisma, iso8601", prisma, with_offset, "2026-03-04T05:06:07.089Z", false, false},
    {"Drizzle, timestamp_ms", drizzle, in_milliseconds, "1772600767089", false, true},
    {"Drizzle, timestamp", drizzle, in_seconds, "1772600767", true, true}};

constexpr std::string_view orm_administrators[] = {"superAdmin", "admin"};

} // namespace

/// A store for an ORM's tables, with the user "app" and the session "kept" of the application.
class UnixTimes : public Contract {
  protected:
    void setup() override {
        Contract::setup();
        drop();
    }
    void teardown() override {
        orm_store_.reset();
        drop();
        Contract::teardown();
    }

    void drop() {
        for (const char* const table : {"orm_session", "orm_account", "orm_user"})
            sql().run("DROP TABLE IF EXISTS \"" + std::string(table) + "\"");
    }

    /// Creates empty tables and a store.
    void create_tables(const Orm& orm) {
        orm_ = &orm;
        orm_store_.reset();
        drop();
        sql().run(with_types(orm_tables, orm.types, orm.is_snake_case));
        orm_store_ = std::make_unique<store::DatabaseStore>(
            *connection_, log_, pool_, store::TableNames{"orm_user", "orm_session", "orm_account"},
            orm.name, timeout_policy);
    }

    std::string column(const std::string& camel, const std::string& snake) const {
        return orm_->is_snake_case ? snake : camel;
    }

    /// Adds a user as the application does.
    void add_app_user(const std::string& id, const std::string& created) {
        const std::string time = orm_->time(created);
        sql().run("INSERT INTO \"orm_user\" (\"id\", \"name\", \"email\", \"role\", " +
                  column("createdAt", "created_at") + ", " + column("updatedAt", "updated_at") +
                  ") VALUES (" + sql_literal(id) + ", 'App', " + sql_literal(id + "@x") +
                  ", 'superAdmin', " + time + ", " + time + ")");
    }
    void add_app_session(const std::string& token, const std::string& created,
                         const std::string& expires) {
        sql().run("INSERT INTO \"orm_session\" (\"id\", \"token\", " + column("userId", "user_id") +
                  ", " + column("createdAt", "created_at") + ", " +
                  column("updatedAt", "updated_at") + ", " + column("expiresAt", "expires_at") +
                  ") VALUES (" + sql_literal(token) + ", " + sql_literal(token) + ", 'app', " +
                  orm_->time(created) + ", " + orm_->time(created) + ", " + orm_->time(expires) +
                  ")");
    }
    void ban_in_app(const std::string& id, const std::string& until) {
        sql().run("UPDATE \"orm_user\" SET \"banned\" = 1, " + column("banExpires", "ban_expires") +
                  " = " + orm_->time(until) + " WHERE \"id\" = " + sql_literal(id));
    }

    /// Calls the test for each ORM, with a user of the application.
    template <class Test>
    void for_each_orm(const Test& test) {
        for (const Orm& orm : orms) {
            create_tables(orm);
            add_app_user("app", "2026-03-03T00:00:00.123Z");
            test();
        }
    }

    std::string stored(const std::string& table, const std::string& name,
                       const std::string& condition) {
        return *sql().rows("SELECT CAST(" + name + " AS TEXT) FROM " + table + " WHERE " +
                           condition)[0][0];
    }

    /// Returns the time as read back after the ORM has stored it.
    text::Timestamp read_back(std::string_view iso) const {
        const auto time = at(iso);
        return orm_->has_seconds ? std::chrono::floor<std::chrono::seconds>(time) : time;
    }

    const Orm* orm_ = nullptr;
    std::unique_ptr<store::Store> orm_store_;
};

TEST_GROUP_BASE(sqlite_times_of_orms, UnixTimes){};

TEST(sqlite_times_of_orms, are_written_as_the_application_stores_them) {
    for_each_orm([&] {
        expect_ok(orm_store_->create(new_user("n", "n@x")));
        expect_ok(orm_store_->update(
            "n", {{"banned", true}, {"banExpires", at("2026-03-04T05:06:07.089Z")}}));
        expect_ok(orm_store_->create_session(session_of("n", "s", at("2026-03-04T05:06:07.089Z"))));
        const std::string columns[][3] = {
            {"orm_user", column("createdAt", "created_at"), "id = 'n'"},
            {"orm_user", column("updatedAt", "updated_at"), "id = 'n'"},
            {"orm_user", column("banExpires", "ban_expires"), "id = 'n'"},
            {"orm_session", column("expiresAt", "expires_at"), "id = 's'"},
            {"orm_session", column("createdAt", "created_at"), "id = 's'"},
            {"orm_account", column("createdAt", "created_at"), "TRUE"},
            {"orm_account", column("updatedAt", "updated_at"), "TRUE"}};
        for (const auto& [table, name, condition] : columns)
            STRCMP_EQUAL_TEXT(orm_->stored, stored(table, name, condition).c_str(), orm_->name);
        CHECK_TEXT(expect_ok(orm_store_->find("n")).ban_expires ==
                       read_back("2026-03-04T05:06:07.089Z"),
                   orm_->name);
        CHECK_TEXT(expect_ok(orm_store_->find("app")).created_at ==
                       read_back("2026-03-03T00:00:00.123Z"),
                   orm_->name);
    });
}

TEST(sqlite_times_of_orms, may_be_as_late_as_the_year_9999) {
    for_each_orm([&] {
        expect_ok(orm_store_->update("app", {{"banExpires", at("9999-12-31T23:59:59.000Z")}}));
        CHECK_TEXT(expect_ok(orm_store_->find("app")).ban_expires == at("9999-12-31T23:59:59.000Z"),
                   orm_->name);
    });
}

TEST(sqlite_times_of_orms, sort_and_filter_users_of_service_and_application) {
    for_each_orm([&] {
        expect_ok(orm_store_->create(new_user("n", "n@x")));
        add_app_user("later", "2026-03-05T00:00:01.000Z");
        CHECK_EQUAL(std::string("later n app"), ids(expect_ok(orm_store_->list({}, {9}))));
        Filter filter;
        filter.created_from = at("2026-03-04T00:00:00.000Z");
        CHECK_EQUAL(std::string("later n"), ids(expect_ok(orm_store_->list(filter, {9}))));
        filter.created_before = at("2026-03-05T00:00:00.000Z");
        filter.matches_all = true;
        CHECK_EQUAL(std::string("n"), ids(expect_ok(orm_store_->list(filter, {9}))));
        for (const Filter& each : {Filter(), Filter{{}, "@x"}}) {
            const store::Page first = expect_ok(orm_store_->list(each, {1}));
            const store::Page next = expect_ok(orm_store_->list(
                each, {1, 0, {}, store::Position{first.users[0].sort_key, first.users[0].id}}));
            CHECK_EQUAL(std::string("n"), ids(next));
        }
    });
}

TEST(sqlite_times_of_orms, exclude_expired_sessions_from_lists) {
    for_each_orm([&] {
        add_app_session("live", "2026-03-04T00:00:00.000Z", "2026-03-06T00:00:00.000Z");
        add_app_session("expired", "2026-03-01T00:00:00.000Z", "2026-03-03T00:00:00.000Z");
        const auto sessions =
            expect_ok(orm_store_->list_active_sessions("app", at("2026-03-05T00:00:00.000Z"), 9));
        CHECK_EQUAL(1U, sessions.size());
        CHECK_EQUAL(std::string("live"), std::string(sessions[0].id));
    });
}

TEST(sqlite_times_of_orms, end_only_the_oldest_session_beyond_the_limit) {
    for_each_orm([&] {
        for (const char* const created : {"2026-03-01", "2026-03-02"})
            add_app_session(created, created + std::string("T00:00:00.000Z"),
                            "2026-03-30T00:00:00.000Z");
        store::SessionTerms terms;
        terms.now = at("2026-03-05T00:00:00.000Z");
        terms.max_sessions = 2;
        expect_ok(orm_store_->create_session(session_of("app", "new", terms.now), terms));
        CHECK_EQUAL(std::string("2026-03-02, new"),
                    sql().column("SELECT token FROM orm_session ORDER BY 1"));
    });
}

TEST(sqlite_times_of_orms, reject_a_caller_until_the_ban_ends) {
    for_each_orm([&] {
        expect_ok(orm_store_->create(new_user("n", "n@x")));
        ban_in_app("app", "2026-03-06T00:00:00.000Z");
        const auto rename_at = [&](const char* now) {
            return orm_store_->update("n", {{"name", "Otro"}},
                                      {store::UpdateGuard::Kind::none,
                                       {},
                                       at(now),
                                       {},
                                       store::Actor{"app", orm_administrators, at(now)}});
        };
        const auto refused = rename_at("2026-03-05T00:00:00.000Z");
        CHECK_TEXT(!refused && refused.failure() == store::Failure::caller_rejected, orm_->name);
        CHECK_TEXT(rename_at("2026-03-07T00:00:00.000Z").operator bool(), orm_->name);
    });
}

TEST(sqlite_times_of_orms, sort_and_filter_by_last_activity) {
    for_each_orm([&] {
        expect_ok(orm_store_->create(new_user("n", "n@x")));
        expect_ok(orm_store_->create_session(session_of("n", "t", at("2026-03-04T00:00:00.000Z"))));
        add_app_session("s", "2026-03-05T00:00:00.000Z", "2026-03-06T00:00:00.000Z");
        CHECK_EQUAL(std::string("app n"),
                    ids(expect_ok(orm_store_->list({}, {9, 0, {SortKey::last_seen, true}}))));
        Filter filter;
        filter.seen_from = at("2026-03-04T12:00:00.000Z");
        CHECK_EQUAL(std::string("app"), ids(expect_ok(orm_store_->list(filter, {9}))));
    });
}

TEST(sqlite_times_of_orms, are_recognized_when_the_application_adds_its_first_user) {
    for (const Orm& orm : orms) {
        create_tables(orm);
        CHECK_EQUAL(0, expect_ok(orm_store_->list({}, {9})).total);
        add_app_user("app", "2026-03-03T00:00:00.123Z");
        advance_clock(std::chrono::seconds(11));
        expect_ok(orm_store_->create(new_user("n", "n@x")));
        STRCMP_EQUAL_TEXT(orm.stored,
                          stored("orm_user", column("createdAt", "created_at"), "id = 'n'").c_str(),
                          orm.name);
    }
}

TEST(sqlite_times_of_orms, appear_in_extra_columns_of_a_time_type_as_text) {
    create_tables(orms[0]);
    sql().run("ALTER TABLE orm_user ADD COLUMN \"lastLoginAt\" DATETIME");
    add_app_user("app", "2026-03-03T00:00:00.123Z");
    const std::string extra = extra_json(
        expect_ok(orm_store_->update("app", {{"lastLoginAt", at("2026-03-04T05:06:07.089Z"),
                                              store::Change::When::always, true}})));
    STRCMP_CONTAINS(R"("lastLoginAt":"2026-03-04T05:06:07.089Z")", extra.c_str());
    CHECK_EQUAL(std::string("1772600767089"), stored("orm_user", "\"lastLoginAt\"", "id = 'app'"));
}

TEST(sqlite_times_of_orms, extra_times_are_written_as_the_application_stores_them) {
    expect_error("a column cannot hold a value of the request");
    create_tables(orms[0]);
    sql().run("ALTER TABLE orm_user ADD COLUMN \"lastLoginAt\" DATETIME");
    add_app_user("app", "2026-03-03T00:00:00.123Z");
    const auto change = [&](std::string_view value) {
        return orm_store_->update("app",
                                  {{"lastLoginAt", value, store::Change::When::always, true}});
    };
    expect_ok(change("2026-03-04T05:06:07.089Z"));
    CHECK_EQUAL(std::string("1772600767089"), stored("orm_user", "\"lastLoginAt\"", "id = 'app'"));
    CHECK(change("soon").failure() == store::Failure::invalid_value);
}

TEST(sqlite_times_of_orms, extra_times_can_be_filtered) {
    create_tables(orms[0]);
    sql().run("ALTER TABLE orm_user ADD COLUMN \"lastLoginAt\" DATETIME");
    add_app_user("app", "2026-03-03T00:00:00.123Z");
    sql().run("UPDATE orm_user SET \"lastLoginAt\" = 1772600767089");
    Filter filter;
    for (const auto& [time, count] : {std::pair("2026-03-04", 1), {"2026-03-05", 0}}) {
        filter.conditions = {{"lastLoginAt", store::Condition::Operator::gt, {time}}};
        CHECK_EQUAL(count, expect_ok(orm_store_->list(filter, {9})).total);
    }
}

TEST(sqlite_times_of_orms, extra_times_in_other_formats_are_reported_in_utc) {
    create_tables(orms[0]);
    sql().run("ALTER TABLE orm_user ADD COLUMN \"lastLoginAt\" DATETIME");
    add_app_user("app", "2026-03-03T00:00:00.123Z");
    const auto reported = [&](const std::string& text) {
        sql().run("UPDATE orm_user SET \"lastLoginAt\" = " + sql_literal(text));
        const std::string extra =
            extra_json(expect_ok(orm_store_->find("app", store::UserColumns::all)));
        return extra.substr(extra.find(':') + 1);
    };
    STRCMP_CONTAINS("\"2026-03-04T05:06:07.000Z\"", reported("2026-03-04 05:06:07").c_str());
    STRCMP_CONTAINS("\"2026-03-04T05:06:07.089Z\"",
                    reported("2026-03-04T10:36:07.089+05:30").c_str());
    STRCMP_CONTAINS("\"05:06\"", reported("05:06").c_str());
    STRCMP_CONTAINS("\"2026-13-04\"", reported("2026-13-04").c_str());
}

} // namespace useradmin::test
