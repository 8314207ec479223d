// useradminctl schema --scale and schema --no-scale.
#include "scale.hpp"
#include "support/files.hpp"
#include "support/machine.hpp"
#include "support/pgbouncer.hpp"
#include "support/process.hpp"

#include <atomic>
#include <csignal>
#include <thread>
#include <tuple>

namespace useradmin::test {

namespace {

constexpr const char* invalid_indexes = "SELECT count(*) FROM pg_index WHERE NOT indisvalid";

/// Counts the catalog entries of schema --scale, except the two indexes on the user table.
constexpr const char* left =
    "SELECT (SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal) + (SELECT count(*) FROM "
    "pg_namespace WHERE nspname LIKE 'useradmin%') + (SELECT count(*) FROM pg_proc WHERE "
    "prosrc LIKE '%useradmin%') + (SELECT count(*) FROM pg_indexes WHERE indexname LIKE "
    "'user_by_%' OR indexname LIKE '%_searched_idx' OR indexname LIKE '%_useradmin_seen_idx')";

/// Creates the parts of version 0.1's objects that matter to schema and check: their names, the
/// triggers and the comment.
constexpr const char* old_objects =
    "CREATE SCHEMA useradmin_public_user; "
    "CREATE TABLE useradmin_public_user.users AS SELECT id FROM \"user\"; "
    "CREATE TABLE useradmin_public_user.counts (span smallint, number integer); "
    "CREATE TABLE useradmin_public_user.folds (point text); "
    "CREATE TABLE useradmin_public_user.changes (number integer); "
    "CREATE FUNCTION useradmin_public_user.fold(original text) RETURNS text LANGUAGE sql STABLE AS "
    "'SELECT lower(original)'; "
    "CREATE FUNCTION useradmin_public_user.inserted() RETURNS trigger LANGUAGE plpgsql AS "
    "'BEGIN RETURN NULL; END'; "
    "CREATE TRIGGER useradmin_scale_inserted AFTER INSERT ON \"user\" EXECUTE FUNCTION "
    "useradmin_public_user.inserted(); "
    "CREATE TRIGGER useradmin_scale_updated AFTER UPDATE ON \"user\" EXECUTE FUNCTION "
    "useradmin_public_user.inserted(); "
    "CREATE TRIGGER useradmin_scale_deleted AFTER DELETE ON \"user\" EXECUTE FUNCTION "
    "useradmin_public_user.inserted(); "
    "CREATE TRIGGER useradmin_scale_truncated AFTER TRUNCATE ON \"user\" EXECUTE FUNCTION "
    "useradmin_public_user.inserted(); "
    "CREATE INDEX user_by_name_idx ON \"user\" (lower(name)); "
    "COMMENT ON SCHEMA useradmin_public_user IS 'mod_useradmin: complete, layout 1'";

// Part of the note that check prints if the objects exist but the service does not use them.
constexpr const char* advice = "the counts and indexes of 'schema --scale' are incomplete";

} // namespace

class Scale : public ScaleScene {
  protected:
    /// Runs schema --scale for these tables, then --no-scale, and checks that the lists are the
    /// same.
    void check_lists_of(const std::string& names, const store::TableNames& tables,
                        const std::string& more_users, SourceLocation where = {}) {
        const auto run_with_tables = [&](std::vector<std::string> arguments) {
            arguments.insert(arguments.begin(), {"--tables", names});
            return expect_ok(ctl(std::move(arguments)), where);
        };
        run_with_tables({"schema", "--scale"});
        Session session(params_);
        if (const std::string state = session.run(more_users); !state.empty())
            fail_test(state + session.error(), where);
        if (!has(run_with_tables({"schema", "--scale", "--json"}), R"("countsCorrected":0)"))
            fail_test("the counts are wrong", where);
        OpenStore scaled(params_, "", tables);
        if (!scaled.is_scaled())
            fail_test("the counts are not used", where);
        const std::string first = scaled.list({}, {5, 0}, where);
        const std::string far = scaled.list({}, {5, 1200}, where);
        const std::string found = scaled.search("Ana 77", where);
        const std::string both = scaled.list({"user", "ana 12"}, {20, 3}, where);
        run_with_tables({"schema", "--no-scale"});
        OpenStore plain(params_, "", tables);
        if (plain.is_scaled() || plain.list({}, {5, 0}, where) != first ||
            plain.list({}, {5, 1200}, where) != far || plain.search("Ana 77", where) != found ||
            plain.list({"user", "ana 12"}, {20, 3}, where) != both)
            fail_test("the lists differ: " + first + " " + far + " " + found + " " + both, where);
        if (!has(found, "of 22") || !has(far, "of 1300"))
            fail_test("unexpected lists: " + first + " " + far + " " + found, where);
    }

    /// Runs useradminctl as another role.
    static CommandResult ctl_as(const std::string& role, std::vector<std::string> arguments) {
        std::vector<std::string> words = {machine::built("useradminctl").string(), "--driver",
                                          "pgsql", "--params",
                                          database().params() + " user=" + role};
        words.insert(words.end(), arguments.begin(), arguments.end());
        return test::run({words, environment()});
    }
};

TEST_GROUP_BASE(postgresql_scale, Scale){};

TEST_GROUP_BASE(sqlite_scale, Scene){};

TEST(sqlite_scale, is_rejected) {
    for (const char* const option : {"--scale", "--no-scale"}) {
        const CommandResult ended = ctl({"schema", option});
        CHECK_EQUAL(2, ended.status);
        CHECK(has(ended.errors, "SQLite needs no additional counts and indexes for long lists"));
    }
}

TEST_GROUP_BASE(scale, Scene){};

TEST(scale, and_no_scale_are_mutually_exclusive) {
    const CommandResult ended = ctl({"schema", "--scale", "--no-scale"});
    CHECK_EQUAL(2, ended.status);
    CHECK(has(ended.errors, "use only one of --scale, --no-scale and --api-keys"));
}

TEST(postgresql_scale, prints_the_number_of_users_each_time) {
    sql().run(users(1, 1));
    CHECK(has(scale(), "1 user was counted and indexed; "));
    sql().run(users(2, 4500));
    const std::string said = scale();
    CHECK_EQUAL(
        std::string("4500 users were counted and indexed; the service will use the counts and "
                    "indexes within ten seconds."),
        said);
    check_counts();
    CHECK_EQUAL(said, scale());
    const Json json(ctl({"schema", "--scale", "--json"}).output);
    CHECK_EQUAL(std::string("4500"), json.at("data.users"));
    CHECK_EQUAL(std::string("0"), json.at("data.countsCorrected"));
}

TEST(postgresql_scale, requires_a_direct_connection) {
    for (const char* const mode : {"session", "transaction"}) {
        const PgBouncer pooler(work(), "bouncer-" + std::string(mode), database().server(), mode);
        for (const char* const option : {"--scale", "--no-scale"}) {
            const CommandResult ended = ctl_without_database(
                {"--driver", "pgsql", "--params", pooler.params(), "schema", option});
            CHECK_EQUAL(1, ended.status);
            CHECK_TEXT(has(ended.errors, "the connection goes through a pooler"),
                       ended.errors.c_str());
        }
        // The pooler gives its server connections to other clients.
        Session other(pooler.params());
        CHECK_EQUAL(sql().value("SHOW search_path").value(), other.value("SHOW search_path"));
    }
    CHECK_EQUAL(0, sql().number(left));
}

TEST(postgresql_scale, is_removed_completely) {
    sql().run(users(1, 10));
    CHECK_EQUAL(0, sql().number(left));
    scale();
    CHECK(sql().number(left) > 0);
    CHECK(
        has(expect_ok(ctl({"schema", "--no-scale"})), "The counts and their indexes were removed"));
    CHECK_EQUAL(0, sql().number(left));
    expect_ok(ctl({"schema", "--no-scale"}));
    sql().run(users(11, 20) + R"(UPDATE "user" SET name = 'x'; DELETE FROM "user")");
}

TEST(postgresql_scale, corrects_wrong_counts) {
    sql().run(users(1, 100));
    scale();
    CHECK_EQUAL(std::string("0"), correct_counts());
    sql().run("UPDATE useradmin_public_user.counts SET number = number + 5");
    CHECK_EQUAL(std::string("1"), correct_counts());
    check_counts();
    sql().run("DELETE FROM useradmin_public_user.counts");
    sql().run("INSERT INTO useradmin_public_user.counts VALUES ('nobody', false, true, 3)");
    const Json json(ctl({"schema", "--scale", "--json"}).output);
    CHECK_EQUAL(std::string("100"), json.at("data.users"));
    CHECK_EQUAL(std::string("2"), json.at("data.countsCorrected"));
    check_counts();
    // Users added while the triggers are disabled.
    Session session(params_);
    CHECK_EQUAL(std::string(),
                session.run("SET session_replication_role = replica;" + users(101, 120)));
    CHECK_EQUAL(std::string("1"), correct_counts());
    check_counts();
    CHECK(has(OpenStore(params_).search("name 11"), "of 11"));
}

TEST(postgresql_scale, includes_concurrent_writes) {
    sql().run(users(1, 20000));
    std::atomic<bool> goes_on{true};
    std::string unexpected[3];
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
                        unexpected[number] += state;
            }
        });
    const CommandResult ended = ctl({"schema", "--scale"});
    goes_on = false;
    for (std::thread& writer : writers)
        writer.join();
    expect_ok(ended);
    for (const std::string& each : unexpected)
        CHECK_EQUAL(std::string(), each);
    check_counts();
}

TEST(postgresql_scale, is_resumed_after_a_kill) {
    sql().run(users(1, 30000));
    // Kill the command after each of five steps, twice.
    int killed = 0;
    for (int step = 0; step < 10; ++step) {
        Process process({words({"schema", "--scale"}), environment(), {}}, path("killed.txt"));
        const char* places[] = {
            "SELECT to_regnamespace('useradmin_public_user') IS NOT NULL",
            ("SELECT count(*) = 4 FROM pg_trigger WHERE NOT tgisinternal AND tgrelid = "
             "'\"user\"'::regclass"),
            "SELECT to_regclass('user_by_name_idx') IS NOT NULL",
            "SELECT to_regclass('user_by_update_idx') IS NOT NULL",
            "SELECT to_regclass('user_searched_idx') IS NOT NULL",
        };
        const auto has_reached_step = [&] {
            Session session(params_);
            if (session.run(places[step % 5]) != "")
                return false;
            return session.value(places[step % 5]) == "t";
        };
        while (process.running() && !has_reached_step()) {
        }
        killed += process.running() ? 1 : 0;
        process.signal(SIGKILL);
        process.exits_within(std::chrono::seconds(30));
        sql().run(users(100000 + step, 100000 + step));
    }
    CHECK(killed >= 3);
    // The server may not have noticed the kill yet. The command waits for the old session's locks.
    scale();
    check_counts();
    CHECK_EQUAL(0, sql().number(invalid_indexes));
    OpenStore store(params_);
    CHECK(store.is_scaled());
}

TEST(postgresql_scale, can_be_created_by_two_commands_at_once) {
    sql().run(users(1, 30000));
    Process other({words({"schema", "--scale"}), environment(), {}}, path("other.txt"));
    const char* const has_index = "SELECT to_regclass('user_by_name_idx') IS NOT NULL";
    while (other.running() && sql().value(has_index).value_or("") != "t") {
    }
    scale();
    CHECK_TRUE(other.exits_within(std::chrono::seconds(300)));
    scale();
    check_counts();
    CHECK_EQUAL(0, sql().number(invalid_indexes));
}

TEST(postgresql_scale, rebuilds_invalid_indexes) {
    sql().run(users(1, 100));
    scale();
    sql().run("UPDATE pg_index SET indisvalid = false WHERE indexrelid IN ("
              "'user_searched_idx'::regclass, "
              "'user_newest_idx'::regclass, 'user_role_newest_idx'::regclass, "
              "'user_by_name_idx'::regclass, 'user_by_update_idx'::regclass)");
    scale();
    CHECK_EQUAL(0, sql().number(invalid_indexes));
    sql().run("DROP INDEX user_newest_idx; DROP INDEX user_role_newest_idx");
    scale();
    CHECK_EQUAL(2, sql().number("SELECT count(*) FROM pg_indexes WHERE indexname IN ("
                                "'user_newest_idx', 'user_role_newest_idx')"));
}

TEST(postgresql_scale, rebuilds_an_outdated_role_index) {
    const char* has_role =
        "SELECT indexdef LIKE '%INCLUDE (role)%' FROM pg_indexes WHERE indexname = "
        "'user_role_newest_idx'";
    sql().run("DROP INDEX user_role_newest_idx; CREATE INDEX user_role_newest_idx ON \"user\" "
              "(COALESCE(role, 'user'), \"createdAt\" DESC, id)");
    scale();
    CHECK_EQUAL(std::string("t"), sql().value(has_role).value_or(""));
}

TEST(postgresql_scale, without_sort_indexes_is_reported_by_check) {
    sql().run(users(1, 10));
    scale();
    constexpr const char* missing = "the indexes for sorting lists are missing";
    CHECK_FALSE(has(ctl({"check", "--verbose"}).output, missing));
    sql().run("DROP INDEX user_by_name_idx; DROP INDEX user_by_email_idx; "
              "DROP INDEX user_by_update_idx");
    CHECK(has(ctl({"check", "--verbose"}).output, missing));
    scale();
    CHECK_FALSE(has(ctl({"check", "--verbose"}).output, missing));
    CHECK_EQUAL(3, sql().number("SELECT count(*) FROM pg_indexes WHERE indexname LIKE "
                                "'user_by_%'"));
}

TEST(postgresql_scale, indexes_the_last_activity) {
    sql().run("ALTER TABLE \"user\" ADD COLUMN seen timestamptz, ADD COLUMN other timestamptz");
    undo("ALTER TABLE \"user\" DROP COLUMN IF EXISTS seen, DROP COLUMN IF EXISTS other");
    sql().run(users(1, 10));
    const auto index_definitions = [&] {
        return sql().column("SELECT regexp_replace(indexdef, '.* ON public', '') FROM pg_indexes "
                            "WHERE indexname LIKE '%_useradmin_seen_idx' ORDER BY 1");
    };
    scale();
    const std::string of_sessions =
        ".session USING btree (\"updatedAt\" DESC NULLS LAST, \"userId\")";
    CHECK_EQUAL(of_sessions, index_definitions());
    // An index on another UserAdminLastSeen column replaces the previous one.
    for (const char* const column : {"seen", "other"}) {
        write_file(path("seen.conf"), "DBDriver pgsql\nDBDParams \"" + params_ +
                                          "\"\nUserAdminLastSeen " + column + "\n");
        expect_ok(test::run({{machine::built("useradminctl").string(), "schema", "--scale",
                              "--config", path("seen.conf")},
                             environment()}));
        CHECK_EQUAL(".\"user\" USING btree (" + std::string(column) + " DESC NULLS LAST, id), " +
                        of_sessions,
                    index_definitions());
    }
    sql().run("UPDATE pg_index SET indisvalid = false WHERE indexrelid = "
              "'session_useradmin_seen_idx'::regclass");
    scale();
    CHECK_EQUAL(0, sql().number(invalid_indexes));
    expect_ok(ctl({"schema", "--no-scale"}));
    CHECK_EQUAL(std::string(), index_definitions());
}

TEST(postgresql_scale, is_unused_after_a_counted_column_is_added) {
    undo("ALTER TABLE \"user\" ADD COLUMN IF NOT EXISTS \"banned\" boolean");
    sql().run("ALTER TABLE \"user\" DROP COLUMN \"banned\"");
    sql().run(users(1, 30));
    scale();
    CHECK_TRUE(OpenStore(params_).is_scaled());
    CHECK_FALSE(has(ctl({"check", "--verbose"}).output, advice));
    sql().run("ALTER TABLE \"user\" ADD COLUMN \"banned\" boolean");
    CHECK_FALSE(OpenStore(params_).is_scaled());
    CHECK(has(ctl({"check", "--verbose"}).output, advice));
    sql().run("UPDATE \"user\" SET \"banned\" = TRUE WHERE id = 'u3'");
    scale();
    CHECK_TRUE(OpenStore(params_).is_scaled());
    check_counts();
}

TEST(postgresql_scale, replaces_the_objects_of_version_0_1) {
    undo("DROP TRIGGER IF EXISTS useradmin_scale_inserted ON \"user\"; DROP TRIGGER IF EXISTS "
         "useradmin_scale_updated ON \"user\"; DROP TRIGGER IF EXISTS useradmin_scale_deleted ON "
         "\"user\"; DROP TRIGGER IF EXISTS useradmin_scale_truncated ON \"user\"");
    sql().run(users(1, 30));
    sql().run(old_objects);
    CHECK(has(ctl({"check", "--verbose"}).output, advice));
    const auto check_lists = [&](bool is_scaled) {
        OpenStore store(params_);
        CHECK_EQUAL(is_scaled, store.is_scaled());
        CHECK_EQUAL(std::string("u1 of 30"), store.list({}, {1, 0}));
        CHECK_EQUAL(std::string("u29 u30 of 30"), store.list({}, {2, 28}));
        CHECK(has(store.search("u2"), "of 11"));
    };
    check_lists(false);
    // A running service has read the system catalog earlier.
    OpenStore before(params_);
    CHECK_EQUAL(std::string("u1 of 30"), before.list({}, {1, 0}));
    scale();
    CHECK_EQUAL(std::string("u1 of 30"), before.list({}, {1, 0}));
    check_counts();
    check_lists(true);
    CHECK_FALSE(has(ctl({"check", "--verbose"}).output, advice));
    CHECK_EQUAL(0, sql().number("SELECT count(*) FROM pg_tables WHERE schemaname = "
                                "'useradmin_public_user' AND tablename <> 'counts'"));
    expect_ok(ctl({"schema", "--no-scale"}));
    sql().run(old_objects);
    expect_ok(ctl({"schema", "--no-scale"}));
    CHECK_EQUAL(0, sql().number(left));
}

TEST(postgresql_scale, without_privileges_after_a_restore_is_reported_and_repaired) {
    undo("DROP OWNED BY reader; DROP ROLE reader");
    sql().run("CREATE ROLE reader LOGIN; GRANT SELECT ON \"user\" TO reader");
    sql().run(users(1, 10));
    scale();
    constexpr const char* problem =
        "PUBLIC lacks the USAGE privilege on schema useradmin_public_user";
    const auto read_as_reader = [&] {
        return Session(params_, "user=reader").run("SELECT * FROM \"user\" WHERE id = 'u1'");
    };
    CHECK_FALSE(has(ctl({"check"}).output, problem));
    CHECK_EQUAL(std::string(), read_as_reader());
    // As a restore with pg_restore --no-acl leaves them.
    sql().run("REVOKE ALL ON SCHEMA useradmin_public_user FROM PUBLIC; REVOKE ALL ON "
              "useradmin_public_user.counts FROM reader");
    CHECK_EQUAL(std::string("42501"), read_as_reader());
    CHECK(has(ctl({"check"}).output, problem));
    CHECK(has(ctl_as("reader", {"check"}).output, problem));
    scale();
    CHECK_EQUAL(std::string(), read_as_reader());
    CHECK_FALSE(has(ctl({"check"}).output, problem));
    CHECK_TRUE(OpenStore(params_, "user=reader").is_scaled());
}

TEST(postgresql_scale, works_with_a_publication_for_all_tables) {
    undo("DROP PUBLICATION useradmin_every_table");
    sql().run("CREATE PUBLICATION useradmin_every_table FOR ALL TABLES");
    sql().run(users(1, 3000));
    scale();
    CHECK_EQUAL(
        std::string(),
        Session(params_).run("UPDATE \"user\" SET \"updatedAt\" = now(); DELETE FROM \"user\" "
                             "WHERE id LIKE '%7'; SELECT useradmin_public_user.merge_counts()"));
    check_counts();
    CHECK_EQUAL(std::string("0"), correct_counts());
    CHECK_EQUAL(std::string(), Session(params_).run("TRUNCATE \"user\" CASCADE"));
    check_counts();
}

TEST(postgresql_scale, waits_for_a_long_transaction_without_blocking_others) {
    sql().run(users(1, 10));
    Session other(params_);
    for (const char* command : {"--scale", "--no-scale"}) {
        Session holder(params_);
        holder.run(R"(BEGIN; LOCK TABLE "user" IN ROW EXCLUSIVE MODE)");
        Process process({words({"schema", command}), environment(), {}}, path("waits.txt"));
        // The command waits for the table. Statements that queue behind it proceed soon.
        const char* waits = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = "
                            "'\"user\"'::regclass";
        CHECK(eventually([&] { return other.number(waits) > 0 || !process.running(); }));
        CHECK(process.running());
        CHECK_EQUAL(std::string(), other.run("SET lock_timeout = '60s';"
                                             R"(UPDATE "user" SET name = 'x' WHERE id = 'u1')"));
        holder.run("COMMIT");
        CHECK(process.exits_within(std::chrono::seconds(60)));
        CHECK_EQUAL(0, other.number(waits));
        CHECK_EQUAL(command == std::string("--scale") ? 4 : 0,
                    other.number("SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal AND "
                                 "tgrelid = '\"user\"'::regclass"));
    }
}

TEST(postgresql_scale, reports_progress_and_how_to_resume_if_interrupted) {
    sql().run(users(1, 10));
    const std::pair<const char*, const char*> commands[] = {
        {"--scale",
         "interrupted; what was created is kept; run the command again to create the rest\n"},
        {"--no-scale", "interrupted; run the command again to remove the rest\n"}};
    for (const auto& [command, message] : commands) {
        const std::string out = path("interrupted-scale.txt");
        Session holder(params_);
        holder.run(R"(BEGIN; LOCK TABLE "user" IN ROW EXCLUSIVE MODE)");
        Process process({words({"schema", command}), environment(), {}}, out);
        CHECK(eventually([&] {
            return holder.number("SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = "
                                 "'\"user\"'::regclass") > 0;
        }));
        process.signal(SIGINT);
        CHECK(process.exits_within(std::chrono::seconds(60)));
        holder.run("COMMIT");
        const std::string said = read_file(out);
        CHECK_TEXT(said.ends_with(message), said.c_str());
        expect_ok(ctl({"schema", command}));
    }
}

TEST(postgresql_scale, waits_for_running_lists_before_it_is_removed) {
    sql().run(users(1, 10));
    scale();
    Session list(params_);
    Session other(params_);
    list.run("BEGIN");
    list.value("SELECT count(*) FROM useradmin_public_user.counts");
    Process process({words({"schema", "--no-scale"}), environment(), {}}, path("list.txt"));
    // The command has locked the user table and waits for the list's lock. The list then needs the
    // user table, but must not fail with a deadlock.
    CHECK(eventually([&] {
        return other.number("SELECT count(*) FROM pg_locks WHERE granted AND mode = "
                            "'AccessExclusiveLock' AND relation = '\"user\"'::regclass") > 0;
    }));
    CHECK_EQUAL(std::string(), list.run(R"(SELECT count(*) FROM "user"; COMMIT)"));
    CHECK(process.exits_within(std::chrono::seconds(60)));
    CHECK_EQUAL(0, sql().number(left));
}

TEST(postgresql_scale, does_not_count_users_deleted_under_an_old_snapshot) {
    sql().run(users(1, 100));
    scale();
    Session old(params_);
    old.run("BEGIN ISOLATION LEVEL REPEATABLE READ");
    const std::string last = old.value(R"(SELECT max(id) FROM "user")");
    sql().run("DELETE FROM useradmin_public_user.counts");
    CHECK_EQUAL(std::string("1"), correct_counts());
    CHECK_EQUAL(std::string(), old.run("DELETE FROM \"user\" WHERE id = '" + last + "'; COMMIT"));
    check_counts();
    CHECK_EQUAL(99, sql().number("SELECT sum(number) FROM useradmin_public_user.counts"));
}

TEST(postgresql_scale, works_with_any_role_settings) {
    sql().run(users(1, 100));
    undo("ALTER ROLE useradmin RESET ALL");
    sql().run("ALTER ROLE useradmin SET default_transaction_isolation = 'serializable'; "
              "ALTER ROLE useradmin SET standard_conforming_strings = off; "
              "ALTER ROLE useradmin SET search_path = 'public'");
    sql().run(
        R"(INSERT INTO "user" (id, name, email, "emailVerified") VALUES ('b\', 'B', 'b', true))");
    const CommandResult ended = ctl({"schema", "--scale"});
    sql().run("ALTER ROLE useradmin RESET ALL");
    expect_ok(ended);
    check_counts();
}

TEST(postgresql_scale, works_with_other_column_types_and_table_names) {
    undo("DROP SCHEMA IF EXISTS \"Our auth\" CASCADE; DROP TABLE IF EXISTS people, p_session, "
         "p_account CASCADE");
    // A shape consists of column types and an expression for the ids.
    const std::string more = " name varchar(100) NOT NULL, email varchar(200) NOT NULL UNIQUE, ";
    struct TableVariant {
        std::string id, created, created_name, role;
        std::string id_expression;
    };
    for (const TableVariant& variant :
         {TableVariant{"uuid", "timestamptz(3)", "created_at", "role varchar(20),",
                       "gen_random_uuid()"},
          TableVariant{"serial", "timestamp", "\"createdAt\"", "role text,", "i"},
          TableVariant{"char(36)", "timestamp(3)", "created_at", "", "'c' || i"},
          TableVariant{"bigint", "timestamptz", "\"createdAt\"", "role char(10) DEFAULT 'user',",
                       "i"}}) {
        sql().run("CREATE TABLE people (id " + variant.id + " PRIMARY KEY, " + variant.role + more +
                  variant.created_name + " " + variant.created + " NOT NULL DEFAULT now())");
        const std::string insert =
            "INSERT INTO people (id, name, email, " + variant.created_name + ") SELECT " +
            variant.id_expression +
            ", 'Aña ' || i, i || '@x', now()::timestamp - (i / 3) * interval "
            "'7 hours' FROM generate_series(";
        sql().run(insert + "1, 1200) i");
        // The accent is removed, because lists without --scale do not ignore it.
        check_lists_of("people p_session p_account", {"people", "p_session", "p_account"},
                       insert + "1201, 1300) i; UPDATE people SET name = replace(name, 'ñ', 'n')");
        sql().run("DROP TABLE people");
    }
}

TEST(postgresql_scale, rejects_unsupported_tables) {
    undo("DROP TABLE IF EXISTS people CASCADE");
    const std::vector<std::string> command = {"--tables", "people p_session p_account", "schema",
                                              "--scale"};
    const auto expect_rejected = [&](const std::string& message, SourceLocation where = {}) {
        const CommandResult ended = ctl(command);
        if (ended.status != 1 || !has(ended.errors, message))
            fail_test(std::to_string(ended.status) + ": " + ended.errors, where);
        if (sql().number(left) != 0)
            fail_test("objects were left behind", where);
    };
    expect_rejected("table \"people\" does not exist");
    sql().run("CREATE TABLE people (id text PRIMARY KEY, name text, email text, \"createdAt\" "
              "timestamptz)");
    expect_rejected("the user table's time of creation must be a timestamp and NOT NULL");
    sql().run("ALTER TABLE people ALTER \"createdAt\" SET NOT NULL, ENABLE ROW LEVEL SECURITY");
    expect_rejected("the user table must have no row security");
    sql().run("CREATE TYPE role AS ENUM ('user'); ALTER TABLE people DISABLE ROW LEVEL SECURITY, "
              "ADD role role");
    expect_rejected("the column for the role must be text, not an enum");
    sql().run("ALTER TABLE people DROP role; DROP TYPE role; CREATE TABLE heirs () INHERITS "
              "(people)");
    expect_rejected("the user table must be a plain table, without partitions or child tables");
    sql().run("DROP TABLE heirs; ALTER TABLE people RENAME TO others; CREATE VIEW people AS "
              "SELECT * FROM others");
    expect_rejected("the user table must be a plain table, without partitions or child tables");
    sql().run("DROP VIEW people; ALTER TABLE others RENAME TO people");
    sql().run("ALTER TABLE people ALTER \"createdAt\" TYPE text");
    expect_rejected("the user table's time of creation must be a timestamp and NOT NULL");
    sql().run("ALTER TABLE people DROP \"createdAt\"");
    expect_rejected("the user table's time of creation must be a timestamp and NOT NULL");
}

TEST(postgresql_scale, rejects_a_name_collision) {
    undo("DROP TABLE IF EXISTS \"app user\", app_user CASCADE; DROP SCHEMA IF EXISTS "
         "useradmin_public_app_user CASCADE");
    for (const char* name : {"\"app user\"", "app_user"})
        sql().run("CREATE TABLE " + std::string(name) +
                  " (id text PRIMARY KEY, name text, email text, \"createdAt\" timestamptz NOT "
                  "NULL DEFAULT now())");
    expect_ok(ctl({"--tables", "app_user s a", "schema", "--scale"}));
    sql().run("ALTER TABLE app_user RENAME TO app_people; ALTER TABLE \"app user\" RENAME TO "
              "app_user; INSERT INTO app_people VALUES ('a', 'A', 'a')");
    for (const char* option : {"--scale", "--no-scale"}) {
        const CommandResult ended = ctl({"--tables", "app_user s a", "schema", option});
        CHECK_EQUAL(1, ended.status);
        CHECK(has(ended.errors, "useradmin_public_app_user belongs to another user table"));
    }
    // The copy belongs to its table, even after the table is renamed.
    OpenStore store(params_, "", {"app_people", "s", "a"});
    CHECK(store.is_scaled());
    CHECK_EQUAL(std::string("a of 1"), store.search("a"));
    expect_ok(ctl({"--tables", "app_people s a", "schema", "--no-scale"}));
    CHECK_EQUAL(0, sql().number(left));
    sql().run("DROP TABLE app_people");
}

TEST(postgresql_scale, works_after_the_table_is_renamed) {
    const std::string more =
        " (id text PRIMARY KEY, name text, email text, \"createdAt\" timestamptz NOT NULL DEFAULT "
        "now()); INSERT INTO moving SELECT i, i, i FROM generate_series(1, 9) i";
    undo("DROP SCHEMA IF EXISTS useradmin_public_moving, elsewhere CASCADE; DROP TABLE IF EXISTS "
         "moving, moved CASCADE");
    sql().run("CREATE TABLE moving" + more);
    expect_ok(ctl({"--tables", "moving s a", "schema", "--scale"}));
    sql().run("CREATE SCHEMA elsewhere");
    const auto expect_corrected = [&](const std::string& table) {
        sql().run("UPDATE useradmin_public_moving.counts SET number = 5");
        expect_ok(ctl({"--tables", table + " s a", "schema", "--scale"}));
        CHECK_EQUAL(9, sql().number("SELECT sum(number) FROM useradmin_public_moving.counts"));
    };
    sql().run("ALTER TABLE moving RENAME TO moved");
    expect_corrected("moved");
    sql().run("ALTER TABLE moved SET SCHEMA elsewhere");
    expect_corrected("elsewhere.moved");
    expect_ok(ctl({"--tables", "elsewhere.moved s a", "schema", "--no-scale"}));
}

TEST(postgresql_scale, calls_no_function_of_other_roles) {
    undo("DROP OWNED BY test_owner, test_hostile, test_writer CASCADE; DROP ROLE test_member, "
         "test_owner, test_hostile, test_writer; REVOKE CREATE ON SCHEMA public FROM PUBLIC");
    // In PostgreSQL 13 and 14, every role may create objects in the schema public by default.
    sql().run(
        "CREATE ROLE test_owner LOGIN; CREATE ROLE test_hostile LOGIN; CREATE ROLE "
        "test_writer LOGIN; CREATE ROLE test_member LOGIN IN ROLE test_owner; GRANT CREATE ON "
        "SCHEMA public TO PUBLIC; GRANT CREATE ON DATABASE "
        "postgres TO test_owner");
    Session owner(params_, "user=test_owner");
    CHECK_EQUAL(std::string(),
                owner.run("CREATE TABLE public.trapped (id text PRIMARY KEY, name varchar(80), "
                          "email varchar(80), role varchar(20), \"createdAt\" timestamptz NOT NULL "
                          "DEFAULT now()); GRANT ALL ON public.trapped TO test_writer"));
    // PostgreSQL would prefer functions with exactly these argument types to the built-in ones.
    Session hostile(params_, "user=test_hostile");
    std::string traps =
        "CREATE TABLE public.caught (who text); GRANT ALL ON public.caught TO PUBLIC;";
    const auto add_trap = [&](const std::string& name, const std::string& arguments,
                              const std::string& returns) {
        traps += "CREATE FUNCTION public." + name + "(" + arguments + ") RETURNS " + returns +
                 " LANGUAGE plpgsql AS 'BEGIN INSERT INTO public.caught VALUES (''" + name +
                 "'' || current_user); RETURN NULL; END';";
    };
    add_trap("starts_with", "name, text", "boolean");
    add_trap("quote_ident", "name", "text");
    add_trap("lower", "varchar", "text");
    add_trap("octet_length", "varchar", "integer");
    add_trap("length", "varchar", "integer");
    add_trap("regexp_replace", "varchar, text, text, text", "text");
    add_trap("to_regclass", "name", "regclass");
    add_trap("count", "varchar", "bigint");
    for (const auto& [name, left, right] : {std::tuple{"=", "oid", "regclass"},
                                            {"=", "oid", "regnamespace"},
                                            {"=", "oid", "regproc"},
                                            {"<>", "oid", "regclass"},
                                            {"=", "name", "varchar"},
                                            {"=", "varchar", "varchar"},
                                            {"||", "name", "text"},
                                            {"||", "varchar", "varchar"},
                                            {"||", "text", "varchar"},
                                            {"~~", "varchar", "text"},
                                            {"~~", "text", "varchar"},
                                            {"~~*", "varchar", "text"},
                                            {"<>", "varchar", "varchar"}}) {
        static int number = 0;
        const std::string function = "trap_" + std::to_string(++number);
        add_trap(function, std::string(left) + ", " + right, *name == '|' ? "text" : "boolean");
        traps += "CREATE OPERATOR public." + std::string(name) + " (LEFTARG = " + left +
                 ", RIGHTARG = " + right + ", FUNCTION = public." + function + ");";
    }
    CHECK_EQUAL(std::string(), hostile.run(traps));
    const std::vector<std::string> names = {"--tables", "public.trapped s a"};
    const auto expect_no_trap_called = [&](const std::string& what) {
        if (const std::string who = sql().value("SELECT min(who) FROM public.caught").value_or("");
            !who.empty())
            fail_test(what + " called " + who);
    };
    for (const char* who : {"test_member", "test_owner"}) {
        expect_ok(ctl_as(who, {names[0], names[1], "schema", "--scale"}));
        expect_no_trap_called("--scale");
        // Fire the triggers, and call the functions of the indexes.
        Session writer(params_, "user=test_writer");
        CHECK_EQUAL(std::string("42501"),
                    writer.run("SELECT useradmin_public_trapped.merge_counts()"));
        CHECK_EQUAL(std::string(),
                    writer.run("INSERT INTO public.trapped VALUES ('a', 'José Łuk', 'a', 'admin'), "
                               "('b', 'B', 'b', NULL); UPDATE public.trapped SET role = 'x'"));
        expect_no_trap_called("a write");
        CHECK_EQUAL(std::string(),
                    owner.run("ANALYZE public.trapped; REINDEX TABLE public.trapped"));
        expect_no_trap_called("maintenance");
        CHECK_EQUAL(std::string(), writer.run("DELETE FROM public.trapped"));
        expect_no_trap_called("a deletion");
        expect_ok(ctl_as(who, {names[0], names[1], "schema", "--no-scale"}));
        expect_no_trap_called("--no-scale");
    }
}

TEST(postgresql_scale, rejects_a_schema_of_another_role) {
    undo("DROP OWNED BY test_hostile CASCADE; DROP ROLE test_hostile");
    sql().run("CREATE ROLE test_hostile; CREATE SCHEMA useradmin_public_user AUTHORIZATION "
              "test_hostile; GRANT ALL ON SCHEMA useradmin_public_user TO PUBLIC");
    const CommandResult of_other = ctl({"schema", "--scale"});
    CHECK_EQUAL(1, of_other.status);
    CHECK(has(of_other.errors, "schema useradmin_public_user must belong to the owner"));
}

TEST(postgresql_scale, includes_users_without_a_name_or_an_address) {
    undo("DROP TABLE IF EXISTS nameless CASCADE; DROP SCHEMA IF EXISTS useradmin_public_nameless "
         "CASCADE");
    sql().run(
        "CREATE TABLE nameless (id text PRIMARY KEY, name text, email text, \"createdAt\" "
        "timestamptz NOT NULL DEFAULT now()); INSERT INTO nameless VALUES ('1', NULL, 'lea'), "
        "('2', 'Léa', NULL), ('3', NULL, NULL)");
    expect_ok(ctl({"--tables", "nameless s a", "schema", "--scale"}));
    sql().run("INSERT INTO nameless VALUES ('4', NULL, NULL); INSERT INTO nameless VALUES ('5', "
              "'Lea', NULL), ('6', NULL, 'LEA'); UPDATE nameless SET name = NULL WHERE id = '5'; "
              "UPDATE nameless SET name = 'lea' WHERE id = '4'");
    OpenStore store(params_, "", {"nameless", "s", "a"});
    CHECK(store.is_scaled());
    CHECK(has(store.search("lea"), " of 4"));
}

TEST(postgresql_scale, belongs_to_the_table_owner_and_readers_can_read_it) {
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
    const auto schema_arguments = [&](const char* option) {
        return std::vector<std::string>{names[0], names[1], "schema", option};
    };
    const store::TableNames tables{"shop.users", "s", "a"};
    sql().run("CREATE ROLE test_member LOGIN IN ROLE test_owner");
    undo("DROP ROLE test_member");
    CHECK(has(ctl_as("useradmin", schema_arguments("--scale")).errors,
              "is a superuser, but test_owner"));
    // The owner and a member of its role run the command. In both cases, the new objects belong to
    // the owner.
    for (const char* who : {"test_owner", "test_member"}) {
        expect_ok(ctl_as(who, schema_arguments("--scale")));
        CHECK_EQUAL(0, sql().number("SELECT count(*) FROM pg_proc p JOIN pg_namespace n ON n.oid = "
                                    "p.pronamespace WHERE n.nspname = 'useradmin_shop_users' AND "
                                    "p.proowner <> 'test_owner'::regrole"));
        for (const char* reader : {"test_owner", "test_reader"}) {
            OpenStore store(params_, std::string("user=") + reader, tables);
            CHECK(store.is_scaled());
            CHECK_EQUAL(std::string("a of 1"), store.search("jose"));
            CHECK_EQUAL(std::string("a of 1"), store.list({}, {20, 0}));
        }
        // A role that may change users needs no privileges on the counts.
        Session writer(params_, "user=test_reader");
        CHECK_EQUAL(std::string(), writer.run("INSERT INTO shop.users (id, name, email) VALUES ('" +
                                              std::string(who) + "', 'N', 'n')"));
        CHECK_EQUAL(std::string("42501"), writer.run("SELECT useradmin_shop_users.merge_counts()"));
        CHECK_EQUAL(std::string("42501"), writer.run("DELETE FROM useradmin_shop_users.counts"));
        OpenStore plain(params_, "user=test_stranger", tables);
        CHECK_FALSE(plain.is_scaled());
        CHECK_EQUAL(std::string("a of 1"), plain.search("José"));
        // A privilege granted later is copied when the command runs again.
        sql().run("GRANT SELECT ON shop.users TO test_late");
        CHECK_FALSE(OpenStore(params_, "user=test_late", tables).is_scaled());
        expect_ok(ctl_as(who, schema_arguments("--scale")));
        CHECK(OpenStore(params_, "user=test_late", tables).is_scaled());
        // A revocation is copied, too.
        sql().run("REVOKE SELECT ON shop.users FROM test_late; GRANT SELECT ON "
                  "useradmin_shop_users.counts TO PUBLIC");
        expect_ok(ctl_as(who, schema_arguments("--scale")));
        for (const char* revoked : {"test_late", "test_stranger"}) {
            Session late(params_, std::string("user=") + revoked);
            CHECK_EQUAL(std::string("42501"),
                        late.run("SELECT * FROM useradmin_shop_users.counts"));
        }
        CHECK(OpenStore(params_, "user=test_reader", tables).is_scaled());
        // A row security policy also applies to searches.
        sql().run("CREATE POLICY not_all ON shop.users FOR SELECT USING (id <> 'a'); ALTER TABLE "
                  "shop.users ENABLE ROW LEVEL SECURITY");
        OpenStore reader(params_, "user=test_reader", tables);
        CHECK_EQUAL(std::string("of 0"), reader.search("José"));
        CHECK_FALSE(reader.is_scaled());
        CHECK(OpenStore(params_, "user=test_owner", tables).is_scaled());
        sql().run("DROP POLICY not_all ON shop.users; ALTER TABLE shop.users DISABLE ROW LEVEL "
                  "SECURITY");
        sql().run("DELETE FROM shop.users WHERE id <> 'a'");
        expect_ok(ctl_as(who, schema_arguments("--no-scale")));
    }
    // Other roles are rejected.
    CHECK_EQUAL(1, ctl_as("test_reader", schema_arguments("--scale")).status);
}

TEST(postgresql_scale, is_unused_while_a_trigger_is_disabled) {
    sql().run(users(1, 20));
    scale();
    for (
        const char* statement :
        {R"(ALTER TABLE "user" DISABLE TRIGGER useradmin_scale_updated)",
         R"(ALTER TABLE "user" ENABLE REPLICA TRIGGER useradmin_scale_inserted)",
         R"(DROP TRIGGER useradmin_scale_truncated ON "user")",
         R"(DROP TRIGGER useradmin_scale_inserted ON "user"; DROP TRIGGER useradmin_scale_deleted ON "user";)"
         R"(DROP TRIGGER useradmin_scale_updated ON "user"; DROP TRIGGER useradmin_scale_truncated ON "user")"}) {
        CHECK(OpenStore(params_).is_scaled());
        sql().run(statement);
        sql().run(R"(UPDATE "user" SET role = 'admin' WHERE id = 'u5')");
        OpenStore store(params_);
        CHECK_FALSE(store.is_scaled());
        CHECK_EQUAL(std::string("u5 of 1"), store.list({"admin", {}}, {20, 0}));
        scale();
        check_counts();
        sql().run(R"(UPDATE "user" SET role = 'user' WHERE id = 'u5')");
        check_counts();
    }
}

TEST(postgresql_scale, can_be_removed_while_connections_are_open) {
    sql().run(users(1, 2000));
    std::atomic<bool> goes_on{true};
    std::atomic<int> lists{0};
    std::string unexpected[3];
    std::vector<std::thread> readers;
    for (std::string& own : unexpected)
        readers.emplace_back([&] {
            OpenStore store(params_);
            while (goes_on && own.empty()) {
                for (const auto& [is, must] :
                     {std::pair{store.list({}, {1, 0}), "u1 of 2000"},
                      std::pair{store.list({{}, "u77"}, {1, 0}), "u77 of 11"},
                      std::pair{store.list({"user", {}}, {1, 1500}), "u1501 of 2000"}})
                    if (is != must)
                        own = is;
                ++lists;
            }
        });
    std::string wrong;
    for (int round = 0; round < 6; ++round) {
        const CommandResult result = ctl({"schema", round % 2 == 0 ? "--scale" : "--no-scale"});
        if (result.status != 0)
            wrong += result.errors;
        const int before = lists;
        while (lists < before + 20 && unexpected[0].empty() && unexpected[1].empty() &&
               unexpected[2].empty())
            std::this_thread::yield();
    }
    goes_on = false;
    for (std::thread& reader : readers)
        reader.join();
    CHECK_EQUAL(std::string(), wrong);
    for (const std::string& each : unexpected)
        CHECK_EQUAL(std::string(), each);
}

} // namespace useradmin::test
