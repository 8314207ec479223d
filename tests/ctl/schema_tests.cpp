// useradminctl schema, and tables with different names.
#include "scene.hpp"
#include "support/files.hpp"
#include "support/machine.hpp"
#include "support/process.hpp"
#include "support/text.hpp"

#include <chrono>
#include <filesystem>
#include <sys/stat.h>

namespace useradmin::test {

namespace {

/// Returns SQL that creates an application's tables as better-auth does.
std::string application_tables(const std::string& time) {
    return "CREATE TABLE \"user\" (\"id\" text NOT NULL PRIMARY KEY, \"name\" text NOT NULL, "
           "\"email\" text NOT NULL UNIQUE, \"emailVerified\" boolean NOT NULL, \"image\" text, "
           "\"createdAt\" " +
           time + " NOT NULL, \"updatedAt\" " + time +
           " NOT NULL, \"role\" text, \"banned\" boolean, \"banReason\" text, \"banExpires\" " +
           time + "); CREATE TABLE \"session\" (\"id\" text NOT NULL PRIMARY KEY, \"expiresAt\" " +
           time + " NOT NULL, \"token\" text NOT NULL UNIQUE, \"createdAt\" " + time +
           " NOT NULL, \"updatedAt\" " + time +
           " NOT NULL, \"ipAddress\" text, \"userAgent\" text, \"userId\" text NOT NULL, "
           "\"impersonatedBy\" text); CREATE INDEX \"session_userId_idx\" ON \"session\" "
           "(\"userId\"); CREATE TABLE \"account\" (\"id\" text NOT NULL PRIMARY KEY, "
           "\"accountId\" text NOT NULL, \"providerId\" text NOT NULL, \"userId\" text NOT NULL, "
           "\"accessToken\" text, \"refreshToken\" text, \"idToken\" text, "
           "\"accessTokenExpiresAt\" " +
           time + ", \"refreshTokenExpiresAt\" " + time +
           ", \"scope\" text, \"password\" text, \"createdAt\" " + time +
           " NOT NULL, \"updatedAt\" " + time +
           " NOT NULL); CREATE TABLE \"post\" (\"id\" text); CREATE INDEX \"post_newest_idx\" "
           "ON \"post\" (\"id\"); INSERT INTO \"user\" (\"id\", \"name\", \"email\", "
           "\"emailVerified\", \"createdAt\", \"updatedAt\") VALUES ('ana-1', 'Ana', 'ana@x.org', "
           "TRUE, '2026-01-01', '2026-01-01')";
}

/// Returns the command line that creates the tables in an SQLite file.
std::vector<std::string> schema_command(const std::string& params) {
    return {machine::built("useradminctl").string(),
            "--driver",
            "sqlite3",
            "--params",
            params,
            "schema"};
}

} // namespace

TEST_GROUP_BASE(schema_of_file, Scene){};

TEST(schema_of_file, waits_while_another_process_writes) {
    const std::string name = path("written.db");
    Database writer("sqlite3", name);
    writer.run("PRAGMA journal_mode = WAL; BEGIN IMMEDIATE; CREATE TABLE other (id text)");
    const std::string out = path("written.out");
    Process creating({schema_command(name), environment()}, out);
    const std::filesystem::path process = "/proc/" + std::to_string(creating.id());
    // With the file open, only the wait for the lock puts the process to sleep for long.
    int asleep = 0;
    CHECK(eventually([&] {
        std::error_code ended;
        bool is_open = false;
        for (const auto& each : std::filesystem::directory_iterator(process / "fd", ended))
            is_open = is_open || std::filesystem::read_symlink(each, ended) == name;
        asleep = is_open && status_field(process, "State").starts_with("S") ? asleep + 1 : 0;
        return asleep == 3 || !creating.running();
    }));
    CHECK(creating.running());
    writer.run("COMMIT");
    CHECK(creating.exits_within(std::chrono::seconds(60)));
    CHECK_TEXT(has(read_file(out), "The tables were created."), read_file(out).c_str());
}

TEST(schema_of_file, needs_a_write_ahead_log) {
    // This VFS of SQLite has no shared memory.
    const CommandResult ended = test::run(
        {schema_command("file:" + path("unshared.db") + "?vfs=unix-none"), environment()});
    CHECK_EQUAL(1, ended.status);
    CHECK_TEXT(has(ended.errors, "the file cannot have a write-ahead log"), ended.errors.c_str());
}

class SchemaScene : public Scene {
  protected:
    const std::string tables = "app_user app_session app_account";

    void teardown() override {
        Scene::teardown();
        for (const char* table :
             {"app_session", "app_account", "app_user", "user_session", "account_", "user_"})
            sql().run("DROP TABLE IF EXISTS \"" + std::string(table) + "\"");
        if (is_postgresql())
            sql().run("DROP SCHEMA IF EXISTS auth CASCADE");
    }

    /// Runs a PostgreSQL program that must succeed. Returns its output without lines that vary.
    static std::string run_postgresql(std::vector<std::string> words) {
        words.front() = machine::postgresql(words.front()).string();
        const CommandResult ended = test::run({words});
        CHECK_TEXT(ended.status == 0, ended.errors.c_str());
        std::string output;
        for (const std::string& line : lines_of(ended.output))
            if (line.find("restrict ") == line.npos)
                output += line + "\n";
        return output;
    }
};

TEST_GROUP_BASE(schema, SchemaScene){};
TEST_GROUP_BASE(postgresql_schema, SchemaScene){};
TEST_GROUP_BASE(sqlite_schema, SchemaScene){};

TEST(schema, that_already_exists_is_left_unchanged) {
    create("ana@x.org");
    CHECK(has(expect_ok(ctl({"schema"})), "The tables exist; nothing was changed."));
    const Json json(ctl({"schema", "--json"}).output);
    CHECK_EQUAL(std::string("false"), json.at("data.tablesLaid"));
    CHECK_EQUAL(0, json.size("data.columnsAdded"));
    CHECK_EQUAL(1, sql().number(R"(SELECT count(*) FROM "user")"));
}

TEST(schema, creates_tables_with_other_names) {
    CHECK_EQUAL(std::string("The tables were created."),
                expect_ok(ctl({"--tables", tables, "schema", "--force"})));
    const auto run_with_tables = [&](std::vector<std::string> arguments,
                                     std::string_view input = "") {
        arguments.insert(arguments.begin(), {"--tables", tables});
        return expect_ok(ctl(std::move(arguments), input));
    };
    const std::string id =
        run_with_tables({"create", "--email", "ana@x.org", "--name", "A"}, "s3cr3t word\n");
    CHECK_EQUAL(std::size_t(32), run_with_tables({"session", "open", id}).size());
    CHECK(has(run_with_tables({"session", "list", "ana@x.org"}), "1 session"));
    run_with_tables({"role", id, "admin"});
    run_with_tables({"ban", id});
    run_with_tables({"unban", id});
    run_with_tables({"passwd", id}, "s3cr3t word\n");
    CHECK(has(run_with_tables({"list"}), "1 user, page 1 of 1"));
    CHECK(has(run_with_tables({"check", "--verbose"}),
              "UserAdminTables app_user app_session app_account"));
    run_with_tables({"delete", id, "--yes"});
    CHECK_EQUAL(0, sql().number(R"(SELECT count(*) FROM "app_user")"));
    CHECK_EQUAL(0, sql().number(R"(SELECT count(*) FROM "user")"));
}

TEST(schema, creates_tables_with_names_that_contain_other_names) {
    const std::string names = "user_ user_session account_";
    expect_ok(ctl({"--tables", names, "schema", "--force"}));
    CHECK(has(expect_ok(ctl({"--tables", names, "schema"})),
              "The tables exist; nothing was changed."));
}

TEST(schema, creates_tables_in_a_schema_of_postgresql) {
    if (!is_postgresql()) {
        CHECK_EQUAL(2, ctl({"--tables", "a.user a.session a.account", "schema"}).status);
        return;
    }
    const char* names = "auth.user auth.session auth.account";
    CHECK_EQUAL(1, ctl({"--tables", names, "schema", "--force"}).status);
    sql().run("CREATE SCHEMA auth");
    expect_ok(ctl({"--tables", names, "schema", "--force"}));
    expect_ok(ctl({"--tables", names, "create", "--email", "a@x", "--name", "A"}, "s3cr3t word\n"));
    CHECK_EQUAL(1, sql().number("SELECT count(*) FROM auth.account"));
    const Json json(ctl({"--tables", names, "check", "--json"}).output);
    CHECK_EQUAL(0, json.size("data.problems"));
    CHECK_EQUAL(3, json.size("data.notes"));
}

TEST(schema, removal_keeps_the_objects_of_the_application) {
    if (is_postgresql())
        sql().run("CREATE DATABASE removal");
    const std::string params =
        is_postgresql() ? database().params() + " dbname=removal" : path("removal.db");
    const std::string folder = is_postgresql() ? "postgresql" : "sqlite";
    const std::string file = machine::source("sql/" + folder + "/remove.sql").string();
    const auto execute = [&](const std::string& statements) {
        Database(database().driver(), params).run(statements);
    };
    const auto remove_objects = [&] {
        if (is_postgresql())
            run_postgresql({"psql", "-X", "-q", "-d", params, "-v", "ON_ERROR_STOP=1", "-f", file});
        else
            execute(read_file(file));
    };
    // The complete content of the database.
    const auto dump = [&] {
        if (is_postgresql())
            return run_postgresql({"pg_dump", "-d", params});
        return Database(database().driver(), params)
            .column("SELECT coalesce(sql, name) FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' "
                    "ORDER BY name");
    };
    const auto run_on_database = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"--driver", database().driver(), "--params", params});
        return expect_ok(ctl_without_database(std::move(arguments)));
    };
    execute(application_tables(is_postgresql() ? "timestamptz" : "date"));
    if (is_postgresql())
        execute("CREATE EXTENSION pg_trgm; CREATE SCHEMA useradmin_reports; "
                "CREATE TABLE useradmin_reports.counts (id integer)");
    const std::string before = dump();
    run_on_database({"schema"});
    if (is_postgresql())
        run_on_database({"schema", "--scale"});
    run_on_database({"ban", "ana@x.org"});
    run_on_database({"unban", "ana@x.org"});
    execute("CREATE INDEX \"session_impersonatedBy_idx\" ON \"session\" (\"impersonatedBy\")");
    CHECK(dump() != before);
    remove_objects();
    execute("UPDATE \"user\" SET \"banned\" = NULL, \"banReason\" = NULL, \"updatedAt\" = "
            "'2026-01-01'");
    CHECK_EQUAL(before, dump());
    remove_objects();
    CHECK_EQUAL(before, dump());
    if (is_postgresql())
        sql().run("DROP DATABASE removal");
}

TEST(schema, adds_missing_columns_in_the_naming_style_of_the_table) {
    expect_ok(ctl({"--tables", tables, "schema", "--force"}));
    for (const char* column : {"banReason", "banExpires"})
        sql().run("ALTER TABLE app_user DROP COLUMN \"" + std::string(column) + "\"");
    CHECK_EQUAL(std::string("Missing columns were added: banReason, banExpires."),
                expect_ok(ctl({"--tables", tables, "schema", "--force"})));
    // SQLite's ALTER TABLE does not notice changes by another process, so run another statement
    // first.
    sql().run("DELETE FROM app_user");
    for (const char* column : {"banReason", "banExpires"})
        sql().run("ALTER TABLE app_user DROP COLUMN \"" + std::string(column) + "\"");
    sql().run("ALTER TABLE app_user RENAME COLUMN \"emailVerified\" TO email_verified");
    const Json json(ctl({"--tables", tables, "schema", "--force", "--json"}).output);
    CHECK_EQUAL(std::string("ban_reason"), json.at("data.columnsAdded.0"));
    CHECK_EQUAL(std::string("ban_expires"), json.at("data.columnsAdded.1"));
}

TEST(sqlite_schema, is_the_only_command_that_creates_the_sqlite_file) {
    const std::string name = path("new.db");
    const std::vector<std::string> where = {"--driver", "sqlite3", "--params", name};
    const auto run_command = [&](const char* command) {
        auto arguments = where;
        arguments.emplace_back(command);
        return ctl_without_database(arguments);
    };
    const CommandResult ended = run_command("list");
    CHECK_EQUAL(1, ended.status);
    CHECK(has(ended.errors, "create it with 'useradminctl schema'"));
    CHECK_FALSE(std::filesystem::exists(name));
    expect_ok(run_command("schema"));
    expect_ok(run_command("check"));
    std::filesystem::remove(name);
}

TEST(schema, creates_only_missing_tables) {
    expect_ok(ctl({"--tables", tables, "schema", "--force"}));
    expect_ok(
        ctl({"--tables", tables, "create", "--email", "a@x", "--name", "A"}, "s3cr3t word\n"));
    sql().run("DROP INDEX app_user_newest_idx");
    for (const char* table : {"app_session", "app_account"}) {
        sql().run("DROP TABLE " + std::string(table));
        CHECK_EQUAL(std::string("Missing tables were created."),
                    expect_ok(ctl({"--tables", tables, "schema", "--force"})));
        CHECK_EQUAL(0, sql().number("SELECT count(*) FROM " + std::string(table)));
        CHECK(
            has(expect_ok(ctl({"--tables", tables, "schema", "--force"})), "nothing was changed"));
    }
    CHECK_EQUAL(1, sql().number("SELECT count(*) FROM app_user"));
    // The missing index is not created, because this would lock a large table.
    CHECK(
        has(expect_ok(ctl({"--tables", tables, "check", "--verbose"})), "\"app_user_newest_idx\""));
}

TEST(schema, creates_its_own_missing_tables) {
    for (const char* const table :
         {"useradmin_revocation", "useradmin_disabled_key", "useradmin_attempt"}) {
        sql().run("DROP TABLE " + std::string(table));
        CHECK_EQUAL(std::string("Missing tables were created."), expect_ok(ctl({"schema"})));
        CHECK_EQUAL(0, sql().number("SELECT count(*) FROM " + std::string(table)));
    }
    sql().run("DROP TABLE useradmin_revocation");
    // Its columns user_id and session_id start like table names, but --tables must not change them.
    const auto run_with_tables = [&](std::vector<std::string> arguments,
                                     std::string_view input = "") {
        arguments.insert(arguments.begin(), {"--tables", tables});
        return expect_ok(ctl(std::move(arguments), input));
    };
    run_with_tables({"schema", "--force"});
    const std::string id =
        run_with_tables({"create", "--email", "a@x", "--name", "A"}, "s3cr3t word\n");
    run_with_tables({"ban", id});
    CHECK_EQUAL(id, sql().value("SELECT user_id FROM useradmin_revocation").value_or(""));
}

TEST(schema, keeps_a_table_of_disabled_keys_with_other_columns) {
    change("ALTER TABLE useradmin_disabled_key RENAME COLUMN key_id TO other",
           "ALTER TABLE useradmin_disabled_key RENAME COLUMN other TO key_id");
    CHECK_EQUAL(std::string("The tables exist; nothing was changed."), expect_ok(ctl({"schema"})));
}

TEST(schema, rejects_a_second_set_of_tables_without_force) {
    for (const char* const names : {"users sessions accounts", "user session accounts"}) {
        const CommandResult ended = ctl({"--tables", names, "schema"});
        CHECK_EQUAL(1, ended.status);
        CHECK(has(ended.errors, "set UserAdminTables user session account;"));
        CHECK(has(ctl({"--tables", names, "check"}).output,
                  "set UserAdminTables user session account"));
    }
    const char* const catalog =
        is_postgresql() ? "pg_class WHERE relname" : "sqlite_master WHERE name";
    CHECK_EQUAL(0, sql().number("SELECT count(*) FROM " + std::string(catalog) +
                                " IN ('users', 'sessions', 'accounts')"));
    expect_ok(ctl({"--tables", tables, "schema", "--force"}));
}

TEST(postgresql_schema, may_be_run_on_several_servers_at_once) {
    std::vector<std::unique_ptr<Process>> servers;
    for (int number = 0; number < 6; ++number)
        servers.push_back(std::make_unique<Process>(
            Command{words({"--tables", tables, "schema", "--force"}), environment(), {}},
            path("schema" + std::to_string(number))));
    int created = 0;
    for (int number = 0; number < 6; ++number) {
        CHECK_TRUE(servers[number]->exits_within(std::chrono::seconds(300)));
        const std::string output = read_file(path("schema" + std::to_string(number)));
        if (output == "The tables were created.\n")
            ++created;
        else
            CHECK_EQUAL(std::string("The tables exist; nothing was changed.\n"), output);
    }
    CHECK(created >= 1);
}

TEST(postgresql_schema, waits_for_a_long_reader_without_blocking_others) {
    expect_ok(ctl({"--tables", tables, "schema", "--force"}));
    sql().run("ALTER TABLE app_user DROP COLUMN \"banReason\"");
    test::Database reader(database().driver(), database().params());
    reader.run("BEGIN; LOCK TABLE app_user IN ACCESS SHARE MODE");
    const std::string out = path("schema-waits");
    Process process({words({"--tables", tables, "schema"}), environment()}, out);
    CHECK(eventually([&] {
        return sql().number("SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = "
                            "'app_user'::regclass") > 0 ||
               !process.running();
    }));
    CHECK_TEXT(process.running(), read_file(out).c_str());
    sql().run("SET statement_timeout = '60s'");
    CHECK_EQUAL(0, sql().number("SELECT count(*) FROM app_user"));
    sql().run("RESET statement_timeout");
    CHECK(process.running());
    reader.run("COMMIT");
    CHECK(process.exits_within(std::chrono::seconds(60)));
    CHECK_EQUAL(std::string("Missing columns were added: banReason.\n"), read_file(out));
}

TEST(schema, changes_nothing_if_it_fails) {
    // The index on "verification" is created last. On a view, this fails.
    sql().run("DROP INDEX \"verification_identifier_idx\"; ALTER TABLE \"verification\" RENAME TO "
              "\"kept\"; CREATE VIEW \"verification\" AS SELECT 1 AS \"identifier\"");
    const CommandResult ended = ctl({"--tables", tables, "schema", "--force"});
    sql().run("DROP VIEW \"verification\"; ALTER TABLE \"kept\" RENAME TO \"verification\"; "
              "CREATE INDEX \"verification_identifier_idx\" ON \"verification\" (\"identifier\")");
    CHECK_EQUAL(1, ended.status);
    const char* const catalog =
        is_postgresql() ? "pg_class WHERE relname" : "sqlite_master WHERE name";
    CHECK_EQUAL(0, sql().number("SELECT count(*) FROM " + std::string(catalog) + " = 'app_user'"));
}

TEST(sqlite_schema, creates_a_private_sqlite_file) {
    const std::string name = path("private.db");
    const auto mode_of = [](const std::string& file) {
        return std::filesystem::status(file).permissions() & std::filesystem::perms::all;
    };
    const auto owner_alone =
        std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;
    const auto before = ::umask(022);
    const std::string said =
        expect_ok(ctl_without_database({"--driver", "sqlite3", "--params", name, "schema"}));
    CHECK(has(said,
              name + " is accessible only to its owner. The file and its directory must be owned"));
    CHECK(mode_of(name) == owner_alone);
    CHECK_FALSE(std::filesystem::exists(name + "-wal"));
    {
        Database reader("sqlite3", name);
        reader.run("DELETE FROM \"user\"");
        CHECK(mode_of(name + "-wal") == owner_alone);
        CHECK(mode_of(name + "-shm") == owner_alone);
    }
    // An existing file keeps its mode.
    std::filesystem::permissions(name, std::filesystem::perms::group_read,
                                 std::filesystem::perm_options::add);
    const std::string again =
        expect_ok(ctl_without_database({"--driver", "sqlite3", "--params", name, "schema"}));
    CHECK_FALSE(has(again, "accessible only to its owner"));
    CHECK(mode_of(name) == (owner_alone | std::filesystem::perms::group_read));
    ::umask(before);
    std::filesystem::remove(name);
}

TEST(sqlite_schema, leaves_no_empty_file_after_a_failure) {
    const std::string name = path("failed.db");
    const CommandResult ended =
        ctl_without_database({"--driver", "sqlite3", "--params", name, "--tables",
                              "a.user a.session a.account", "schema"});
    CHECK_EQUAL(2, ended.status);
    CHECK_FALSE(std::filesystem::exists(name));
    const std::string config = file("init.conf", "DBDriver sqlite3\nDBDParams \"" + name +
                                                     "\"\nDBDInitSQL \"SELECT no\"\n");
    CHECK_EQUAL(1, ctl_without_database({"--config", config, "schema"}).status);
    CHECK_FALSE(std::filesystem::exists(name));
}

TEST(schema, reports_a_missing_column_with_a_remedy) {
    expect_ok(ctl({"--tables", tables, "schema", "--force"}));
    const std::string id = expect_ok(
        ctl({"--tables", tables, "create", "--email", "a@x", "--name", "A"}, "s3cr3t word\n"));
    for (const char* column : {"banReason", "banExpires", "banned"})
        sql().run("ALTER TABLE app_user DROP COLUMN \"" + std::string(column) + "\"");
    const CommandResult ended = ctl({"--tables", tables, "ban", id});
    CHECK_EQUAL(1, ended.status);
    CHECK(has(ended.errors, "has no column \"banned\"; add it with 'useradminctl schema'"));
    sql().run("ALTER TABLE app_user ADD COLUMN \"banned\" " +
              std::string(is_postgresql() ? "boolean" : "integer"));
    CHECK_EQUAL(0, ctl({"--tables", tables, "ban", id}).status);
    CHECK_EQUAL(1, ctl({"--tables", tables, "ban", id, "--reason", "spam"}).status);
    CHECK_EQUAL(1, ctl({"--tables", tables, "ban", id, "--expires", "7d"}).status);
}

} // namespace useradmin::test
