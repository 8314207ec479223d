// A superuser's session must not run code of a less privileged role.
#include "scene.hpp"

#include "support/hostile_schema.hpp"
#include "support/machine.hpp"

namespace useradmin::test {

namespace {

// Code that the tables' owner tries to run with the privileges of another role.
constexpr const char* trap = R"sql(
CREATE FUNCTION public.trap(text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE 'RESET ROLE';
    EXECUTE 'ALTER ROLE test_shop SUPERUSER';
    RETURN true;
EXCEPTION WHEN insufficient_privilege THEN
    RETURN true;
END $$;
CREATE FUNCTION public.trap(oid, regclass) RETURNS boolean LANGUAGE sql AS
    $$SELECT public.trap('') AND $1 OPERATOR(pg_catalog.=) $2::oid$$;
CREATE OPERATOR public.= (LEFTARG = oid, RIGHTARG = regclass, FUNCTION = public.trap);
)sql";

constexpr const char* view = R"sql(
ALTER TABLE "user" RENAME TO people;
CREATE VIEW "user" AS SELECT * FROM people WHERE public.trap(id);
)sql";

/// Creates an application's database, owned by the application's role.
class SuperuserScene : public Scene {
  public:
    void setup() override {
        Scene::setup();
        drop_database();
        sql().run("CREATE ROLE test_shop LOGIN");
        sql().run("CREATE DATABASE test_shop OWNER test_shop");
        params_ = database().params() + " dbname=test_shop";
    }
    void teardown() override { drop_database(); }

  protected:
    static void drop_database() {
        sql().run("DROP DATABASE IF EXISTS test_shop");
        sql().run("DROP SCHEMA IF EXISTS hostile CASCADE; ALTER ROLE useradmin RESET search_path");
        if (sql().number("SELECT count(*) FROM pg_roles WHERE rolname = 'test_shop'") > 0)
            sql().run("DROP OWNED BY test_shop; DROP ROLE test_shop");
    }

    /// Runs statements in the application's database under this role.
    void run_as(const std::string& role, const std::string& statements) const {
        Database("pgsql", params_ + " user=" + role).run(statements);
    }
    CommandResult ctl_as(const std::string& role, std::vector<std::string> arguments,
                         std::string_view input = "") const {
        arguments.insert(arguments.begin(),
                         {"--driver", "pgsql", "--params", params_ + " user=" + role});
        return ctl_without_database(std::move(arguments), input);
    }
    /// Creates the tables under the application's role.
    void create_tables() const {
        expect_ok(ctl_as("test_shop", {"schema"}));
        run_as("test_shop", R"(INSERT INTO "user" ("id", "name", "email", "emailVerified") VALUES )"
                            R"(('u', 'U', 'u@x.org', true))");
    }
    static bool is_escalated() {
        return sql().value("SELECT rolsuper FROM pg_roles WHERE rolname = 'test_shop'") != "f";
    }

    std::string params_;
};

} // namespace

TEST_GROUP_BASE(postgresql_superuser, SuperuserScene){};

TEST(postgresql_superuser, does_not_run_operators_of_the_database_owner) {
    create_tables();
    run_as("test_shop", trap);
    for (const char* path : {"public", "public, pg_catalog"}) {
        run_as("test_shop", "ALTER DATABASE test_shop SET search_path = " + std::string(path));
        const CommandResult ended = ctl_as("useradmin", {"check", "--verbose"});
        CHECK_FALSE(is_escalated());
        CHECK_TEXT(has(ended.output, "the rows were not read: useradmin is a superuser, but "
                                     "test_shop, which owns table"),
                   ended.output.c_str());
        CHECK(has(ended.output, "table         \"user\": id text"));
        CHECK_TEXT(ended.output.starts_with("No problems found, but some checks could not be"),
                   ended.output.c_str());
    }
}

TEST(postgresql_superuser, does_not_run_views_of_the_table_owner) {
    create_tables();
    run_as("test_shop", std::string(trap) + view);
    const std::string dump = file("import.jsonl", R"({"email": "i@x.org", "name": "I"})"
                                                  "\n");
    const std::vector<std::vector<std::string>> commands = {
        {"check"},
        {"schema"},
        {"list"},
        {"show", "u@x.org"},
        {"create", "--email", "c@x.org", "--name", "C"},
        {"role", "u@x.org", "admin"},
        {"ban", "u@x.org"},
        {"passwd", "u@x.org"},
        {"delete", "u@x.org", "--yes"},
        {"export"},
        {"import", dump},
        {"session", "list", "u@x.org"},
    };
    for (const std::vector<std::string>& command : commands) {
        const CommandResult ended = ctl_as("useradmin", command, "s3cr3t word\n");
        CHECK_FALSE_TEXT(is_escalated(), command.front().c_str());
        if (command.front() == "check")
            continue;
        CHECK_EQUAL_TEXT(1, ended.status, command.front().c_str());
        CHECK_TEXT(has(ended.errors, "log in as test_shop or a member of it"),
                   (command.front() + ": " + ended.errors).c_str());
    }
    // SET ROLE is no protection, because the code can call RESET ROLE.
    run_as("useradmin", R"(SET ROLE test_shop; SELECT count(*) FROM "user")");
    CHECK(is_escalated());
}

TEST(postgresql_superuser, is_warned_of_other_trigger_owners) {
    create("a@x.org");
    sql().run(R"(GRANT ALL ON "account" TO test_shop)");
    const CommandResult rejected = ctl({"list"});
    CHECK_EQUAL(1, rejected.status);
    CHECK_TEXT(has(rejected.errors, "useradmin is a superuser, but test_shop, which can attach "
                                    "triggers to or replace table \"account\", is not"),
               rejected.errors.c_str());
    sql().run(R"(REVOKE TRIGGER, REFERENCES ON "account" FROM test_shop)");
    expect_ok(ctl({"list"}));
}

TEST(postgresql_superuser, is_not_needed_by_a_member_of_the_owner) {
    create_tables();
    sql().run("CREATE ROLE test_root LOGIN IN ROLE test_shop");
    const CommandResult listed = ctl_as("test_root", {"list"});
    const CommandResult checked = ctl_as("test_root", {"check", "--verbose"});
    run_as("test_shop", R"(DROP TABLE "useradmin_revocation")");
    const CommandResult created = ctl_as("test_root", {"schema"});
    // If the table belonged to test_root, httpd would ignore it.
    CHECK_EQUAL(
        std::string("test_shop"),
        Database("pgsql", params_ + " user=test_shop")
            .value("SELECT tableowner FROM pg_tables WHERE tablename = 'useradmin_revocation'")
            .value_or("(none)"));
    sql().run("DROP ROLE test_root");
    expect_ok(listed);
    expect_ok(created);
    CHECK_FALSE(has(checked.output, "the rows were not read"));
}

TEST(postgresql_superuser, ignores_objects_that_shadow_built_in_ones) {
    create("a@x.org", "Ana", "superAdmin");
    sql().run(hostile_schema());
    const std::string dump = path("dump.jsonl");
    const std::string more = file("more.jsonl", R"({"email": "i@x.org", "name": "I"})"
                                                "\n");
    const std::vector<std::vector<std::string>> commands = {
        {"check"},
        {"list", "--search", "a"},
        {"create", "--email", "c@x.org", "--name", "C", "--hash", "argon2id m=8 t=1"},
        {"role", "c@x.org", "admin"},
        {"ban", "c@x.org"},
        {"passwd", "c@x.org", "--hash", "argon2id m=8 t=1"},
        {"delete", "c@x.org", "--yes"},
        {"export", dump},
        {"import", more, "--hash", "argon2id m=8 t=1"},
        {"import", more, "--on-conflict", "skip"},
        {"import", more, "--on-conflict", "update"},
        {"session", "list", "a@x.org"},
        {"schema"},
        {"--tables", "other_user other_session other_account", "schema", "--force"},
    };
    for (const char* search_path : {"hostile, public"}) {
        sql().run("ALTER ROLE useradmin SET search_path = " + std::string(search_path));
        for (const std::vector<std::string>& command : commands)
            expect_ok(ctl(command, "s3cr3t word\n"));
        sql().run("DROP TABLE IF EXISTS hostile.other_session, hostile.other_account, "
                  "hostile.other_user");
    }
}

TEST(postgresql_superuser, creates_a_database_in_which_only_the_owner_creates_objects) {
    // In PostgreSQL 13 and 14, every role may create objects in the schema public by default.
    sql().run("ALTER DATABASE template0 ALLOW_CONNECTIONS true");
    Database("pgsql", database().params() + " dbname=template0")
        .run("GRANT CREATE ON SCHEMA public TO PUBLIC");
    const CommandResult made =
        test::run({{machine::postgresql("psql"), "-X", "-q", "-d", database().params(), "-v",
                    "database=test_new", "-v", "owner=test_owner", "-v", "httpd=test_httpd", "-f",
                    machine::source("sql/postgresql/new_database.psql").string()}});
    Database("pgsql", database().params() + " dbname=template0")
        .run("REVOKE CREATE ON SCHEMA public FROM PUBLIC");
    sql().run("ALTER DATABASE template0 ALLOW_CONNECTIONS false");
    std::optional<std::string> rights;
    if (made.status == 0)
        rights = Database("pgsql", database().params() + " dbname=test_new")
                     .value("SELECT has_schema_privilege('test_owner', 'public', 'CREATE') || ' ' "
                            "|| has_schema_privilege('test_httpd', 'public', 'CREATE') || ' ' || "
                            "has_table_privilege('test_httpd', '\"user\"', 'INSERT')");
    sql().run("DROP DATABASE IF EXISTS test_new");
    sql().run("DROP ROLE IF EXISTS test_owner, test_httpd");
    CHECK_EQUAL_TEXT(0, made.status, made.errors.c_str());
    CHECK_EQUAL(std::string("true false true"), rights.value_or("(none)"));
}

} // namespace useradmin::test
