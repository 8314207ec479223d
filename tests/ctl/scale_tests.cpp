// useradminctl schema --scale, schema --no-scale and check --counts.
#include "scale.hpp"
#include "support/machine.hpp"
#include "support/process.hpp"

#include <atomic>
#include <csignal>
#include <thread>

namespace useradmin::test {

namespace {

constexpr const char* invalid_indexes = "SELECT count(*) FROM pg_index WHERE NOT indisvalid";

/// What the copy leaves in the catalogue, but for the two indexes of the user table.
constexpr const char* left =
    "SELECT (SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal) + (SELECT count(*) FROM "
    "pg_namespace WHERE nspname LIKE 'useradmin%') + (SELECT count(*) FROM pg_proc WHERE "
    "prosrc LIKE '%useradmin%')";

} // namespace

TEST_GROUP_BASE(scale, ScaleScene){
    /// Lays the copy of a table of another name, looks at it, and takes it away.
    void works_on(const std::string& names, const store::TableNames& tables,
                  const std::string& more_users,
                  Here here = {}){const auto with = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"--tables", names});
        return done(ctl(std::move(arguments)), here);
    };
with({"schema", "--scale"});
Session session(params_);
if (const std::string state = session.run(more_users); !state.empty())
    give_up(state + session.error(), here);
if (!has(with({"check", "--counts"}), "users are right."))
    give_up("the counts are wrong", here);
OpenStore scaled(params_, "", tables);
if (!scaled.uses_copy())
    give_up("the copy is not used", here);
const std::string first = scaled.list({}, {5, 0}, here);
const std::string far = scaled.list({}, {5, 1200}, here);
const std::string found = scaled.search("Ana 77", here);
const std::string both = scaled.list({"user", "ana 12"}, {20, 3}, here);
with({"schema", "--no-scale"});
OpenStore plain(params_, "", tables);
if (plain.uses_copy() || plain.list({}, {5, 0}, here) != first ||
    plain.list({}, {5, 1200}, here) != far || plain.search("Ana 77", here) != found ||
    plain.list({"user", "ana 12"}, {20, 3}, here) != both)
    give_up("the lists are others: " + first + " " + far + " " + found + " " + both, here);
if (!has(found, "of 1") || !has(far, "of 1300"))
    give_up("not what was asked for: " + first + " " + far + " " + found, here);
} // namespace useradmin::test

/// useradminctl as another role of the server.
static Ended ctl_as(const std::string& role, std::vector<std::string> arguments) {
    std::vector<std::string> words = {machine::built("useradminctl").string(), "--driver", "pgsql",
                                      "--params", database().params() + " user=" + role};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return run_program(words, "", environment());
}
}
;

TEST(scale, of_sqlite_is_refused_since_it_needs_none) {
    if (is_postgresql())
        return;
    for (const std::vector<std::string>& words : {std::vector<std::string>{"schema", "--scale"},
                                                  {"schema", "--no-scale"},
                                                  {"check", "--counts"}}) {
        const Ended ended = ctl(words);
        CHECK_EQUAL(2, ended.status);
        CHECK(has(ended.errors, "SQLite needs nothing beside its tables for long lists"));
    }
}

TEST(scale, and_no_scale_at_once_is_refused) {
    const Ended ended = ctl({"schema", "--scale", "--no-scale"});
    CHECK_EQUAL(2, ended.status);
    CHECK(has(ended.errors, "say --scale or --no-scale, and not both"));
}

TEST(scale, says_how_many_users_there_are_and_the_same_when_it_is_run_again) {
    if (!is_postgresql())
        return;
    sql().run(users(1, 4500));
    const std::string said = scale();
    CHECK_EQUAL(std::string("The copy of 4500 users is complete; the service uses it within ten "
                            "seconds."),
                said);
    is_exact();
    CHECK_EQUAL(said, scale());
    CHECK_EQUAL(std::string("The counts of 4500 users are right."), check());
    const Json json(ctl({"schema", "--scale", "--json"}).output);
    CHECK_EQUAL(std::string("4500"), json.at("data.users"));
    CHECK_EQUAL(std::string("0"), json.at("data.rowsMended"));
    CHECK_EQUAL(std::string("0"), json.at("data.countsCorrected"));
}

TEST(scale, is_taken_away_whole) {
    if (!is_postgresql())
        return;
    sql().run(users(1, 10));
    CHECK_EQUAL(0, sql().number(left));
    scale();
    CHECK(sql().number(left) > 0);
    CHECK(has(done(ctl({"schema", "--no-scale"})), "The copy was taken away"));
    CHECK_EQUAL(0, sql().number(left));
    done(ctl({"schema", "--no-scale"}));
    sql().run(users(11, 20) + R"(UPDATE "user" SET name = 'x'; DELETE FROM "user")");
    const Ended ended = ctl({"check", "--counts"});
    CHECK_EQUAL(1, ended.status);
    CHECK(has(ended.errors, "there are no counts; 'useradminctl schema --scale' lays them"));
}

TEST(scale, mends_what_is_wrong_and_says_how_much) {
    if (!is_postgresql())
        return;
    sql().run(users(1, 100));
    scale();
    sql().run("DELETE FROM useradmin_public_user.users WHERE id IN ('u1', 'u2', 'u3'); "
              "UPDATE useradmin_public_user.users SET folded = 'x' WHERE id = 'u4'; "
              "UPDATE useradmin_public_user.users SET role = 'x' WHERE id = 'u5'; "
              "UPDATE useradmin_public_user.users SET created = 'infinity' WHERE id = 'u6'; "
              "INSERT INTO useradmin_public_user.users SELECT 'gone', created, role, folded FROM "
              "useradmin_public_user.users WHERE id = 'u7'");
    CHECK(has(check(), "7 rows and "));
    is_exact();
    CHECK_EQUAL(std::string("The counts of 100 users are right."), check());
    done(ctl({"schema", "--no-scale"}));
    scale();
    sql().run("UPDATE useradmin_public_user.counts SET number = number + 5 WHERE span = 0");
    const std::string said = check();
    CHECK_EQUAL(std::string("0 rows and 1 counts were wrong, and were mended."), said);
    is_exact();
    sql().run("DELETE FROM useradmin_public_user.counts");
    const Json json(ctl({"check", "--counts", "--json"}).output);
    CHECK_EQUAL(std::string("100"), json.at("data.users"));
    CHECK_EQUAL(std::string("0"), json.at("data.rowsMended"));
    is_exact();
    CHECK_EQUAL(std::string("The counts of 100 users are right."), check());
}

TEST(scale, finds_nothing_wrong_while_others_write) {
    if (!is_postgresql())
        return;
    sql().run(users(1, 3000));
    scale();
    std::atomic<bool> goes_on{true};
    std::thread writer([&] {
        Session session(params_);
        for (int number = 4000; goes_on; ++number) {
            session.run(users(number, number));
            session.run("UPDATE \"user\" SET role = 'admin' WHERE id = 'u" +
                        std::to_string(number % 3000) + "'");
            session.run("DELETE FROM \"user\" WHERE id = 'u" + std::to_string(number - 50) + "'");
        }
    });
    std::string wrong;
    for (int round = 0; round < 8; ++round)
        if (const Ended ended = ctl({"check", "--counts"}); !has(ended.output, "users are right."))
            wrong += ended.output + ended.errors;
    goes_on = false;
    writer.join();
    CHECK_EQUAL(std::string(), wrong);
}

TEST(scale, loses_nothing_that_others_write_meanwhile) {
    if (!is_postgresql())
        return;
    sql().run(users(1, 20000));
    std::atomic<bool> goes_on{true};
    std::string odd[3];
    std::vector<std::thread> writers;
    for (int number = 0; number < 3; ++number)
        writers.emplace_back([&, number] {
            Session session(params_);
            for (int round = 0; goes_on; ++round) {
                const std::string id =
                    "'u" + std::to_string((round * 3 + number) % 20000 + 1) + "'";
                const int fresh = 100000 + number * 100000 + round;
                for (const std::string& each :
                     {users(fresh, fresh),
                      R"(UPDATE "user" SET role = 'admin', name = 'Ñandú' WHERE id = )" + id,
                      round % 3 == 0 ? R"(DELETE FROM "user" WHERE id = )" + id : "SELECT 1"})
                    if (const std::string state = session.run(each); !state.empty())
                        odd[number] += state;
            }
        });
    const Ended ended = ctl({"schema", "--scale"});
    goes_on = false;
    for (std::thread& writer : writers)
        writer.join();
    done(ended);
    for (const std::string& each : odd)
        CHECK_EQUAL(std::string(), each);
    is_exact();
}

TEST(scale, goes_on_where_it_was_killed) {
    if (!is_postgresql())
        return;
    sql().run(users(1, 30000));
    // Killed at ten places of its way, each somewhat further.
    int killed = 0;
    for (int step = 0; step < 10; ++step) {
        Process process({words({"schema", "--scale"}), environment(), {}}, path("killed.txt"));
        const char* const triggers = "SELECT count(*) = 4 FROM pg_trigger WHERE NOT tgisinternal "
                                     "AND tgrelid = '\"user\"'::regclass";
        const char* places[] = {
            "SELECT to_regnamespace('useradmin_public_user') IS NOT NULL",
            triggers,
            "SELECT count(*) > 3000 FROM useradmin_public_user.users",
            "SELECT count(*) > 9000 FROM useradmin_public_user.users",
            "SELECT count(*) > 20000 FROM useradmin_public_user.users",
            "SELECT to_regclass('useradmin_public_user.users_newest') IS NOT NULL",
            "SELECT to_regclass('useradmin_public_user.users_folded') IS NOT NULL",
        };
        const auto is_there = [&] {
            Session session(params_);
            if (session.run(places[step % 7]) != "")
                return false;
            return session.value(places[step % 7]) == "t";
        };
        while (process.running() && !is_there()) {
        }
        killed += process.running() ? 1 : 0;
        process.signal(SIGKILL);
        process.ended_within(std::chrono::seconds(30));
        sql().run(users(100000 + step, 100000 + step));
    }
    CHECK(killed >= 3);
    // The server may not have noticed yet; the command waits for what it left behind.
    scale();
    is_exact();
    CHECK_EQUAL(0, sql().number(invalid_indexes));
    OpenStore store(params_);
    CHECK(store.uses_copy());
}

TEST(scale, makes_indexes_again_that_were_left_invalid) {
    if (!is_postgresql())
        return;
    sql().run(users(1, 100));
    scale();
    sql().run("UPDATE pg_index SET indisvalid = false WHERE indexrelid IN ("
              "'useradmin_public_user.users_folded'::regclass, "
              "'useradmin_public_user.users_newest'::regclass, "
              "'user_newest_idx'::regclass, 'user_role_newest_idx'::regclass, "
              "'user_by_name_idx'::regclass, 'user_by_update_idx'::regclass)");
    scale();
    CHECK_EQUAL(0, sql().number(invalid_indexes));
    sql().run("DROP INDEX user_newest_idx; DROP INDEX user_role_newest_idx");
    scale();
    CHECK_EQUAL(2, sql().number("SELECT count(*) FROM pg_indexes WHERE indexname IN ("
                                "'user_newest_idx', 'user_role_newest_idx')"));
}

TEST(scale, that_was_laid_before_there_were_orders_is_told_of_and_gets_their_indexes) {
    if (!is_postgresql())
        return;
    sql().run(users(1, 10));
    scale();
    constexpr const char* missing = "the indexes of the orders of lists are missing";
    CHECK_FALSE(has(ctl({"check"}).output, missing));
    sql().run("DROP INDEX user_by_name_idx; DROP INDEX user_by_email_idx; "
              "DROP INDEX user_by_update_idx");
    CHECK(has(ctl({"check"}).output, missing));
    scale();
    CHECK_FALSE(has(ctl({"check"}).output, missing));
    CHECK_EQUAL(3, sql().number("SELECT count(*) FROM pg_indexes WHERE indexname LIKE "
                                "'user_by_%'"));
}

TEST(scale, that_was_laid_before_there_were_marks_works_and_gets_them) {
    if (!is_postgresql())
        return;
    sql().run(users(1, 3000));
    scale();
    const store::Window middle = {3, 1500, {store::SortKey::name, true}};
    const std::string page = OpenStore(params_).list({}, middle);
    CHECK(has(page, "of 3000"));
    // What was there of old.
    for (const char* name : {"inserted", "updated", "deleted", "truncated"})
        sql().run("CREATE OR REPLACE FUNCTION useradmin_public_user." + std::string(name) +
                  "() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$");
    sql().run("DROP TABLE useradmin_public_user.by_name, useradmin_public_user.by_email, "
              "useradmin_public_user.by_update, useradmin_public_user.changes, "
              "useradmin_public_user.due; DROP FUNCTION useradmin_public_user.tend, "
              "useradmin_public_user.orders, useradmin_public_user.key, "
              "useradmin_public_user.stretches_of, "
              "useradmin_public_user.numbers_of, useradmin_public_user.update_of, "
              "useradmin_public_user.take_in, useradmin_public_user.own_table, "
              "useradmin_public_user.users_of, "
              "useradmin_public_user.recount, useradmin_public_user.part, "
              "useradmin_public_user.mend_marks, useradmin_public_user.note");
    OpenStore store(params_);
    CHECK(store.uses_copy());
    CHECK_EQUAL(page, store.list({}, middle));
    CHECK_EQUAL(std::string("The counts of 3000 users are right."), check());
    // Whoever is about to commit has told nothing to marks.
    Session writer(params_);
    writer.run("BEGIN;" + users(5001, 5100));
    Process process({words({"schema", "--scale"}), environment(), {}}, path("marks.txt"));
    CHECK(eventually([&] {
        return sql().number("SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = "
                            "'\"user\"'::regclass") > 0;
    }));
    // Nor are marks made meanwhile of what it has not told.
    CHECK_EQUAL(std::string("The counts of 3000 users are right."), check());
    CHECK_EQUAL(0, sql().number("SELECT count(*) FROM useradmin_public_user.by_name"));
    CHECK_EQUAL(std::string(), writer.run("COMMIT"));
    CHECK(process.ended_within(std::chrono::seconds(120)));
    scale();
    is_exact();
    CHECK(has(OpenStore(params_).list({}, middle), "of 3100"));
}

TEST(scale, goes_with_a_publication_of_all_tables) {
    if (!is_postgresql())
        return;
    undo("DROP PUBLICATION useradmin_every_table");
    sql().run("CREATE PUBLICATION useradmin_every_table FOR ALL TABLES");
    sql().run(users(1, 3000));
    scale();
    CHECK_EQUAL(
        std::string(),
        Session(params_).run("UPDATE \"user\" SET \"updatedAt\" = now(); DELETE FROM \"user\" "
                             "WHERE id LIKE '%7'; INSERT INTO useradmin_public_user.due VALUES "
                             "(1000000)"));
    CHECK_EQUAL(0, sql().number("SELECT count(*) FROM useradmin_public_user.changes"));
    is_exact();
    CHECK_EQUAL(std::string("The counts of 2700 users are right."), check());
    CHECK_EQUAL(std::string(), Session(params_).run("TRUNCATE \"user\" CASCADE"));
    is_exact();
}

TEST(scale, waits_for_a_long_transaction_and_lets_others_pass) {
    if (!is_postgresql())
        return;
    sql().run(users(1, 10));
    Session other(params_);
    for (const char* command : {"--scale", "--no-scale"}) {
        Session holder(params_);
        holder.run(R"(BEGIN; LOCK TABLE "user" IN ROW EXCLUSIVE MODE)");
        Process process({words({"schema", command}), environment(), {}}, path("waits.txt"));
        // It waits for the table, and what comes behind it gets on before long.
        const char* waits = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = "
                            "'\"user\"'::regclass";
        CHECK(eventually([&] { return other.number(waits) > 0 || !process.running(); }));
        CHECK(process.running());
        CHECK_EQUAL(std::string(), other.run("SET lock_timeout = '60s';"
                                             R"(UPDATE "user" SET name = 'x' WHERE id = 'u1')"));
        holder.run("COMMIT");
        CHECK(process.ended_within(std::chrono::seconds(60)));
        CHECK_EQUAL(0, other.number(waits));
        CHECK_EQUAL(command == std::string("--scale") ? 4 : 0,
                    other.number("SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal AND "
                                 "tgrelid = '\"user\"'::regclass"));
    }
}

TEST(scale, is_not_taken_away_at_the_cost_of_a_list_that_is_being_read) {
    if (!is_postgresql())
        return;
    sql().run(users(1, 10));
    scale();
    Session list(params_);
    Session other(params_);
    list.run("BEGIN");
    list.value("SELECT count(*) FROM useradmin_public_user.counts");
    Process process({words({"schema", "--no-scale"}), environment(), {}}, path("list.txt"));
    // It has the user table, and wants what the list has; the list goes on to the user table.
    CHECK(eventually([&] {
        return other.number("SELECT count(*) FROM pg_locks WHERE granted AND mode = "
                            "'AccessExclusiveLock' AND relation = '\"user\"'::regclass") > 0;
    }));
    CHECK_EQUAL(std::string(), list.run(R"(SELECT count(*) FROM "user"; COMMIT)"));
    CHECK(process.ended_within(std::chrono::seconds(60)));
    CHECK_EQUAL(0, sql().number(left));
}

TEST(scale, counts_no_user_who_was_deleted_under_a_snapshot_older_than_the_copy) {
    if (!is_postgresql())
        return;
    sql().run(users(1, 100));
    const std::vector<std::string> commands[] = {{"schema", "--scale"}, {"check", "--counts"}};
    for (const std::vector<std::string>& command : commands) {
        Session old(params_);
        old.run("BEGIN ISOLATION LEVEL REPEATABLE READ");
        const std::string last = old.value(R"(SELECT max(id) FROM "user")");
        const long number = old.number(R"(SELECT count(*) FROM "user")");
        Process process({words(command), environment(), {}}, path("old.txt"));
        CHECK(eventually([&] {
            Session session(params_);
            return session.run("SELECT 1 FROM useradmin_public_user.users").empty() &&
                   session.number("SELECT count(*) FROM useradmin_public_user.users") == number;
        }));
        CHECK_EQUAL(std::string(),
                    old.run("DELETE FROM \"user\" WHERE id = '" + last + "'; COMMIT"));
        CHECK(process.ended_within(std::chrono::seconds(60)));
        is_exact();
        sql().run("DELETE FROM useradmin_public_user.users");
    }
}

TEST(scale, works_whatever_the_accounts_own_settings_are) {
    if (!is_postgresql())
        return;
    sql().run(users(1, 100));
    undo("ALTER ROLE useradmin RESET ALL");
    sql().run("ALTER ROLE useradmin SET default_transaction_isolation = 'serializable'; "
              "ALTER ROLE useradmin SET standard_conforming_strings = off; "
              "ALTER ROLE useradmin SET search_path = 'public'");
    sql().run(
        R"(INSERT INTO "user" (id, name, email, "emailVerified") VALUES ('b\', 'B', 'b', true))");
    const Ended ended = ctl({"schema", "--scale"});
    sql().run("ALTER ROLE useradmin RESET ALL");
    done(ended);
    is_exact();
}

TEST(scale, works_on_tables_of_other_shapes_and_names) {
    if (!is_postgresql())
        return;
    undo("DROP SCHEMA IF EXISTS \"Our auth\" CASCADE; DROP TABLE IF EXISTS people, p_session, "
         "p_account CASCADE");
    // Each shape: the columns, and how a row of them is made.
    const std::string more = " name varchar(100) NOT NULL, email varchar(200) NOT NULL UNIQUE, ";
    struct Shape {
        std::string id, created, created_name, role;
        std::string made_id;
    };
    for (const Shape& shape :
         {Shape{"uuid", "timestamptz(3)", "created_at", "role varchar(20),", "gen_random_uuid()"},
          Shape{"serial", "timestamp", "\"createdAt\"", "role text,", "i"},
          Shape{"char(36)", "timestamp(3)", "created_at", "", "'c' || i"},
          Shape{"bigint", "timestamptz", "\"createdAt\"", "role char(10) DEFAULT 'user',", "i"}}) {
        sql().run("CREATE TABLE people (id " + shape.id + " PRIMARY KEY, " + shape.role + more +
                  shape.created_name + " " + shape.created + " NOT NULL DEFAULT now())");
        const std::string insert =
            "INSERT INTO people (id, name, email, " + shape.created_name + ") SELECT " +
            shape.made_id +
            ", 'Aña ' || i, i || '@x', now()::timestamp - (i / 3) * interval "
            "'7 hours' FROM generate_series(";
        sql().run(insert + "1, 1200) i");
        // Without the accent, which the plain lists look at.
        works_on("people p_session p_account", {"people", "p_session", "p_account"},
                 insert + "1201, 1300) i; UPDATE people SET name = replace(name, 'ñ', 'n')");
        sql().run("DROP TABLE people");
    }
}

TEST(scale, refuses_what_it_cannot_copy_with_a_sentence) {
    if (!is_postgresql())
        return;
    undo("DROP TABLE IF EXISTS people CASCADE");
    const std::vector<std::string> command = {"--tables", "people p_session p_account", "schema",
                                              "--scale"};
    const auto refused = [&](const std::string& sentence, Here here = {}) {
        const Ended ended = ctl(command);
        if (ended.status != 1 || !has(ended.errors, sentence))
            give_up(std::to_string(ended.status) + ": " + ended.errors, here);
        if (sql().number(left) != 0)
            give_up("something was left behind", here);
    };
    refused("there is no table \"people\"");
    sql().run("CREATE TABLE people (id text PRIMARY KEY, name text, email text, \"createdAt\" "
              "timestamptz)");
    refused("the user table's time of creation must be a timestamp and NOT NULL");
    sql().run("ALTER TABLE people ALTER \"createdAt\" SET NOT NULL, ENABLE ROW LEVEL SECURITY");
    refused("the user table must have no row security");
    sql().run("ALTER TABLE people DISABLE ROW LEVEL SECURITY; CREATE TABLE heirs () INHERITS "
              "(people)");
    refused("the user table must be a plain table, without partitions and heirs");
    sql().run("DROP TABLE heirs; ALTER TABLE people RENAME TO others; CREATE VIEW people AS "
              "SELECT * FROM others");
    refused("the user table must be a plain table, without partitions and heirs");
    sql().run("DROP VIEW people; ALTER TABLE others RENAME TO people");
    sql().run("ALTER TABLE people ALTER \"createdAt\" TYPE text");
    refused("the user table's time of creation must be a timestamp and NOT NULL");
    sql().run("ALTER TABLE people DROP \"createdAt\"");
    refused("the user table's time of creation must be a timestamp and NOT NULL");
}

TEST(scale, of_a_table_whose_copy_would_bear_anothers_name_is_refused) {
    if (!is_postgresql())
        return;
    undo("DROP TABLE IF EXISTS \"app user\", app_user CASCADE; DROP SCHEMA IF EXISTS "
         "useradmin_public_app_user CASCADE");
    for (const char* name : {"\"app user\"", "app_user"})
        sql().run("CREATE TABLE " + std::string(name) +
                  " (id text PRIMARY KEY, name text, email text, \"createdAt\" timestamptz NOT "
                  "NULL DEFAULT now())");
    done(ctl({"--tables", "app_user s a", "schema", "--scale"}));
    sql().run("ALTER TABLE app_user RENAME TO app_people; ALTER TABLE \"app user\" RENAME TO "
              "app_user; INSERT INTO app_people VALUES ('a', 'A', 'a')");
    for (const char* option : {"--scale", "--no-scale"}) {
        const Ended ended = ctl({"--tables", "app_user s a", "schema", option});
        CHECK_EQUAL(1, ended.status);
        CHECK(has(ended.errors, "useradmin_public_app_user belongs to another user table"));
    }
    // The copy goes with the table whose it is, under whatever name.
    OpenStore store(params_, "", {"app_people", "s", "a"});
    CHECK(store.uses_copy());
    CHECK_EQUAL(std::string("a of 1"), store.search("a"));
    done(ctl({"--tables", "app_people s a", "schema", "--no-scale"}));
    CHECK_EQUAL(0, sql().number(left));
    sql().run("DROP TABLE app_people");
}

TEST(scale, is_mended_and_laid_again_after_its_table_got_another_name_or_schema) {
    if (!is_postgresql())
        return;
    const std::string more =
        " (id text PRIMARY KEY, name text, email text, \"createdAt\" timestamptz NOT NULL DEFAULT "
        "now()); INSERT INTO moving SELECT i, i, i FROM generate_series(1, 9) i";
    undo("DROP SCHEMA IF EXISTS useradmin_public_moving, elsewhere CASCADE; DROP TABLE IF EXISTS "
         "moving, moved CASCADE");
    sql().run("CREATE TABLE moving" + more);
    done(ctl({"--tables", "moving s a", "schema", "--scale"}));
    sql().run("CREATE SCHEMA elsewhere");
    const auto is_mended = [&](const std::string& table) {
        sql().run("DELETE FROM useradmin_public_moving.users WHERE id = '5'");
        const Ended check = ctl({"--tables", table + " s a", "check", "--counts"});
        CHECK_EQUAL(9, sql().number("SELECT count(*) FROM useradmin_public_moving.users"));
        CHECK(!has(check.errors, "refused"));
        done(ctl({"--tables", table + " s a", "schema", "--scale"}));
    };
    sql().run("ALTER TABLE moving RENAME TO moved");
    is_mended("moved");
    sql().run("ALTER TABLE moved SET SCHEMA elsewhere");
    is_mended("elsewhere.moved");
    done(ctl({"--tables", "elsewhere.moved s a", "schema", "--no-scale"}));
}

TEST(scale, calls_no_functions_of_others_that_take_names) {
    if (!is_postgresql())
        return;
    undo("DROP SCHEMA IF EXISTS useradmin_public_trapped CASCADE; DROP TABLE IF EXISTS trapped "
         "CASCADE; "
         "DROP FUNCTION IF EXISTS public.starts_with(name, text), public.quote_ident(name), "
         "public.joined(name, text) CASCADE");
    sql().run(
        "CREATE TABLE trapped (id text PRIMARY KEY, name text, email text, \"createdAt\" "
        "timestamptz NOT NULL DEFAULT now());"
        "CREATE FUNCTION public.starts_with(name, text) RETURNS boolean LANGUAGE plpgsql AS "
        "'BEGIN RAISE ''trapped''; END';"
        "CREATE FUNCTION public.quote_ident(name) RETURNS text LANGUAGE plpgsql AS "
        "'BEGIN RAISE ''trapped''; END';"
        "CREATE FUNCTION public.joined(name, text) RETURNS text LANGUAGE plpgsql AS "
        "'BEGIN RAISE ''trapped''; END';"
        "CREATE OPERATOR public.|| (LEFTARG = name, RIGHTARG = text, FUNCTION = public.joined)");
    done(ctl({"--tables", "trapped s a", "schema", "--scale"}));
    OpenStore store(params_, "", {"trapped", "s", "a"});
    CHECK(store.uses_copy());
    done(ctl({"--tables", "trapped s a", "schema", "--no-scale"}));
}

TEST(scale, has_users_without_a_name_or_an_address) {
    if (!is_postgresql())
        return;
    undo("DROP TABLE IF EXISTS nameless CASCADE; DROP SCHEMA IF EXISTS useradmin_public_nameless "
         "CASCADE");
    sql().run(
        "CREATE TABLE nameless (id text PRIMARY KEY, name text, email text, \"createdAt\" "
        "timestamptz NOT NULL DEFAULT now()); INSERT INTO nameless VALUES ('1', NULL, 'lea'), "
        "('2', 'Léa', NULL), ('3', NULL, NULL)");
    done(ctl({"--tables", "nameless s a", "schema", "--scale"}));
    sql().run("INSERT INTO nameless VALUES ('4', NULL, NULL); INSERT INTO nameless VALUES ('5', "
              "'Lea', NULL), ('6', NULL, 'LEA'); UPDATE nameless SET name = NULL WHERE id = '5'; "
              "UPDATE nameless SET name = 'lea' WHERE id = '4'");
    CHECK_EQUAL(4, sql().number("SELECT count(*) FROM useradmin_public_nameless.users WHERE folded "
                                "LIKE '%lea%'"));
    OpenStore store(params_, "", {"nameless", "s", "a"});
    CHECK(store.uses_copy());
    CHECK(has(store.search("lea"), " of 4"));
}

TEST(scale, is_laid_by_a_plain_owner_and_read_by_whoever_may_read_the_users) {
    if (!is_postgresql())
        return;
    for (const char* role : {"owner", "reader", "stranger", "late"})
        sql().run("CREATE ROLE test_" + std::string(role) + " LOGIN");
    undo("DROP OWNED BY test_owner, test_reader, test_stranger, test_late CASCADE; "
         "DROP ROLE test_owner, test_reader, test_stranger, test_late");
    sql().run("DROP EXTENSION IF EXISTS pg_trgm; CREATE SCHEMA shop AUTHORIZATION test_owner; "
              "GRANT CREATE ON DATABASE postgres TO test_owner; GRANT USAGE ON SCHEMA shop TO "
              "test_reader, test_stranger, test_late");
    Session owner(params_, "user=test_owner");
    CHECK_EQUAL(std::string(),
                owner.run("CREATE TABLE shop.users (id text PRIMARY KEY, name text, email text, "
                          "role text, \"createdAt\" timestamptz NOT NULL DEFAULT now()); "
                          "INSERT INTO shop.users (id, name, email) VALUES ('a', 'José', 'a@x'); "
                          "GRANT SELECT, INSERT ON shop.users TO test_reader; "
                          "GRANT SELECT (id, name, email, role, \"createdAt\") ON shop.users TO "
                          "test_stranger"));
    const std::vector<std::string> names = {"--tables", "shop.users s a"};
    const auto laid = [&](const char* option) {
        return std::vector<std::string>{names[0], names[1], "schema", option};
    };
    const store::TableNames tables{"shop.users", "s", "a"};
    // By its owner, and by a superuser, whose rights it does not get.
    for (const char* who : {"test_owner", "useradmin"}) {
        done(ctl_as(who, laid("--scale")));
        CHECK_EQUAL(0, sql().number("SELECT count(*) FROM pg_proc p JOIN pg_namespace n ON n.oid = "
                                    "p.pronamespace WHERE n.nspname = 'useradmin_shop_users' AND "
                                    "p.proowner <> 'test_owner'::regrole"));
        for (const char* reader : {"test_owner", "test_reader"}) {
            OpenStore store(params_, std::string("user=") + reader, tables);
            CHECK(store.uses_copy());
            CHECK_EQUAL(std::string("a of 1"), store.search("jose"));
            CHECK_EQUAL(std::string("a of 1"), store.list({}, {20, 0}));
        }
        // Whoever may write the users need not write the copy.
        Session writer(params_, "user=test_reader");
        CHECK_EQUAL(std::string(), writer.run("INSERT INTO shop.users (id, name, email) VALUES ('" +
                                              std::string(who) + "', 'N', 'n')"));
        CHECK_EQUAL(std::string("42501"), writer.run("SELECT useradmin_shop_users.sweep()"));
        CHECK_EQUAL(std::string("42501"), writer.run("DELETE FROM useradmin_shop_users.counts"));
        OpenStore plain(params_, "user=test_stranger", tables);
        CHECK_FALSE(plain.uses_copy());
        CHECK_EQUAL(std::string("a of 1"), plain.search("José"));
        done(ctl_as(who, {names[0], names[1], "check", "--counts"}));
        // A right that was given later is passed on when it is run again.
        sql().run("GRANT SELECT ON shop.users TO test_late");
        CHECK_FALSE(OpenStore(params_, "user=test_late", tables).uses_copy());
        done(ctl_as(who, laid("--scale")));
        CHECK(OpenStore(params_, "user=test_late", tables).uses_copy());
        sql().run("REVOKE EXECUTE ON FUNCTION useradmin_shop_users.fold(text) FROM test_late");
        CHECK_FALSE(OpenStore(params_, "user=test_late", tables).uses_copy());
        // Whom the table shows some rows alone is not shown all.
        sql().run("CREATE POLICY not_all ON shop.users FOR SELECT USING (id <> 'a'); ALTER TABLE "
                  "shop.users ENABLE ROW LEVEL SECURITY");
        OpenStore reader(params_, "user=test_reader", tables);
        CHECK_EQUAL(std::string("of 0"), reader.search("José"));
        CHECK_FALSE(reader.uses_copy());
        CHECK(OpenStore(params_, "user=test_owner", tables).uses_copy());
        sql().run("DROP POLICY not_all ON shop.users; ALTER TABLE shop.users DISABLE ROW LEVEL "
                  "SECURITY");
        sql().run("REVOKE SELECT ON shop.users FROM test_late; DELETE FROM shop.users WHERE id <> "
                  "'a'");
        done(ctl_as(who, laid("--no-scale")));
    }
    // Who is neither is refused.
    CHECK_EQUAL(1, ctl_as("test_reader", laid("--scale")).status);
}

TEST(scale, is_not_used_while_a_trigger_is_off_and_is_put_right_when_it_is_run_again) {
    if (!is_postgresql())
        return;
    sql().run(users(1, 20));
    scale();
    for (
        const char* statement :
        {R"(ALTER TABLE "user" DISABLE TRIGGER useradmin_scale_updated)",
         R"(ALTER TABLE "user" ENABLE REPLICA TRIGGER useradmin_scale_inserted)",
         R"(DROP TRIGGER useradmin_scale_truncated ON "user")",
         R"(DROP TRIGGER useradmin_scale_inserted ON "user"; DROP TRIGGER useradmin_scale_deleted ON "user";)"
         R"(DROP TRIGGER useradmin_scale_updated ON "user"; DROP TRIGGER useradmin_scale_truncated ON "user")"}) {
        CHECK(OpenStore(params_).uses_copy());
        sql().run(statement);
        sql().run(R"(UPDATE "user" SET role = 'admin' WHERE id = 'u5')");
        OpenStore store(params_);
        CHECK_FALSE(store.uses_copy());
        CHECK_EQUAL(std::string("u5 of 1"), store.list({"admin", {}}, {20, 0}));
        scale();
        is_exact();
        sql().run(R"(UPDATE "user" SET role = 'user' WHERE id = 'u5')");
        is_exact();
    }
}

TEST(scale, that_is_taken_away_under_a_connection_fails_none_of_its_lists) {
    if (!is_postgresql())
        return;
    sql().run(users(1, 2000));
    std::atomic<bool> goes_on{true};
    std::atomic<int> lists{0};
    std::string odd[3];
    std::vector<std::thread> readers;
    for (std::string& own : odd)
        readers.emplace_back([&] {
            OpenStore store(params_);
            while (goes_on && own.empty()) {
                for (const auto& [is, must] :
                     {std::pair{store.list({}, {1, 0}), "u1 of 2000"},
                      std::pair{store.list({{}, "name 77"}, {1, 0}), "u77 of 11"},
                      std::pair{store.list({"user", {}}, {1, 1500}), "u1501 of 2000"}})
                    if (is != must)
                        own = is;
                ++lists;
            }
        });
    std::string wrong;
    for (int round = 0; round < 6; ++round) {
        const Ended laid = ctl({"schema", round % 2 == 0 ? "--scale" : "--no-scale"});
        if (laid.status != 0)
            wrong += laid.errors;
        const int before = lists;
        while (lists < before + 20 && odd[0].empty() && odd[1].empty() && odd[2].empty())
            std::this_thread::yield();
    }
    goes_on = false;
    for (std::thread& reader : readers)
        reader.join();
    CHECK_EQUAL(std::string(), wrong);
    for (const std::string& each : odd)
        CHECK_EQUAL(std::string(), each);
}

} // namespace useradmin::test
