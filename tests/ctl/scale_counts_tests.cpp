// The counts after all kinds of changes to the user table.
#include "scale.hpp"
#include "support/process.hpp"

#include <atomic>
#include <random>
#include <thread>

namespace useradmin::test {

namespace {

constexpr const char* total = "SELECT sum(number) FROM useradmin_public_user.counts";

} // namespace

class ScaleCounts : public ScaleScene {
  protected:
    /// Runs the statements in a new session, then checks the counts.
    void check_after(const std::string& statements, SourceLocation where = {}) {
        Session session(params_);
        if (const std::string state = session.run(statements); !state.empty())
            fail_test(state + ": " + session.error(), where);
        check_counts(where);
    }
    /// Runs the statements at each isolation level, with a rollback of the transaction, then with a
    /// rollback to a savepoint. Then runs `reverse`. Checks the counts each time.
    void check_after_commit_and_rollback(const std::string& statements, const std::string& reverse,
                                         SourceLocation where = {}) {
        for (const char* level : {"READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"}) {
            const std::string begin = std::string("BEGIN ISOLATION LEVEL ") + level + ";";
            check_after(begin + statements + ";ROLLBACK", where);
            check_after(begin + "SAVEPOINT one;" + statements + ";ROLLBACK TO one;" + statements +
                            ";COMMIT",
                        where);
            check_after(reverse, where);
        }
    }
};

TEST_GROUP_BASE(postgresql_scale_counts, ScaleCounts){};

TEST(postgresql_scale_counts, are_updated_by_every_kind_of_statement) {
    sql().run(users(1, 50) + users(51, 60, "'admin'") + users(61, 70, "NULL"));
    scale();
    check_counts();
    CHECK_EQUAL(70, sql().number(total));
    const std::string back =
        R"(DELETE FROM "user";)" + users(1, 50) + users(51, 60, "'admin'") + users(61, 70, "NULL");
    check_after_commit_and_rollback(users(100, 100), back);
    check_after_commit_and_rollback(users(100, 300), back);
    check_after_commit_and_rollback(
        R"(UPDATE "user" SET role = 'admin' WHERE id IN ('u1', 'u51', 'u61'))", back);
    check_after_commit_and_rollback(R"(UPDATE "user" SET role = NULL)", back);
    check_after_commit_and_rollback(
        R"(UPDATE "user" SET name = 'Íñigo ' || id, email = upper(email))", back);
    check_after_commit_and_rollback(R"(UPDATE "user" SET image = 'x')", back);
    check_after_commit_and_rollback(R"(UPDATE "user" SET banned = true WHERE id < 'u3')", back);
    check_after_commit_and_rollback(
        R"(UPDATE "user" SET banned = id < 'u2', "emailVerified" = id > 'u5')", back);
    check_after_commit_and_rollback(
        R"(UPDATE "user" SET "createdAt" = "createdAt" + interval '40 days')", back);
    check_after_commit_and_rollback(R"(UPDATE "user" SET id = 'v' || id)", back);
    // Swap the ids of two users.
    check_after_commit_and_rollback(
        R"(UPDATE "user" SET id = 'x' WHERE id = 'u1'; UPDATE "user" SET id = 'u1' WHERE id = 'u51';)"
        R"(UPDATE "user" SET id = 'u51' WHERE id = 'x')",
        back);
    check_after_commit_and_rollback(R"(DELETE FROM "user" WHERE id = 'u7')", back);
    check_after_commit_and_rollback(R"(DELETE FROM "user" WHERE role IS NULL OR role = 'admin')",
                                    back);
    check_after_commit_and_rollback(
        R"(DELETE FROM "user" WHERE false; UPDATE "user" SET role = 'z' WHERE false)", back);
    check_after_commit_and_rollback(R"(DELETE FROM "user")", back);
    check_after_commit_and_rollback(R"(TRUNCATE "user" CASCADE)", back);
    check_after_commit_and_rollback(R"(TRUNCATE "user" CASCADE;)" + users(5, 9), back);
    CHECK_EQUAL(70, sql().number(total));
}

TEST(postgresql_scale_counts, are_updated_by_upserts_cascades_copies_and_CTEs) {
    scale();
    check_after(users(1, 20));
    check_after(
        R"(INSERT INTO "user" (id, name, email, "emailVerified", role) SELECT 'u' || i, 'Other', )"
        R"('o' || i || '@x', true, 'admin' FROM generate_series(15, 30) i ON CONFLICT (id) DO )"
        R"(UPDATE SET role = excluded.role, name = excluded.name)");
    CHECK_EQUAL(16, sql().number(std::string(total) + " WHERE role = 'admin'"));
    check_after(
        R"(INSERT INTO "user" (id, name, email, "emailVerified") VALUES ('u1', 'N', 'n@x', true) )"
        R"(ON CONFLICT DO NOTHING)");
    check_after(
        "CREATE TABLE household (id text PRIMARY KEY); INSERT INTO household VALUES ('h'); "
        "ALTER TABLE \"user\" ADD COLUMN household text REFERENCES household ON DELETE CASCADE; "
        "UPDATE \"user\" SET household = 'h' WHERE id IN ('u1', 'u2', 'u20')");
    undo("ALTER TABLE \"user\" DROP COLUMN household; DROP TABLE household");
    check_after("DELETE FROM household");
    CHECK_EQUAL(27, sql().number(total));
    check_after(
        R"(COPY (SELECT 'c' || i, 'Copied', 'c' || i || '@x', true FROM generate_series(1, 500) i) )"
        R"(TO PROGRAM 'cat > copied.txt'; COPY "user" (id, name, email, "emailVerified") FROM )"
        R"('copied.txt'; COPY (SELECT 1) TO PROGRAM 'cat > copied.txt; rm copied.txt')");
    CHECK_EQUAL(527, sql().number(total));
    check_after(
        R"(WITH gone AS (DELETE FROM "user" WHERE id LIKE 'c1%' RETURNING id), made AS ()"
        R"(INSERT INTO "user" (id, name, email, "emailVerified") SELECT 'd' || id, 'D', id || )"
        R"('@d', true FROM gone RETURNING id) UPDATE "user" SET role = 'admin' WHERE id LIKE 'c2%')");
}

TEST(postgresql_scale_counts, include_changes_by_triggers_of_the_application) {
    scale();
    check_after(users(1, 20) + users(21, 30, "'admin'"));
    check_after(
        "CREATE FUNCTION tidy() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN "
        "IF new.name LIKE 'Boss%' THEN UPDATE \"user\" SET role = 'admin', name = 'The ' || "
        "new.name WHERE id = new.id; END IF; "
        "IF new.role = 'guest' THEN UPDATE \"user\" SET role = 'user' WHERE id = new.id; END IF; "
        "IF new.role = 'gone' THEN DELETE FROM \"user\" WHERE id = new.id; END IF; "
        "RETURN NULL; END $body$; CREATE TRIGGER tidy AFTER INSERT OR UPDATE ON \"user\" "
        "FOR EACH ROW EXECUTE FUNCTION tidy()");
    undo("DROP TRIGGER tidy ON \"user\"; DROP FUNCTION tidy()");
    check_after(R"(UPDATE "user" SET name = 'Boss' WHERE id = 'u1')");
    CHECK_EQUAL(11, sql().number(std::string(total) + " WHERE role = 'admin'"));
    check_after(R"(UPDATE "user" SET name = 'Boss ' || id WHERE id IN ('u2', 'u3', 'u21'))");
    CHECK_EQUAL(13, sql().number(std::string(total) + " WHERE role = 'admin'"));
    // The trigger reverts these changes, so they must not count.
    check_after(R"(UPDATE "user" SET role = 'guest' WHERE id IN ('u4', 'u5'))");
    CHECK_EQUAL(17, sql().number(std::string(total) + " WHERE role = 'user'"));
    check_after(R"(UPDATE "user" SET role = 'gone' WHERE id IN ('u6', 'u7'))");
    CHECK_EQUAL(28, sql().number(total));
    check_after(
        R"(INSERT INTO "user" (id, name, email, "emailVerified", role) VALUES ('a', 'Boss', )"
        R"('a@x', true, 'guest'), ('b', 'B', 'b@x', true, 'guest'))");
    CHECK_EQUAL(30, sql().number(total));
}

TEST(postgresql_scale_counts, include_users_whose_name_folds_to_nothing) {
    scale();
    check_after(
        "INSERT INTO \"user\" (id, name, email, \"emailVerified\") VALUES ('m', '\xcc\x81', "
        "'\xcc\x81', true), ('e', '', '', true)");
}

TEST(postgresql_scale_counts, include_prepared_transactions) {
    scale();
    Session session(params_);
    const std::string state =
        session.run("BEGIN; " + users(1, 5) + "PREPARE TRANSACTION 'of two phases'");
    if (state == "55000") // prepared transactions are disabled
        return;
    CHECK_EQUAL(std::string(), state);
    CHECK_EQUAL(std::string("(null)"), session.value(total));
    // No statement waits for the prepared transaction.
    CHECK_EQUAL(std::string(), session.run("SET lock_timeout = '120s';" + users(6, 9)));
    CHECK_EQUAL(std::string(), session.run("COMMIT PREPARED 'of two phases'"));
    check_counts();
}

TEST(postgresql_scale_counts, block_no_concurrent_writer) {
    scale();
    sql().run(users(1, 200));
    for (const char* level : {"READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"}) {
        std::vector<std::unique_ptr<Session>> writers;
        for (int number = 0; number < 40; ++number) {
            writers.push_back(std::make_unique<Session>(params_));
            Session& writer = *writers.back();
            const std::string own = std::to_string(1000 + number);
            const std::string other = "'u" + std::to_string(number + 1) + "'";
            // A sequential scan reads all rows, so serializable writers would conflict.
            CHECK_EQUAL(std::string(),
                        writer.run("SET lock_timeout = '120s'; SET enable_seqscan = off; "
                                   "BEGIN ISOLATION LEVEL " +
                                   std::string(level)));
            CHECK_EQUAL(std::string(), writer.run(users(1000 + number, 1000 + number)));
            CHECK_EQUAL(std::string(),
                        writer.run("UPDATE \"user\" SET role = 'admin' WHERE id = " + other));
            CHECK_EQUAL(std::string(), writer.run("DELETE FROM \"user\" WHERE id = 'u" +
                                                  std::to_string(101 + number) + "'"));
        }
        for (std::size_t each = 0; each < writers.size(); ++each)
            CHECK_EQUAL(std::string(), writers[each]->run(each % 4 == 0 ? "ROLLBACK" : "COMMIT"));
        check_counts();
        sql().run(R"(DELETE FROM "user";)" + users(1, 200));
        check_counts();
    }
}

TEST(postgresql_scale_counts, are_corrected_while_a_writer_is_in_a_transaction) {
    scale();
    Session writer(params_);
    CHECK_EQUAL(std::string(), writer.run("BEGIN;" + users(1, 5)));
    Process process({words({"schema", "--scale"}), environment(), {}}, path("corrected.txt"));
    CHECK(process.exits_within(std::chrono::seconds(60)));
    CHECK_EQUAL(std::string(), writer.run("COMMIT"));
    check_counts();
}

TEST(postgresql_scale_counts, do_not_fail_a_transaction_with_an_old_snapshot) {
    scale();
    sql().run(users(1, 20));
    for (const char* level : {"REPEATABLE READ", "SERIALIZABLE"}) {
        Session old(params_);
        old.run(std::string("BEGIN ISOLATION LEVEL ") + level);
        old.value("SELECT 1 FROM pg_class");
        sql().run(users(100, 120) + R"(UPDATE "user" SET role = 'admin' WHERE id = 'u1')");
        CHECK_EQUAL(std::string(), old.run(users(200, 201)));
        CHECK_EQUAL(std::string(), old.run(R"(UPDATE "user" SET role = 'admin' WHERE id = 'u2')"));
        CHECK_EQUAL(std::string(), old.run(R"(DELETE FROM "user" WHERE id = 'u3')"));
        CHECK_EQUAL(std::string(), old.run("COMMIT"));
        check_counts();
        // TRUNCATE also removes rows that the old snapshot does not contain.
        old.run(std::string("BEGIN ISOLATION LEVEL ") + level);
        old.value("SELECT 1 FROM pg_class");
        sql().run(users(300, 320));
        CHECK_EQUAL(std::string(), old.run(R"(TRUNCATE "user" CASCADE)"));
        CHECK_EQUAL(std::string(), old.run("COMMIT"));
        check_counts();
        sql().run(users(1, 20));
    }
}

TEST(postgresql_scale_counts, are_merged_occasionally) {
    scale();
    const char* rows = "SELECT count(*) FROM useradmin_public_user.counts";
    for (int number = 1; number <= 20; ++number)
        sql().run("BEGIN ISOLATION LEVEL REPEATABLE READ;" + users(number, number) + "COMMIT");
    CHECK_EQUAL(20, sql().number(rows));
    // On average, one write in a hundred merges the rows.
    Session session(params_);
    for (int number = 100; number < 20000 && sql().number(rows) > 1; ++number)
        session.run(users(number, number));
    CHECK_EQUAL(1, sql().number(rows));
    check_counts();
    // Rows that another transaction is merging are skipped.
    Session other(params_);
    sql().run(users(30001, 30001));
    other.run("BEGIN; SELECT useradmin_public_user.merge_counts()");
    CHECK_EQUAL(std::string(), session.run("SET lock_timeout = '120s'; SELECT "
                                           "useradmin_public_user.merge_counts()"));
    other.run("COMMIT");
    check_counts();
}

TEST(postgresql_scale_counts, stay_exact_during_corrections_and_merges) {
    sql().run(users(1, 100));
    scale();
    std::atomic<bool> goes_on{true};
    std::thread writer([&] {
        Session session(params_);
        for (int number = 1000; goes_on; ++number) {
            session.run(users(number, number) + "SELECT useradmin_public_user.merge_counts()");
            if (number % 7 == 0)
                session.run("TRUNCATE \"user\" CASCADE");
        }
    });
    std::string wrong;
    for (int round = 0; round < 8; ++round)
        if (const CommandResult ended = ctl({"schema", "--scale", "--json"});
            !has(ended.output, R"("countsCorrected":0)"))
            wrong += ended.output + ended.errors;
    goes_on = false;
    writer.join();
    CHECK_EQUAL(std::string(), wrong);
    check_counts();
}

TEST(postgresql_scale_counts, are_exact_after_killed_concurrent_writers) {
    sql().run(users(1, 400));
    scale();
    std::atomic<int> running{0};
    std::atomic<int> deadlocks{0};
    std::atomic<int> done_work{0};
    std::string odd[8];
    const auto write = [&](int number) {
        std::minstd_rand random(static_cast<unsigned>(number + 1));
        Session session(params_);
        const auto random_id = [&] { return "'u" + std::to_string(random() % 900) + "'"; };
        for (int round = 0; round < 250 && deadlocks == 0; ++round) {
            if (session.is_lost())
                session.reconnect();
            static constexpr const char* levels[] = {"READ COMMITTED", "READ COMMITTED",
                                                     "REPEATABLE READ", "SERIALIZABLE"};
            std::string state =
                session.run(std::string("BEGIN ISOLATION LEVEL ") + levels[random() % 4]);
            // A transaction changes one row or inserts new rows only. Otherwise, two writers could
            // deadlock.
            const bool makes_many = random() % 4 == 0;
            const int fresh = 1000 + (number * 250 + round) * 20;
            const std::string work[] = {
                R"(UPDATE "user" SET role = 'admin' WHERE id = )" + random_id(),
                R"(UPDATE "user" SET role = NULL, name = 'Ñ' WHERE id = )" + random_id(),
                R"(UPDATE "user" SET "createdAt" = now() - random() * interval '3 years' WHERE id = )" +
                    random_id(),
                R"(UPDATE "user" SET "updatedAt" = now(), email = gen_random_uuid()::text WHERE id = )" +
                    random_id(),
                R"(DELETE FROM "user" WHERE id = )" + random_id(),
                R"(INSERT INTO "user" (id, name, email, "emailVerified") VALUES ()" + random_id() +
                    ", 'N', gen_random_uuid()::text, true) ON CONFLICT (id) DO UPDATE SET role = "
                    "'root'",
            };
            if (state.empty())
                state = session.run(makes_many ? users(fresh, fresh + 19) : work[random() % 6]);
            if (state.empty() && random() % 8 == 0)
                state = session.run("SAVEPOINT s;" + users(fresh + 10000000, fresh + 10000005) +
                                    "ROLLBACK TO s");
            if (state.empty())
                state = session.run(random() % 6 == 0 ? "ROLLBACK" : "COMMIT");
            if (state == "40P01")
                ++deadlocks;
            // These states mean that two sessions changed the same user, or that the session was
            // killed.
            else if (!state.empty() && state != "40001" && state != "57P01" && state != "lost")
                odd[number] += state + " " + session.error();
            if (!state.empty() && !session.is_lost())
                session.run("ROLLBACK");
            ++done_work;
        }
        --running;
    };
    std::vector<std::thread> writers;
    for (int number = 0; number < 8; ++number) {
        ++running;
        writers.emplace_back(write, number);
    }
    // Kill one session after every fifty transactions.
    Session killer(params_);
    for (int next = 50; running > 0; std::this_thread::yield())
        if (done_work >= next) {
            next += 50;
            killer.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> "
                       "pg_backend_pid() AND state = 'idle in transaction' LIMIT 1");
        }
    for (std::thread& writer : writers)
        writer.join();
    for (const std::string& each : odd)
        CHECK_EQUAL(std::string(), each);
    CHECK_EQUAL(0, deadlocks.load());
    CHECK(sql().number(total) > 400);
    check_counts();
    CHECK_EQUAL(std::string("0"), correct_counts());
}

} // namespace useradmin::test
