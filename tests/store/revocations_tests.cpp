// The revocation table, in which other servers find revoked privileges and sessions.
#include "contract.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

namespace useradmin::test {

namespace {

using store::SessionPolicy;

} // namespace

class Revocations : public Contract {
  public:
    void setup() override {
        Contract::setup();
        clear_tables();
    }

  protected:
    void clear_tables() {
        database().clear();
        add_user("n", "n@x", "'admin'");
        for (const char* const token : {"one", "two"})
            add_session(token, "n");
    }

    model::Account new_hash() {
        static const store::NewUser user = new_user("n", "n@x");
        return store::account_row(user);
    }

    using NamedChanges = std::vector<std::pair<const char*, std::function<void()>>>;

    /// Returns changes that end the user's sessions.
    NamedChanges changes_that_end_sessions() {
        return {
            {"a ban that ends the sessions",
             [&] {
                 expect_ok(store().update("n", {{"banned", true}}, {}, SessionPolicy::revoke));
             }},
            {"a new password",
             [&] { expect_ok(store().set_password(new_hash(), SessionPolicy::revoke)); }},
            {"a deletion", [&] { expect_ok(store().remove("n", {"protected@x"})); }},
            {"the end of all sessions", [&] { expect_ok(store().delete_sessions_of_user("n")); }}};
    }

    /// Returns the recorded revocations: "n all, n session-one".
    std::string recorded_revocations(const std::string& order = "id") {
        return sql().column("SELECT user_id || ' ' || coalesce(session_id, 'all') FROM "
                            "useradmin_revocation ORDER BY " +
                            order);
    }

    /// Returns the users of the revocations since a position: "n m".
    std::string users_since(std::int64_t position) {
        const store::Revocations read = expect_ok(store().revocations_since(position));
        std::string all;
        for (const store::Revocation& revocation : read.rows)
            all += (all.empty() ? "" : " ") + std::string(revocation.user_id);
        return all;
    }
    std::int64_t position() { return expect_ok(store().revocations_since(0)).position; }

    void ban(std::string_view id = "n") { expect_ok(store().update(id, {{"banned", true}})); }
};

TEST_GROUP_BASE(revocations, Revocations){};
TEST_GROUP_BASE(postgresql_revocations, Revocations){};

TEST(revocations, are_recorded_when_privileges_or_sessions_are_revoked) {
    NamedChanges changes = {
        {"a ban", [&] { ban(); }},
        {"another role",
         [&] {
             expect_ok(store().update("n", {{"role", "user"}}));
         }},
        {"another address",
         [&] {
             expect_ok(store().update("n", {{"email", "m@x"}}));
         }},
    };
    std::ranges::move(changes_that_end_sessions(), std::back_inserter(changes));
    for (const auto& [what, change] : changes) {
        clear_tables();
        change();
        CHECK_EQUAL_TEXT(std::string("n all"), recorded_revocations(), what);
    }
}

TEST(revocations, name_a_session_if_only_that_one_is_ended) {
    expect_ok(store().delete_session("one"));
    expect_ok(store().delete_session_of_user("n", "session-two"));
    CHECK_EQUAL(std::string("n session-one, n session-two"), recorded_revocations());
}

TEST(revocations, name_the_sessions_in_which_the_user_impersonates_others) {
    NamedChanges changes = {
        {"another role",
         [&] {
             expect_ok(store().update("n", {{"role", "user"}}, {}, SessionPolicy::revoke));
         }},
        {"another address",
         [&] {
             expect_ok(store().update("n", {{"email", "m@x"}}, {}, SessionPolicy::revoke));
         }},
    };
    std::ranges::move(changes_that_end_sessions(), std::back_inserter(changes));
    for (const auto& [what, change] : changes) {
        clear_tables();
        add_user("o", "o@x");
        for (const char* const token : {"acting", "own"})
            add_session(token, "o");
        sql().run("UPDATE \"session\" SET \"impersonatedBy\" = 'n' WHERE \"token\" = 'acting'");
        change();
        CHECK_EQUAL_TEXT(std::string("n all, o session-acting"), recorded_revocations("user_id"),
                         what);
        CHECK_TEXT(is_not_found(store().find_session("acting")), what);
        expect_ok(store().find_session("own"));
    }
}

TEST(revocations, include_the_sessions_that_exceed_the_maximum) {
    add_session("expired", "n", "2026-03-01T00:00:00.000Z");
    store::SessionTerms terms;
    terms.now = at("2026-03-04T00:00:00.000Z");
    terms.max_sessions = 1;
    expect_ok(store().create_session(session_of("n", "three"), terms));
    CHECK_EQUAL(1, sql().number("SELECT count(*) FROM \"session\""));
    CHECK_EQUAL(std::string("n session-one, n session-two"), recorded_revocations("session_id"));
}

TEST(revocations, are_not_recorded_for_other_changes) {
    store::NewUser other = new_user("m", "m@x");
    other.account_id = "account of m";
    expect_ok(store().create(other));
    expect_ok(store().update("n", {{"name", "Other"}}));
    expect_ok(store().update("n", {{"role", "admin"}, {"email", "n@x"}, {"banned", false}}));
    expect_ok(store().set_password(new_hash(), SessionPolicy::keep));
    CHECK_FALSE(store().delete_session("none"));
    CHECK_FALSE(store().delete_session_of_user("n", "none"));
    CHECK_FALSE(store().update("none", {{"banned", true}}));
    CHECK_FALSE(store().remove("n", {"n@x"}));
    CHECK_EQUAL(std::string(), recorded_revocations());
}

TEST(revocations, are_not_recorded_for_a_change_that_is_rolled_back) {
    RejectingListener listener;
    set_change_listener(&listener);
    CHECK_FALSE(store().update("n", {{"banned", true}}));
    CHECK_FALSE(store().delete_session("one"));
    CHECK_EQUAL(std::string(), recorded_revocations());
    CHECK_EQUAL(2, sql().number("SELECT count(*) FROM \"session\""));
}

TEST(revocations, are_read_from_a_position) {
    add_user("m", "m@x");
    ban();
    const std::int64_t before = position();
    CHECK_EQUAL(std::string("n"), users_since(0));
    ban("m");
    CHECK_EQUAL(std::string("m"), users_since(before));
    CHECK_EQUAL(std::string(), users_since(position()));
}

TEST(revocations, after_a_restore_are_read_from_an_earlier_position) {
    if (is_postgresql())
        return; // transaction IDs do not start again
    ban();
    const std::int64_t before = position();
    sql().run("DELETE FROM useradmin_revocation");
    sql().run("DELETE FROM sqlite_sequence WHERE name = 'useradmin_revocation'");
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    ban();
    CHECK_EQUAL(std::string("n"), users_since(before));
}

TEST(postgresql_revocations, late_commits_are_read_after_later_revocations) {
    // Not for SQLite, which has one writer at a time.
    sql().run("BEGIN; INSERT INTO useradmin_revocation (user_id) VALUES ('late')");
    ban();
    const std::int64_t before = position();
    CHECK_EQUAL(std::string("n"), users_since(0));
    sql().run("COMMIT");
    const std::string users = users_since(before);
    CHECK_TEXT(users.find("late") != users.npos, users.c_str());
    CHECK_EQUAL(std::string(), users_since(position()));
}

TEST(postgresql_revocations, with_transaction_ids_reused_after_a_failover_are_read) {
    // Not for SQLite, which has no standbys.
    add_user("m", "m@x");
    ban();
    const std::int64_t before = position();
    // These transactions leave no row. A promoted standby would reuse their ids.
    for (int number = 0; number < 3; ++number)
        sql().run("SELECT pg_current_xact_id()");
    CHECK_EQUAL(before, position());
    ban("m");
    CHECK_EQUAL(std::string("m"), users_since(before));
}

TEST(postgresql_revocations, have_another_database_name_after_a_promotion) {
    // Not for SQLite, which has no standbys.
    const WorkFolder work;
    PostgreSql standby(work, "standby", database().server());
    const auto name_on = [&](const std::string& host) {
        return with_store(
            [](store::Store& store) { return expect_ok(store.revocations_since(0)).database; },
            "useradmin host=" + host);
    };
    const std::string before = name_on(database().server().folder().string());
    CHECK_EQUAL(before, name_on(standby.folder().string()));
    standby.promote();
    CHECK_FALSE(before == name_on(standby.folder().string()));
}

TEST(postgresql_revocations, revocations_in_a_restored_dump_are_read_once) {
    // Not for SQLite, whose positions are in the database file. The dump contains a transaction id
    // that the new server has not reached yet.
    sql().run("INSERT INTO useradmin_revocation (user_id, transaction_id) VALUES ('old', "
              "'1000000000')");
    CHECK_EQUAL(std::string("old"), users_since(0));
    CHECK_EQUAL(std::string(), users_since(position()));
}

TEST(postgresql_revocations, have_the_time_of_the_insert) {
    // Not for SQLite, which has one writer at a time.
    sql().run("BEGIN");
    sql().run("SELECT pg_sleep(0.01); INSERT INTO useradmin_revocation (user_id) VALUES ('n')");
    const long late = sql().number("SELECT count(*) FROM useradmin_revocation WHERE created_at >= "
                                   "now() + interval '10 ms'");
    sql().run("COMMIT");
    CHECK_EQUAL(1, late);
}

TEST(revocations, include_their_session_and_time) {
    sql().run("INSERT INTO useradmin_revocation (user_id, session_id, created_at) VALUES "
              "('n', 'one', '2030-01-02T03:04:05.678Z'), ('n', NULL, '2030-01-02T03:04:05.679Z')");
    const store::Revocations read = expect_ok(store().revocations_since(0));
    CHECK_EQUAL(2, read.rows.size());
    for (const store::Revocation& row : read.rows) {
        std::string time;
        text::append_iso8601(time, row.created_at);
        CHECK_EQUAL(std::string(row.session_id.empty() ? "2030-01-02T03:04:05.679Z"
                                                       : "2030-01-02T03:04:05.678Z"),
                    time);
    }
}

TEST(revocations, name_the_database_and_their_table) {
    const std::string name = expect_ok(store().revocations_since(0)).database;
    CHECK_FALSE(name.empty());
    ban();
    CHECK_EQUAL(name, expect_ok(store().revocations_since(0)).database);
    constexpr std::int64_t end = std::numeric_limits<std::int64_t>::max();
    const store::Revocations none = expect_ok(store().revocations_since(end));
    CHECK_EQUAL(name, none.database);
    CHECK_TRUE(none.rows.empty());
}

TEST(revocations, are_read_a_thousand_at_a_time) {
    ban();
    for (int doubling = 0; doubling < 10; ++doubling)
        sql().run("INSERT INTO useradmin_revocation (user_id) SELECT user_id FROM "
                  "useradmin_revocation");
    std::int64_t last = 0;
    std::size_t count = 0;
    for (bool is_partial = true; is_partial;) {
        const store::Revocations page = expect_ok(store().revocations_since(0, last));
        for (const store::Revocation& row : page.rows) {
            CHECK_TRUE(row.id > last);
            last = row.id;
        }
        count += page.rows.size();
        is_partial = page.is_partial;
    }
    CHECK_EQUAL(1024, count);
    CHECK_TRUE(expect_ok(store().revocations_since(0)).is_partial);
    sql().run("DELETE FROM useradmin_revocation WHERE id IN (SELECT id FROM useradmin_revocation "
              "LIMIT 24)");
    CHECK_FALSE(expect_ok(store().revocations_since(0)).is_partial);
}

TEST(revocations, are_removed_after_thirty_days) {
    const char* const days_ago =
        is_postgresql() ? "now() - interval '1 day' * " : "strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ";
    const auto add = [&](const char* id, const char* days) {
        sql().run("INSERT INTO useradmin_revocation (user_id, created_at) VALUES (" +
                  sql_literal(id) + ", " + days_ago +
                  (is_postgresql() ? std::string(days) : "'-" + std::string(days) + " days')") +
                  ")");
    };
    add("older", "31");
    add("newer", "29");
    ban();
    CHECK_EQUAL(std::string("newer all, n all"), recorded_revocations());
}

TEST(revocations, are_not_recorded_without_their_table) {
    change("ALTER TABLE useradmin_revocation RENAME TO other_revocation",
           "ALTER TABLE other_revocation RENAME TO useradmin_revocation");
    ban();
    expect_ok(store().delete_session("one"));
    expect_ok(store().remove("n", {"protected@x"}));
    const store::Revocations none = expect_ok(store().revocations_since(3));
    CHECK_EQUAL(3, none.position);
    CHECK_TRUE(none.rows.empty() && !none.is_partial && !none.has_table);
    undo();
    CHECK_EQUAL(std::string(), recorded_revocations());
}

TEST(postgresql_revocations, are_not_written_to_a_table_of_another_role) {
    change("CREATE ROLE stranger; ALTER TABLE useradmin_revocation OWNER TO stranger",
           "ALTER TABLE useradmin_revocation OWNER TO useradmin; DROP ROLE stranger");
    ban();
    CHECK_EQUAL(std::string(), recorded_revocations());
}

TEST(postgresql_revocations, without_privileges_fail_the_change) {
    create_restricted_role(R"(GRANT ALL ON "user", "session" TO poor; GRANT SELECT ON )"
                           R"(useradmin_revocation TO poor)");
    const auto ban = [](store::Store& store) { return store.update("n", {{"banned", true}}, {}); };
    CHECK_FALSE(with_store(ban, "poor"));
    CHECK_EQUAL(0, sql().number("SELECT count(*) FROM \"user\" WHERE \"banned\""));
    expect_error("permission denied for table useradmin_revocation");
    sql().run("REVOKE ALL ON useradmin_revocation FROM poor");
    // Without privileges on the table, changes succeed without recording revocations.
    expect_ok(with_store(ban, "poor"));
    CHECK_EQUAL(std::string(), recorded_revocations());
    CHECK_TRUE(is_failure(
        with_store([](store::Store& store) { return store.revocations_since(0); }, "poor")));
    expect_error("UA0103: role poor lacks privileges on table");
}

} // namespace useradmin::test
