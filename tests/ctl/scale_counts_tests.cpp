// The copy and its counts after whatever is done to the user table.
#include "scale.hpp"

#include <atomic>
#include <random>
#include <thread>

namespace useradmin::test {

namespace {

/// Has changes taken into the marks when the transaction ends, which else happens now and then.
constexpr const char* due = "INSERT INTO useradmin_public_user.due VALUES (1000000);";
constexpr const char* changes = "SELECT count(*) FROM useradmin_public_user.changes";

constexpr const char* total = "SELECT sum(number) FROM useradmin_public_user.counts WHERE span = 0";

} // namespace

TEST_GROUP_BASE(scale_counts, ScaleScene){
    /// Runs it on a session of its own, and looks whether all is exact then.
    void after(const std::string& statements, Here here = {}){Session session(params_);
if (const std::string state = session.run(statements); !state.empty())
    give_up(state + ": " + session.error(), here);
is_exact(here);
} // namespace useradmin::test
/// The same in a transaction of each isolation level, and rolled back before.
void after_each_way(const std::string& statements, const std::string& reverse, Here here = {}) {
    for (const char* level : {"READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"}) {
        const std::string begin = std::string("BEGIN ISOLATION LEVEL ") + level + ";";
        after(begin + statements + ";ROLLBACK", here);
        after(begin + "SAVEPOINT one;" + statements + ";ROLLBACK TO one;" + statements + ";COMMIT",
              here);
        sql().run(due);
        after(reverse, here);
    }
}

/// Compares pages in the middle of all orders, of all users and of those of roles, with OFFSET's.
static void pages_are_those_of_offset(OpenStore& store, std::minstd_rand& random, Here here = {}) {
    for (const SortedBy& each : sorted_by)
        for (const bool is_descending : {false, true})
            for (const store::Text& role :
                 {store::Text(), store::Text("user"), store::Text("admin")}) {
                const bool is_back = is_descending != (each.by == store::SortKey::updated_at);
                const std::string from =
                    std::string(R"(FROM "user" WHERE true)") +
                    (role ? " AND coalesce(role, 'user') = '" + std::string(*role) + "'" : "");
                const long number = sql().number("SELECT count(*) " + from);
                const long offset = static_cast<long>(random()) % std::max(number, 1L);
                const std::string wanted = *sql().value(
                    "SELECT coalesce(string_agg(id || ' ', '' ORDER BY place), '') || "
                    "'of " +
                    std::to_string(number) +
                    "' FROM (SELECT id, row_number() OVER () AS place FROM (SELECT id " + from +
                    " ORDER BY " + each.key + (is_descending ? " DESC" : "") + ", id" +
                    (is_back ? " DESC" : "") + " LIMIT 7 OFFSET " + std::to_string(offset) +
                    ") AS p) AS p");
                const std::string is =
                    store.list({role, {}}, {7, offset, {each.by, is_descending}}, here);
                if (is != wanted)
                    give_up(std::string(each.marks) + (is_descending ? " descending" : "") +
                                ", role " + std::string(role.value_or("(none)")) + ", offset " +
                                std::to_string(offset) + ":\n" + is + "\nand not\n" + wanted,
                            here);
            }
}
}
;

TEST(scale_counts, follow_what_one_statement_does_to_one_user_or_many) {
    if (!is_postgresql())
        return;
    sql().run(users(1, 50) + users(51, 60, "'admin'") + users(61, 70, "NULL"));
    scale();
    is_exact();
    CHECK_EQUAL(70, sql().number(total));
    const std::string back =
        R"(DELETE FROM "user";)" + users(1, 50) + users(51, 60, "'admin'") + users(61, 70, "NULL");
    after_each_way(users(100, 100), back);
    after_each_way(users(100, 300), back);
    after_each_way(R"(UPDATE "user" SET role = 'admin' WHERE id IN ('u1', 'u51', 'u61'))", back);
    after_each_way(R"(UPDATE "user" SET role = NULL)", back);
    after_each_way(R"(UPDATE "user" SET name = 'Íñigo ' || id, email = upper(email))", back);
    after_each_way(R"(UPDATE "user" SET image = 'x')", back);
    after_each_way(R"(UPDATE "user" SET "createdAt" = "createdAt" + interval '40 days')", back);
    after_each_way(R"(UPDATE "user" SET id = 'v' || id)", back);
    // The ids go round.
    after_each_way(
        R"(UPDATE "user" SET id = 'x' WHERE id = 'u1'; UPDATE "user" SET id = 'u1' WHERE id = 'u51';)"
        R"(UPDATE "user" SET id = 'u51' WHERE id = 'x')",
        back);
    after_each_way(R"(DELETE FROM "user" WHERE id = 'u7')", back);
    after_each_way(R"(DELETE FROM "user" WHERE role IS NULL OR role = 'admin')", back);
    after_each_way(R"(DELETE FROM "user" WHERE false; UPDATE "user" SET role = 'z' WHERE false)",
                   back);
    after_each_way(R"(DELETE FROM "user")", back);
    after_each_way(R"(TRUNCATE "user" CASCADE)", back);
    after_each_way(R"(TRUNCATE "user" CASCADE;)" + users(5, 9), back);
    CHECK_EQUAL(70, sql().number(total));
}

TEST(scale_counts, follow_an_upsert_a_cascade_a_copy_and_a_statement_of_several_parts) {
    if (!is_postgresql())
        return;
    scale();
    after(users(1, 20));
    after(
        R"(INSERT INTO "user" (id, name, email, "emailVerified", role) SELECT 'u' || i, 'Other', )"
        R"('o' || i || '@x', true, 'admin' FROM generate_series(15, 30) i ON CONFLICT (id) DO )"
        R"(UPDATE SET role = excluded.role, name = excluded.name)");
    CHECK_EQUAL(16, sql().number(std::string(total) + " AND role = 'admin'"));
    after(
        R"(INSERT INTO "user" (id, name, email, "emailVerified") VALUES ('u1', 'N', 'n@x', true) )"
        R"(ON CONFLICT DO NOTHING)");
    after("CREATE TABLE household (id text PRIMARY KEY); INSERT INTO household VALUES ('h'); "
          "ALTER TABLE \"user\" ADD COLUMN household text REFERENCES household ON DELETE CASCADE; "
          "UPDATE \"user\" SET household = 'h' WHERE id IN ('u1', 'u2', 'u20')");
    undo("ALTER TABLE \"user\" DROP COLUMN household; DROP TABLE household");
    after("DELETE FROM household");
    CHECK_EQUAL(27, sql().number(total));
    after(
        R"(COPY (SELECT 'c' || i, 'Copied', 'c' || i || '@x', true FROM generate_series(1, 500) i) )"
        R"(TO PROGRAM 'cat > copied.txt'; COPY "user" (id, name, email, "emailVerified") FROM )"
        R"('copied.txt'; COPY (SELECT 1) TO PROGRAM 'cat > copied.txt; rm copied.txt')");
    CHECK_EQUAL(527, sql().number(total));
    after(
        R"(WITH gone AS (DELETE FROM "user" WHERE id LIKE 'c1%' RETURNING id), made AS ()"
        R"(INSERT INTO "user" (id, name, email, "emailVerified") SELECT 'd' || id, 'D', id || )"
        R"('@d', true FROM gone RETURNING id) UPDATE "user" SET role = 'admin' WHERE id LIKE 'c2%')");
}

TEST(scale_counts, follow_what_a_row_trigger_of_the_application_does_within_the_statement) {
    if (!is_postgresql())
        return;
    scale();
    after(users(1, 20) + users(21, 30, "'admin'"));
    after("CREATE FUNCTION tidy() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN "
          "IF new.name LIKE 'Boss%' THEN UPDATE \"user\" SET role = 'admin', name = 'The ' || "
          "new.name WHERE id = new.id; END IF; "
          "IF new.role = 'guest' THEN UPDATE \"user\" SET role = 'user' WHERE id = new.id; END IF; "
          "IF new.role = 'gone' THEN DELETE FROM \"user\" WHERE id = new.id; END IF; "
          "RETURN NULL; END $body$; CREATE TRIGGER tidy AFTER INSERT OR UPDATE ON \"user\" "
          "FOR EACH ROW EXECUTE FUNCTION tidy()");
    undo("DROP TRIGGER tidy ON \"user\"; DROP FUNCTION tidy()");
    after(R"(UPDATE "user" SET name = 'Boss' WHERE id = 'u1')");
    CHECK_EQUAL(11, sql().number(std::string(total) + " AND role = 'admin'"));
    after(R"(UPDATE "user" SET name = 'Boss ' || id WHERE id IN ('u2', 'u3', 'u21'))");
    CHECK_EQUAL(13, sql().number(std::string(total) + " AND role = 'admin'"));
    // What it takes back was never done.
    after(R"(UPDATE "user" SET role = 'guest' WHERE id IN ('u4', 'u5'))");
    CHECK_EQUAL(17, sql().number(std::string(total) + " AND role = 'user'"));
    after(R"(UPDATE "user" SET role = 'gone' WHERE id IN ('u6', 'u7'))");
    CHECK_EQUAL(28, sql().number(total));
    after(R"(INSERT INTO "user" (id, name, email, "emailVerified", role) VALUES ('a', 'Boss', )"
          R"('a@x', true, 'guest'), ('b', 'B', 'b@x', true, 'guest'))");
    CHECK_EQUAL(30, sql().number(total));
}

TEST(scale_counts, that_wait_for_a_lock_end_and_say_who_holds_it) {
    if (!is_postgresql())
        return;
    sql().run(users(1, 5));
    scale();
    Session holder(params_, "application_name=\x1b[31mholder");
    CHECK_EQUAL(std::string(), holder.run("BEGIN; LOCK TABLE \"user\""));
    const Ended ended = ctl({"check", "--counts"});
    CHECK_EQUAL(1, ended.status);
    const std::string process = "held by process " + std::to_string(holder.backend()) + " of role ";
    CHECK_TEXT(has(ended.errors, process), ended.errors.c_str());
    CHECK_TEXT(has(ended.errors, "holder\", idle in transaction, for "), ended.errors.c_str());
    holder.run("COMMIT");
    CHECK_EQUAL(std::string("The counts of 5 users are right."), check());
}

TEST(scale_counts, of_a_user_whose_name_is_folded_to_nothing_are_kept) {
    if (!is_postgresql())
        return;
    scale();
    after("INSERT INTO \"user\" (id, name, email, \"emailVerified\") VALUES ('m', '\xcc\x81', "
          "'\xcc\x81', true), ('e', '', '', true)");
}

TEST(scale_counts, of_a_transaction_that_is_prepared_count_once_it_is_committed) {
    if (!is_postgresql())
        return;
    scale();
    Session session(params_);
    const std::string state =
        session.run("BEGIN; " + users(1, 5) + "PREPARE TRANSACTION 'of two phases'");
    if (state == "55000") // this server allows none
        return;
    CHECK_EQUAL(std::string(), state);
    CHECK_EQUAL(std::string("(null)"), session.value(total));
    // Nobody waits for it.
    CHECK_EQUAL(std::string(), session.run("SET lock_timeout = '200ms';" + users(6, 9)));
    CHECK_EQUAL(std::string(), session.run("COMMIT PREPARED 'of two phases'"));
    is_exact();
}

TEST(scale_counts, let_no_writer_wait_for_another) {
    if (!is_postgresql())
        return;
    scale();
    sql().run(users(1, 200));
    for (const char* level : {"READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"}) {
        std::vector<std::unique_ptr<Session>> writers;
        for (int number = 0; number < 40; ++number) {
            writers.push_back(std::make_unique<Session>(params_));
            Session& writer = *writers.back();
            const std::string own = std::to_string(1000 + number);
            const std::string other = "'u" + std::to_string(number + 1) + "'";
            CHECK_EQUAL(std::string(),
                        writer.run("SET lock_timeout = '200ms'; BEGIN ISOLATION LEVEL " +
                                   std::string(level)));
            CHECK_EQUAL(std::string(), writer.run(users(1000 + number, 1000 + number)));
            CHECK_EQUAL(std::string(),
                        writer.run("UPDATE \"user\" SET role = 'admin' WHERE id = " + other));
            CHECK_EQUAL(std::string(), writer.run("DELETE FROM \"user\" WHERE id = 'u" +
                                                  std::to_string(101 + number) + "'"));
        }
        for (std::size_t each = 0; each < writers.size(); ++each)
            CHECK_EQUAL(std::string(), writers[each]->run(each % 4 == 0 ? "ROLLBACK" : "COMMIT"));
        is_exact();
        sql().run(R"(DELETE FROM "user";)" + users(1, 200));
        is_exact();
    }
}

TEST(scale_counts, do_not_fail_a_transaction_whose_snapshot_is_older_than_others_changes) {
    if (!is_postgresql())
        return;
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
        is_exact();
        // It takes away what it does not see, too.
        old.run(std::string("BEGIN ISOLATION LEVEL ") + level);
        old.value("SELECT 1 FROM pg_class");
        sql().run(users(300, 320));
        CHECK_EQUAL(std::string(), old.run(R"(TRUNCATE "user" CASCADE)"));
        CHECK_EQUAL(std::string(), old.run("COMMIT"));
        is_exact();
        sql().run(users(1, 20));
    }
}

TEST(scale_counts, of_slots_that_were_used_once_are_drawn_together) {
    if (!is_postgresql())
        return;
    scale();
    const char* single = "SELECT count(*) FROM useradmin_public_user.counts WHERE slot >= 1000";
    for (int number = 1; number <= 20; ++number)
        sql().run("BEGIN ISOLATION LEVEL REPEATABLE READ;" + users(number, number) + "COMMIT");
    CHECK_EQUAL(60, sql().number(single));
    // One transaction of a hundred draws them together; which one is a matter of chance.
    Session session(params_);
    for (int number = 100; number < 20000 && sql().number(single) > 0; ++number)
        session.run(users(number, number));
    CHECK_EQUAL(0, sql().number(single));
    is_exact();
}

TEST(scale_counts, are_right_after_eight_writers_at_once_some_of_whom_were_killed) {
    if (!is_postgresql())
        return;
    sql().run(users(1, 400));
    scale();
    std::atomic<int> running{0};
    std::atomic<int> deadlocks{0};
    std::atomic<int> done_work{0};
    std::string odd[8];
    const auto write = [&](int number) {
        std::minstd_rand random(static_cast<unsigned>(number + 1));
        Session session(params_);
        const auto some = [&] { return "'u" + std::to_string(random() % 900) + "'"; };
        for (int round = 0; round < 250 && deadlocks == 0; ++round) {
            if (session.is_lost())
                session.reconnect();
            static constexpr const char* levels[] = {"READ COMMITTED", "READ COMMITTED",
                                                     "REPEATABLE READ", "SERIALIZABLE"};
            std::string state =
                session.run(std::string("BEGIN ISOLATION LEVEL ") + levels[random() % 4]);
            // One row a transaction, or new rows alone: so two writers cannot lock each other's.
            const bool makes_many = random() % 4 == 0;
            const int fresh = 1000 + (number * 250 + round) * 20;
            const std::string work[] = {
                R"(UPDATE "user" SET role = 'admin' WHERE id = )" + some(),
                R"(UPDATE "user" SET role = NULL, name = 'Ñ' WHERE id = )" + some(),
                R"(UPDATE "user" SET "createdAt" = now() - random() * interval '3 years' WHERE id = )" +
                    some(),
                R"(UPDATE "user" SET "updatedAt" = now(), email = gen_random_uuid()::text WHERE id = )" +
                    some(),
                R"(DELETE FROM "user" WHERE id = )" + some(),
                R"(INSERT INTO "user" (id, name, email, "emailVerified") VALUES ()" + some() +
                    ", 'N', gen_random_uuid()::text, true) ON CONFLICT (id) DO UPDATE SET role = "
                    "'root'",
            };
            if (state.empty())
                state = session.run(makes_many ? users(fresh, fresh + 19) : work[random() % 6]);
            if (state.empty() && random() % 8 == 0)
                state = session.run("SAVEPOINT s;" + users(fresh + 10000000, fresh + 10000005) +
                                    "ROLLBACK TO s");
            if (state.empty() && random() % 4 == 0)
                state = session.run(due);
            if (state.empty())
                state = session.run(random() % 6 == 0 ? "ROLLBACK" : "COMMIT");
            if (state == "40P01")
                ++deadlocks;
            // Two changed the same user, or it was killed.
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
    // One is killed after every fifty transactions.
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
    is_exact();
    sql().run(due);
    CHECK_EQUAL(0, sql().number(changes));
    is_exact();
    OpenStore store(params_);
    std::minstd_rand random(9);
    for (int round = 0; round < 20; ++round)
        pages_are_those_of_offset(store, random);
    CHECK(has(check(), "users are right."));
}

TEST(scale_counts, along_orders_give_the_pages_of_offset_whatever_is_written) {
    if (!is_postgresql())
        return;
    // Many have one name, or were changed at one time.
    sql().run(users(1, 3000) + R"(UPDATE "user" SET name = 'Ñ ' || length(id) WHERE id > 'u15'; )"
                               R"(UPDATE "user" SET "updatedAt" = now() - random() * interval '1 )"
                               R"(day' WHERE id < 'u2'; UPDATE "user" SET role = 'admin' WHERE id )"
                               R"(LIKE '%7')");
    scale();
    OpenStore store(params_);
    std::minstd_rand random(3);
    pages_are_those_of_offset(store, random);
    // Nobody sees what it does, and it does not see what others do.
    Session open(params_);
    for (int round = 0; round < 24; ++round) {
        const auto some = [&] { return "'u" + std::to_string(random() % 4000) + "'"; };
        const std::string number = std::to_string(random() % 10);
        const int fresh = 10000 + round * 1000;
        const std::string work[] = {
            users(fresh, fresh + static_cast<int>(random() % 300)),
            users(fresh, fresh),
            "DELETE FROM \"user\" WHERE id LIKE '%" + number + "5'",
            "DELETE FROM \"user\" WHERE id = " + some(),
            "UPDATE \"user\" SET role = CASE role WHEN 'admin' THEN NULL ELSE 'admin' END WHERE id "
            "LIKE '%" +
                number + "'",
            "UPDATE \"user\" SET name = 'Ña' || id, \"updatedAt\" = now() WHERE id LIKE '%1" +
                number + "'",
            "UPDATE \"user\" SET name = 'Ñ 4', \"updatedAt\" = '2026-01-01' WHERE id < " + some(),
            // Twice in one transaction, and made and deleted.
            "UPDATE \"user\" SET email = id || '@y' WHERE id < " + some() +
                "; UPDATE \"user\" SET email = 'a' || id WHERE id > " + some() + ";" +
                users(fresh + 500, fresh + 700) + "DELETE FROM \"user\" WHERE id LIKE 'u" +
                std::to_string(fresh / 1000) + "6%'",
        };
        if (round % 3 == 0) {
            open.run(random() % 2 == 0 ? "COMMIT" : "ROLLBACK");
            open.run(round % 2 == 0 ? "BEGIN" : "BEGIN ISOLATION LEVEL REPEATABLE READ");
            CHECK_EQUAL(std::string(), open.run(users(fresh + 800, fresh + 820)));
            if (random() % 2 == 0)
                CHECK_EQUAL(std::string(), open.run(due));
        }
        Session session(params_);
        CHECK_EQUAL(std::string(), session.run("BEGIN;" + work[random() % 8] + ";" +
                                               (random() % 3 == 0 ? due : "") +
                                               (random() % 5 == 0 ? "ROLLBACK" : "COMMIT")));
        pages_are_those_of_offset(store, random);
    }
    open.run("COMMIT");
    is_exact();
    sql().run(due);
    CHECK_EQUAL(0, sql().number(changes));
    is_exact();
    for (int round = 0; round < 10; ++round)
        pages_are_those_of_offset(store, random);
}

TEST(scale_counts, along_orders_are_parted_as_users_come_and_dropped_as_they_go) {
    if (!is_postgresql())
        return;
    scale();
    const char* marks = "SELECT count(*) FROM useradmin_public_user.by_update";
    CHECK_EQUAL(1, sql().number(marks));
    after(std::string("BEGIN;") + users(1, 3000) + due + "COMMIT");
    CHECK_EQUAL(0, sql().number(changes));
    CHECK(sql().number(marks) > 20);
    CHECK_EQUAL(0,
                sql().number("SELECT count(*) FROM useradmin_public_user.by_email WHERE number > "
                             "220"));
    // Of all who are changed at a time, the stretches are at the beginning.
    after(std::string("BEGIN;UPDATE \"user\" SET \"updatedAt\" = now(), role = 'admin';") + due +
          "COMMIT");
    CHECK_EQUAL(0, sql().number("SELECT count(*) FROM useradmin_public_user.by_update WHERE key < "
                                "(SELECT max(key) FROM useradmin_public_user.by_update)"));
    CHECK(sql().number(marks) > 20);
    after(std::string("BEGIN;DELETE FROM \"user\";") + due + "COMMIT");
    after(due);
    CHECK_EQUAL(1, sql().number(marks));
}

TEST(scale_counts, along_orders_are_joined_where_few_users_are_left) {
    if (!is_postgresql())
        return;
    sql().run(users(1, 3000));
    scale();
    // Each time some of all users come to the beginning, from stretches all along the order.
    for (int round = 0; round < 60; ++round)
        sql().run("BEGIN;UPDATE \"user\" SET \"updatedAt\" = '2026-01-01'::timestamptz + " +
                  std::to_string(round) +
                  " * interval '1 day' WHERE (substr(id, 2)::int * 7919 + " +
                  std::to_string(round * 37) + ") % 100 < 10;" + due + "COMMIT");
    for (int time = 0; time < 30; ++time)
        sql().run(std::string("BEGIN;") + due + due + "COMMIT");
    is_exact();
    CHECK(sql().number("SELECT count(*) FROM useradmin_public_user.by_update") < 45);
}

TEST(scale_counts, take_in_what_those_in_older_snapshots_have_written) {
    if (!is_postgresql())
        return;
    scale();
    CHECK_EQUAL(std::string(), Session(params_).run("BEGIN ISOLATION LEVEL REPEATABLE READ;" +
                                                    users(1, 6000) + due + "COMMIT"));
    CHECK_EQUAL(6000, sql().number(changes));
    CHECK_EQUAL(std::string("The counts of 6000 users are right."), check());
    CHECK_EQUAL(0, sql().number(changes));
    is_exact();
}

TEST(scale_counts, take_in_little_for_others) {
    if (!is_postgresql())
        return;
    scale();
    CHECK_EQUAL(std::string(), Session(params_).run("BEGIN ISOLATION LEVEL REPEATABLE READ;" +
                                                    users(1, 60000) + due + "COMMIT"));
    CHECK_EQUAL(60000, sql().number(changes));
    after("BEGIN;UPDATE \"user\" SET name = 'x' WHERE id = 'u1';INSERT INTO "
          "useradmin_public_user.due VALUES (1);COMMIT");
    CHECK_EQUAL(10002, sql().number(changes));
    // The room that they have taken is given back.
    CHECK_EQUAL(std::string("The counts of 60000 users are right."), check());
    CHECK(sql().number("SELECT pg_relation_size('useradmin_public_user.changes')") < 1000000);
}

TEST(scale_counts, along_orders_are_right_where_a_statement_is_not_yet_done) {
    if (!is_postgresql())
        return;
    sql().run(users(1, 2000));
    scale();
    undo("DROP TRIGGER meddler ON \"user\"; DROP FUNCTION meddle()");
    sql().run(
        "CREATE FUNCTION meddle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO "
        "useradmin_public_user.due VALUES (1000000); SET CONSTRAINTS ALL IMMEDIATE; RETURN "
        "NULL; END $$; CREATE TRIGGER meddler AFTER INSERT OR UPDATE ON \"user\" FOR EACH ROW "
        "WHEN (NEW.image = 'x') EXECUTE FUNCTION meddle()");
    after(users(3001, 3400) + users(4001, 4400) +
          "UPDATE \"user\" SET image = 'x', name = 'A' || id WHERE id = 'u7'");
    after(
        std::string("BEGIN;") + due +
        "WITH made AS (INSERT INTO \"user\" (id, name, email, \"emailVerified\", image) SELECT 'm' "
        "|| i, 'M' || i, 'm' || i, true, CASE i WHEN 7 THEN 'x' END FROM generate_series(1, 500) "
        "i) UPDATE \"user\" SET "
        "name = 'm' || id, role = 'admin' WHERE id LIKE '%1';COMMIT");
    after(due);
    CHECK_EQUAL(0, sql().number(changes));
}

TEST(scale_counts, cost_a_change_of_one_user_the_same_after_a_change_of_many) {
    if (!is_postgresql())
        return;
    sql().run(users(1, 20000));
    scale();
    // A plan that was made for many users is kept for the connection's life.
    Session session(params_);
    session.run(R"(BEGIN; UPDATE "user" SET role = 'admin'; DELETE FROM "user"; ROLLBACK)");
    const char* scans = "SELECT pg_stat_get_xact_numscans('useradmin_public_user.users'::regclass)";
    session.run(R"(BEGIN; UPDATE "user" SET role = 'admin' WHERE id = 'u5')");
    session.run(R"(DELETE FROM "user" WHERE id = 'u6')");
    CHECK_EQUAL(std::string("0"), session.value(scans));
    session.run("COMMIT");
    is_exact();
}

} // namespace useradmin::test
