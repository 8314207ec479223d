#include "scene.hpp"
#include "support/files.hpp"
#include "support/machine.hpp"
#include "support/process.hpp"
#include "support/text.hpp"

#include <algorithm>

namespace useradmin::test {

namespace {

const std::string scrypt_hash = std::string(32, 'a') + ":" + std::string(128, 'b');
const std::string argon2_hash = "$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$c29tZWhhc2hzb21laGFzaA";

constexpr std::string_view no_users = "the application has no users yet, so the UserAdminEmailCase";

std::string with_name(std::string form, const std::string& name) {
    const std::size_t at = form.find('@');
    return at == form.npos ? form : form.replace(at, 1, name);
}

/// Returns whether an element of the array with this key contains the part.
bool any_contains(const Json& json, const std::string& key, std::string_view part) {
    for (int each = 0; each < json.size(key); ++each)
        if (has(json.at(key + "." + std::to_string(each)), part))
            return true;
    return false;
}

class Check : public Scene {
  protected:
    /// Runs the statements in this list that check suggests and that start with this word.
    static void run_suggested(const Json& json, const std::string& list, std::string_view start) {
        for (int each = 0; each < json.size(list); ++each) {
            const std::string text = json.at(list + "." + std::to_string(each));
            if (const auto at = text.find(start); at != std::string::npos)
                sql().run(text.substr(at));
        }
    }
    /// Renames a table until the test ends.
    static void rename_table(const std::string& name) {
        change("ALTER TABLE " + name + " RENAME TO other", "ALTER TABLE other RENAME TO " + name);
    }
    /// Creates the table of better-auth's twoFactor plugin, with or without its flag in "user".
    static void add_second_factors(bool has_flag) {
        change(R"(CREATE TABLE "twoFactor" (id text, secret text, "backupCodes" text,
                      "userId" text, "lockedUntil" timestamp))",
               R"(DROP TABLE "twoFactor")");
        if (has_flag)
            change(R"(ALTER TABLE "user" ADD COLUMN "twoFactorEnabled" boolean)",
                   R"(ALTER TABLE "user" DROP COLUMN "twoFactorEnabled")");
    }
};

} // namespace

class CheckTables : public Check {
  protected:
    const std::string tables = "app_user app_session app_account";
    bool has_tables = false;

    void teardown() override {
        Check::teardown();
        if (has_tables)
            for (const char* table : {"app_session", "app_account", "app_user"})
                sql().run("DROP TABLE IF EXISTS \"" + std::string(table) + "\"");
    }

    /// Creates separate tables that a test may damage.
    void create_tables() {
        has_tables = true;
        expect_ok(ctl({"--tables", tables, "schema", "--force"}));
    }

    /// Alters the three tables. "@" stands for a table's name.
    static void alter_all(const std::string& before, const std::string& after) {
        for (const std::string table : {"user", "session", "account"})
            sql().run("ALTER TABLE " + with_name(before, table) + with_name(after, table));
    }
    static std::string suggested_directive() {
        return Json(ctl({"check", "--json"}).output).at("data.directives.0");
    }

    /// Gives createdAt another type. The table must be empty.
    static void set_type_of_created_at(const std::string& type) {
        sql().run("DROP INDEX IF EXISTS app_user_newest_idx; DROP INDEX IF EXISTS "
                  "app_user_role_newest_idx; ALTER TABLE app_user DROP COLUMN \"createdAt\"; "
                  "ALTER TABLE app_user ADD COLUMN \"createdAt\" " +
                  type);
    }

    /// Adds a user with an account, as better-auth does.
    void add_user(const std::string& id, const std::string& email, const std::string& account_id,
                  const std::string& hash) {
        sql().insert("user",
                     {{"id", id}, {"name", "N"}, {"email", email}, {"emailVerified", "FALSE"}});
        sql().insert("account", {{"id", "account-" + id},
                                 {"accountId", account_id},
                                 {"providerId", "credential"},
                                 {"userId", id},
                                 {"password", hash}});
    }

    /// Runs check and expects this exit status. Returns its JSON output.
    static Json run_check(int status, std::vector<std::string> arguments = {},
                          SourceLocation where = {}) {
        arguments.insert(arguments.begin(), {"check", "--json"});
        const CommandResult ended = ctl(std::move(arguments));
        if (ended.status != status)
            fail_test("status " + std::to_string(ended.status) + ": " + ended.output, where);
        return Json(ended.output, where);
    }
};

TEST_GROUP_BASE(check, CheckTables){};
TEST_GROUP_BASE(postgresql_check, CheckTables){};
TEST_GROUP_BASE(sqlite_check, CheckTables){};

TEST(check, finds_no_problem_in_a_new_schema) {
    const Json json = run_check(0);
    CHECK_EQUAL(std::string("true"), json.at("success"));
    CHECK_EQUAL(database().driver(), json.at("data.driver"));
    CHECK_EQUAL(11, json.size("data.tables.user.columns"));
    CHECK_EQUAL(std::string("id"), json.at("data.tables.user.columns.0.name"));
    CHECK_EQUAL(std::string("text; new ones are random UUIDs"), json.at("data.service.ids"));
    CHECK_EQUAL(std::string("absent; nothing is written"), json.at("data.service.issuer"));
    CHECK_EQUAL(0, json.size("data.problems"));
    CHECK_EQUAL(0, json.size("data.directives"));
    CHECK(has(expect_ok(ctl({"check"})), "No problems found."));
}

TEST(check, suggests_directives_from_better_auths_rows) {
    add_user("u1", "a@x.org", "u1", scrypt_hash);
    add_user("u2", "b@x.org", "u2", scrypt_hash);
    const Json json = run_check(0);
    for (const char* directive :
         {"UserAdminAccountId user-id", "UserAdminEmailCase lower", "UserAdminPasswordHash scrypt"})
        CHECK_TEXT(any_contains(json, "data.directives", directive), directive);
}

TEST(check, suggests_directives_from_rows_with_the_address) {
    add_user("u1", "Ana@x.org", "Ana@x.org", argon2_hash);
    const Json json = run_check(0);
    for (const char* directive :
         {"UserAdminAccountId email", "UserAdminEmailCase keep", "UserAdminPasswordHash argon2id"})
        CHECK_TEXT(any_contains(json, "data.directives", directive), directive);
}

TEST(check, does_not_mistake_the_services_rows_for_the_applications) {
    create("ANA@x.org");
    const Json json = run_check(0);
    CHECK(any_contains(json, "data.notes", no_users));
    CHECK_EQUAL(0, json.size("data.directives"));
    CHECK(any_contains(json, "data.notes", "which UserAdminAccountId it requires"));
}

TEST(check, does_not_mistake_users_without_a_password_for_the_applications) {
    expect_ok(ctl({"import", "-"}, R"({"name":"Bo","email":"bo@x.org"})"
                                   "\n"));
    expect_ok(
        ctl({"import", "-"},
            R"({"name":"Cy","email":"cy@x.org","emailVerified":false,"password":"s3cr3t word"})"
            "\n"));
    CHECK(any_contains(run_check(0, {"--email-case", "keep"}), "data.notes", no_users));
    // better-auth's own ids are not UUIDs.
    sql().run("INSERT INTO \"user\" (\"id\", \"name\", \"email\", \"emailVerified\", "
              "\"createdAt\", \"updatedAt\") SELECT 'u1', 'Di', 'di@x.org', \"emailVerified\", "
              "\"createdAt\", \"updatedAt\" FROM \"user\" WHERE \"email\" = 'bo@x.org'");
    CHECK_FALSE(any_contains(run_check(0), "data.notes", no_users));
}

TEST(check, draws_no_conclusions_from_a_later_password_of_an_imported_user) {
    expect_ok(ctl({"import", "-"}, R"({"name":"Bo","email":"bo@x.org"})"
                                   "\n"));
    expect_ok(ctl({"passwd", "bo@x.org"}, "s3cr3t word\n"));
    // The import was earlier.
    sql().run(is_postgresql() ? R"(UPDATE "user" SET "createdAt" = "createdAt" - interval '1 s')"
                              : R"(UPDATE "user" SET "createdAt" = '2026-01-01T00:00:00.000Z')");
    const Json json = run_check(0, {"--email-case", "keep", "--account-id", "user-id"});
    CHECK(any_contains(json, "data.notes", no_users));
    CHECK_EQUAL(0, json.size("data.directives"));
    sql().run(R"(UPDATE "account" SET "password" = 'x' WHERE "providerId" = 'credential')");
    CHECK(any_contains(run_check(1), "data.problems", "1 password hash is in an unknown format"));
}

TEST(check, finds_rows_created_before_the_directives_were_correct) {
    add_user("u1", "a@x.org", "u1", scrypt_hash);
    create("ANA@x.org");
    const Json json = run_check(1);
    CHECK_EQUAL(2, json.size("data.problems"));
    CHECK(
        any_contains(json, "data.problems", R"(run: UPDATE "account" SET "accountId" = "userId")"));
    CHECK(
        any_contains(json, "data.problems", R"(run: UPDATE "user" SET "email" = lower("email"))"));
    CHECK(any_contains(json, "data.notes", "has an argon2id hash"));
    sql().run(R"(UPDATE "account" SET "accountId" = "userId" WHERE "providerId" = 'credential')");
    sql().run(R"(UPDATE "user" SET "email" = lower("email"))");
    run_check(0);
}

TEST(check, reports_a_directive_that_the_rows_contradict) {
    add_user("u1", "a@x.org", "u1", scrypt_hash);
    CHECK(any_contains(run_check(1, {"--account-id", "email"}), "data.problems",
                       "set UserAdminAccountId to user-id"));
    CHECK(any_contains(run_check(1, {"--email-case", "keep"}), "data.problems",
                       "set UserAdminEmailCase to lower"));
    run_check(0, {"--account-id", "user-id", "--email-case", "lower", "--hash", "scrypt"});
}

TEST(check, compares_a_configuration_that_enables_the_service_with_its_defaults) {
    add_user("u1", "a@x.org", "u1", scrypt_hash);
    const std::string text =
        "DBDriver " + database().driver() + "\nDBDParams '" + database().params() + "'\n";
    CHECK_EQUAL(
        0, ctl_without_database({"--config", file("dbd.conf", text), "check", "--verbose"}).status);
    CHECK_EQUAL(1, ctl_without_database(
                       {"--config", file("on.conf", text + "UserAdmin On\n"), "check", "--verbose"})
                       .status);
    const std::string right = text + "UserAdmin On\nUserAdminAccountId user-id\n"
                                     "UserAdminEmailCase lower\nUserAdminPasswordHash scrypt\n";
    CHECK_EQUAL(
        0,
        ctl_without_database({"--config", file("right.conf", right), "check", "--verbose"}).status);
}

TEST(check, counts_unsupported_hashes) {
    add_user("u1", "a@x.org", "u1", "$2b$10$abcdefghijklmnopqrstuv");
    const Json json = run_check(1);
    CHECK(any_contains(json, "data.problems", "1 password hash is in an unknown format (known: "));
}

TEST(check, accepts_bcrypt_hashes) {
    const std::string rest = "10$abcdefghijklmnopqrstuvABCDEFGHIJKLMNOPQRSTUVWXYZ01234";
    for (const char* id : {"a", "b", "y"})
        add_user(id, std::string(id) + "@x.org", id, std::string("$2") + id + "$" + rest);
    const Json json = run_check(0);
    CHECK(any_contains(json, "data.notes", "3 password hashes are bcrypt"));
}

TEST(check, names_tables_similar_to_missing_ones_and_the_directive) {
    const Json json = run_check(1, {"--tables", "no_user no_session no_account"});
    CHECK_EQUAL(std::string("false"), json.at("success"));
    CHECK_EQUAL(3, json.size("data.problems"));
    CHECK(any_contains(json, "data.problems",
                       R"(table "no_user" does not exist, but a similar one does: "user"; set )"
                       "UserAdminTables user session account"));
    CHECK_EQUAL(1, json.size("data.directives"));
    CHECK_EQUAL(std::string("UserAdminTables user session account"), json.at("data.directives.0"));
    CHECK_EQUAL(1, ctl({"check", "--tables", "no_user no_session no_account"}).status);
}

TEST(check, finds_similar_tables_in_snake_case) {
    alter_all("\"@\"", " RENAME TO \"old @\"");
    sql().run(R"(ALTER TABLE "old session" RENAME COLUMN "userId" TO user_id)");
    const std::string renamed = suggested_directive();
    sql().run(R"(ALTER TABLE "old session" RENAME COLUMN user_id TO "userId")");
    alter_all("\"old @\"", " RENAME TO \"@\"");
    CHECK_EQUAL(std::string(R"(UserAdminTables "old user" "old session" "old account")"), renamed);
}

TEST(postgresql_check, finds_similar_tables_in_other_schemas) {
    sql().run("CREATE SCHEMA auth");
    alter_all("\"@\"", " SET SCHEMA auth");
    const std::string elsewhere = suggested_directive();
    alter_all("auth.\"@\"", " SET SCHEMA public");
    sql().run("DROP SCHEMA auth");
    CHECK_EQUAL(std::string("UserAdminTables auth.user auth.session auth.account"), elsewhere);
}

TEST(check, explains_the_consequences_of_missing_columns) {
    create_tables();
    for (const char* column : {"banned", "banReason", "banExpires", "image"})
        sql().run("ALTER TABLE app_user DROP COLUMN \"" + std::string(column) + "\"");
    const Json json = run_check(0, {"--tables", tables});
    CHECK(any_contains(json, "data.notes", "has no column \"banned\": nobody can be banned"));
    CHECK(
        any_contains(json, "data.notes", "has no column \"image\": it is null in every response"));
    sql().run("ALTER TABLE app_session DROP COLUMN \"expiresAt\"");
    CHECK(any_contains(run_check(1, {"--tables", tables}), "data.problems",
                       "has no column \"expiresAt\""));
}

TEST(check, reports_a_column_without_default) {
    create_tables();
    if (is_postgresql()) {
        change("CREATE DOMAIN app_tier AS text NOT NULL DEFAULT 'free'; CREATE DOMAIN app_plan AS "
               "text NOT NULL",
               "DROP DOMAIN app_tier CASCADE; DROP DOMAIN app_plan CASCADE");
        sql().run("ALTER TABLE app_user ADD COLUMN tier app_tier, ADD COLUMN plan app_plan");
    } else {
        sql().run("ALTER TABLE app_user ADD COLUMN plan text NOT NULL");
    }
    const Json json = run_check(1, {"--tables", tables});
    CHECK_EQUAL(1, json.size("data.problems"));
    CHECK_EQUAL(std::string("column \"plan\" of table \"app_user\" is NOT NULL and has no default, "
                            "so adding a row without a value for it fails; give it a default"),
                json.at("data.problems.0"));
}

TEST(check, reports_a_session_column_without_default_if_httpd_opens_sessions) {
    create_tables();
    sql().run("ALTER TABLE app_session ADD COLUMN device text NOT NULL");
    const std::string names = "UserAdminTables " + tables + "\n";
    const std::string handler = "SetHandler useradmin-better-auth\n";
    for (const std::string& lines :
         {std::string("AuthUserAdminSignIn On\n"), handler + "AuthUserAdminSecret env:SECRET\n"}) {
        const CommandResult checked = ctl_with(names + lines, {"check"});
        CHECK_EQUAL(1, checked.status);
        CHECK_TEXT(has(checked.output, "column \"device\" of table \"app_session\" is NOT NULL and "
                                       "has no default, so adding a row without a value for it "
                                       "fails; give it a default"),
                   checked.output.c_str());
    }
    for (const std::string& lines : {std::string("AuthUserAdmin On\n"), handler})
        expect_ok(ctl_with(names + lines, {"check"}));
}

TEST(check, reports_a_missing_unique_index_on_the_address) {
    has_tables = true;
    const std::string time = is_postgresql() ? "timestamptz" : "date";
    sql().run("CREATE TABLE app_user (id text PRIMARY KEY, name text, email text, email_verified "
              "boolean, created_at " +
              time + ")");
    sql().run("CREATE TABLE app_session (id text, token text, user_id text, expires_at " + time +
              ")");
    sql().run("CREATE TABLE app_account (id text, account_id text, provider_id text, user_id text, "
              "password text)");
    sql().run("CREATE UNIQUE INDEX app_user_lower_name ON app_user (lower(name))");
    const Json json = run_check(1, {"--tables", tables});
    CHECK(any_contains(json, "data.problems", "has no UNIQUE index"));
    CHECK(any_contains(json, "data.notes",
                       "\"app_session_userId_idx\" ON \"app_session\" (\"user_id\");"));
    // The suggested commands must be correct.
    for (const char* list : {"data.problems", "data.notes"})
        run_suggested(json, list, "CREATE ");
    const Json after = run_check(0, {"--tables", tables});
    CHECK_EQUAL(0, after.size("data.problems"));
    CHECK_FALSE(any_contains(after, "data.notes", "an index is missing"));
}

TEST(postgresql_check, suggests_only_indexes_that_postgresql_can_create) {
    change("CREATE TABLE parted (LIKE \"user\") PARTITION BY LIST (\"email\"); "
           "CREATE VIEW viewed AS SELECT * FROM \"user\"",
           "DROP TABLE parted; DROP VIEW viewed");
    const Json parted = run_check(1, {"--tables", "parted session account"});
    CHECK(
        any_contains(parted, "data.problems", "run: CREATE UNIQUE INDEX \"parted_email_idx\" ON"));
    CHECK(any_contains(parted, "data.notes", "run: CREATE INDEX \"parted_newest_idx\" ON"));
    for (const char* list : {"data.problems", "data.notes"})
        run_suggested(parted, list, "CREATE ");
    const Json viewed = run_check(0, {"--tables", "viewed session account"});
    CHECK_EQUAL(0, viewed.size("data.problems"));
    CHECK(
        any_contains(viewed, "data.notes", "table \"viewed\" is a view, so it is unknown whether"));
    CHECK_FALSE(any_contains(viewed, "data.notes", "CREATE INDEX"));
}

TEST(sqlite_check, notes_that_no_user_shows_how_times_are_stored) {
    create_tables();
    for (const auto& [type, written] : {std::pair("DATETIME", "writes text, so let"),
                                        {"integer", "writes milliseconds since 1970, so let"},
                                        {"date", ""}}) {
        set_type_of_created_at(type);
        const Json json = run_check(0, {"--tables", tables});
        CHECK_EQUAL(*written != '\0', any_contains(json, "data.notes", "its format for times in"));
        CHECK_TEXT(*written == '\0' || any_contains(json, "data.notes", written), type);
    }
}

TEST(sqlite_check, reports_times_in_different_formats) {
    create_tables();
    set_type_of_created_at("DATETIME");
    const auto add_user_created_at = [&](const char* time) {
        sql().run("INSERT INTO app_user (\"id\", \"name\", \"email\", \"emailVerified\", "
                  "\"updatedAt\", \"createdAt\") VALUES (" +
                  std::string(time) + ", 'N', " + time + ", 0, " + time + ", " + time + ")");
    };
    add_user_created_at("1772600767089");
    add_user_created_at("1772600767090");
    run_check(0, {"--tables", tables});
    add_user_created_at("'2026-03-04T05:06:07.089Z'");
    CHECK(any_contains(
        run_check(1, {"--tables", tables}), "data.problems",
        "column \"createdAt\" of table \"app_user\" has times in different formats (text: 1, "
        "seconds: 0, milliseconds: 2)"));
}

TEST(sqlite_check, attributes_unverified_users_to_the_application_despite_times_in_seconds) {
    create_tables();
    set_type_of_created_at("integer");
    const std::string times = "\"createdAt\", \"updatedAt\") VALUES (";
    sql().run("INSERT INTO app_user (\"id\", \"name\", \"email\", \"emailVerified\", " + times +
              "'u', 'N', 'n@x.org', 0, 1772600767, 1772600767); INSERT INTO app_account (\"id\", "
              "\"accountId\", \"providerId\", \"userId\", " +
              times +
              "'11111111-2222-3333-4444-555555555555', 'u', 'credential', 'u', 1772600767, "
              "1772600767)");
    const Json json(expect_ok(ctl({"--tables", tables, "check", "--json"})) + "\n");
    CHECK_FALSE(any_contains(json, "data.notes", no_users));
}

TEST(postgresql_check, accepts_a_unique_index_on_the_address_in_lower_case) {
    create_tables();
    sql().run("ALTER TABLE app_user DROP CONSTRAINT app_user_email_key");
    run_check(1, {"--tables", tables});
    sql().run("CREATE UNIQUE INDEX ON app_user (lower(email)) WHERE email <> ''");
    run_check(1, {"--tables", tables});
    sql().run("CREATE UNIQUE INDEX ON app_user (lower(email))");
    // Lookups by address compare the address itself.
    const std::string advice = "an index is missing for looking up users by address; run: ";
    const std::string statement =
        R"(CREATE INDEX CONCURRENTLY "app_user_email_idx" ON "app_user" ("email");)";
    CHECK(any_contains(run_check(0, {"--tables", tables}), "data.notes", advice + statement));
    sql().run(statement);
    CHECK_FALSE(any_contains(run_check(0, {"--tables", tables}), "data.notes", advice));
}

TEST(check, suggests_an_index_on_impersonated_sessions) {
    create_tables();
    const std::string advice = "an index is missing for ending the sessions in which a user";
    const std::string statement = R"("app_session_impersonatedBy_idx" ON "app_session" )"
                                  R"(("impersonatedBy") WHERE "impersonatedBy" IS NOT NULL;)";
    const auto has_advice = [&] {
        return any_contains(run_check(0, {"--tables", tables}), "data.notes", advice);
    };
    CHECK_FALSE(has_advice());
    sql().run(R"(DROP INDEX "app_session_impersonatedBy_idx")");
    CHECK(any_contains(run_check(0, {"--tables", tables}), "data.notes", statement));
    sql().run(
        R"(CREATE INDEX app_other_idx ON app_session ("impersonatedBy") WHERE "token" <> '')");
    CHECK(has_advice());
    sql().run("CREATE INDEX " + statement);
    CHECK_FALSE(has_advice());
}

TEST(postgresql_check, reports_uuid_ids_and_an_issuer) {
    create_tables();
    sql().run("ALTER TABLE app_session DROP CONSTRAINT \"app_session_userId_fkey\"");
    sql().run("ALTER TABLE app_account DROP CONSTRAINT \"app_account_userId_fkey\"");
    sql().run("ALTER TABLE app_user ALTER id TYPE uuid USING id::uuid");
    sql().run("ALTER TABLE app_account ALTER \"userId\" TYPE uuid USING \"userId\"::uuid");
    sql().run("ALTER TABLE app_account ADD COLUMN issuer text");
    const std::string id = expect_ok(
        ctl({"--tables", tables, "create", "--email", "a@x", "--name", "A"}, "s3cr3t word\n"));
    const Json json = run_check(0, {"--tables", tables});
    CHECK_EQUAL(std::string("uuid; new ones are random UUIDs"), json.at("data.service.ids"));
    CHECK_EQUAL(std::string("local:credential is written"), json.at("data.service.issuer"));
    CHECK(any_contains(json, "data.notes", no_users));
}

TEST(check, reports_that_no_user_has_the_protected_address) {
    const auto notes_missing_address = [](const Json& json, const std::string& address) {
        return any_contains(json, "data.notes", "no user has the protected address " + address);
    };
    create("Jefe@x.org", "J", "superAdmin");
    CHECK(notes_missing_address(run_check(0), "admin@example.com"));
    CHECK_FALSE(notes_missing_address(run_check(0, {"--protected-email", "Jefe@x.org"}), ""));
    CHECK(notes_missing_address(run_check(0, {"--protected-email", "jefe@x.org"}), "jefe@x.org"));
    CHECK_FALSE(notes_missing_address(
        run_check(0, {"--protected-email", "jefe@x.org", "--email-case", "lower"}), ""));
    const auto of_environment = ctl({"check", "--json"}, "", {{"ADMIN_EMAIL", "Jefe@x.org"}});
    CHECK_FALSE(notes_missing_address(Json(of_environment.output), ""));
    const std::string text = "DBDriver " + database().driver() + "\nDBDParams '" +
                             database().params() + "'\nUserAdminProtectedEmail no@x.org\n";
    CHECK(notes_missing_address(
        Json(ctl_without_database({"--config", file("p.conf", text), "check", "--json"}).output),
        "no@x.org"));
}

TEST(check, reports_addresses_that_differ_only_in_case) {
    create("Boss@x.org");
    create("ana@x.org", "Ana");
    CHECK_FALSE(any_contains(run_check(0), "data.notes", "if case is ignored"));
    sql().run(R"(UPDATE "user" SET "email" = 'bOSS@x.org' WHERE "email" = 'ana@x.org')");
    const Json json = run_check(0);
    CHECK(any_contains(json, "data.notes",
                       "1 address belongs to more than one user if case is ignored"));
    CHECK(any_contains(json, "data.notes", "see: SELECT lower(\"email\") FROM \"user\""));
}

TEST(check, names_extra_columns_that_the_table_lacks) {
    const auto check_with = [&](const std::string& directives) {
        return ctl_with(directives, {"check", "--verbose"});
    };
    const std::string columns = "UserAdminColumns company plann\nUserAdminEditable data\n";
    change(R"(ALTER TABLE "user" ADD COLUMN "company" text;
              ALTER TABLE "user" ADD COLUMN "data" json)",
           R"(ALTER TABLE "user" DROP COLUMN "company"; ALTER TABLE "user" DROP COLUMN "data")");
    const auto result = check_with("UserAdminExtras On\n" + columns);
    CHECK_EQUAL(1, result.status);
    STRCMP_CONTAINS(
        "UserAdminColumns names plann, which is not an extra column of table \"user\"; it "
        "has company, data",
        result.output.c_str());
    STRCMP_CONTAINS("column data has the type json, so the console shows it but cannot change it",
                    result.output.c_str());
    CHECK(result.output.find("names company") == std::string::npos);
    STRCMP_CONTAINS("have no effect without UserAdminExtras On",
                    check_with(columns).output.c_str());
}

TEST(check, names_the_features_that_need_the_revocation_table) {
    const std::string warning = "cached sessions (AuthUserAdminCache) outlive a ban";
    const std::string problem = "sessions are not deleted from UserAdminSecondaryStorage";
    const auto output_with = [&](const char* directive) {
        return expect_ok(ctl_with(directive, {"check", "--verbose"}));
    };
    constexpr const char* storage = "UserAdminSecondaryStorage redis://localhost\n";
    CHECK_FALSE(has(output_with("AuthUserAdminCache 60\n"), warning));
    CHECK_FALSE(has(output_with(storage), problem));
    rename_table("useradmin_revocation");
    CHECK(has(output_with("AuthUserAdminCache 60\n"), warning));
    CHECK_FALSE(has(output_with("UserAdminSecondaryStorage none\n"), warning));
    const CommandResult with_storage = ctl_with(storage, {"check", "--verbose"});
    CHECK(has(with_storage.output, problem));
    CHECK(with_storage.status != 0);
    CHECK(has(ctl_with(std::string("UserAdminSecondaryStorage none\n") + storage, {"check"}).output,
              problem));
}

TEST(postgresql_check, names_the_owner_of_a_table_that_the_service_ignores) {
    const std::string tables[] = {"useradmin_revocation", "useradmin_attempt",
                                  "useradmin_disabled_key"};
    std::string before = "CREATE TABLE apikey (id text, \"referenceId\" text, key text, enabled "
                         "boolean); CREATE ROLE stranger LOGIN";
    std::string after = "DROP TABLE apikey";
    for (const std::string& table : tables) {
        before += "; ALTER TABLE " + table + " OWNER TO stranger";
        after += "; ALTER TABLE " + table + " OWNER TO useradmin";
    }
    change(before, after + "; DROP ROLE stranger");
    const CommandResult checked = ctl_with(
        "AuthUserAdminSignInLimit 10 60 shared\nUserAdminCleanUp On\n", {"check", "--verbose"});
    CHECK_EQUAL(1, checked.status);
    CHECK_FALSE(has(checked.output, "run: useradminctl schema"));
    for (const std::string& table : tables) {
        const std::string problem =
            "table public." + table +
            " belongs to stranger, not to the owner of the user table; run: ALTER TABLE public." +
            table + " OWNER TO useradmin;";
        CHECK_TEXT(has(checked.output, problem), checked.output.c_str());
        const CommandResult created = ctl({"schema"});
        CHECK_EQUAL(1, created.status);
        CHECK_TEXT(has(created.errors, problem), created.errors.c_str());
        sql().run("ALTER TABLE " + table + " OWNER TO useradmin");
    }
}

TEST(check, names_the_features_that_need_the_attempt_table) {
    const std::string problem =
        "AuthUserAdminSignInLimit counts failures separately on each server";
    const auto output_with = [&](const char* directive) {
        return ctl_with(directive, {"check", "--verbose"}).output;
    };
    CHECK_FALSE(has(output_with("AuthUserAdminSignInLimit 10 60 shared\n"), problem));
    rename_table("useradmin_attempt");
    CHECK(has(output_with("AuthUserAdminSignInLimit 10 60 shared\n"), problem));
    CHECK_FALSE(has(output_with("AuthUserAdminSignInLimit 10 60\n"), problem));
}

TEST(check, reports_second_factors_without_their_flag) {
    add_second_factors(false);
    for (const char* const directives :
         {"AuthUserAdminSignIn On\n", "AuthBasicProvider file useradmin\n",
          "AuthUserAdminSignIn On\nAuthUserAdminSecondFactor refuse\n"}) {
        const CommandResult checked = ctl_with(directives, {"check"});
        CHECK_EQUAL(1, checked.status);
        CHECK_TEXT(has(checked.output, "has no column \"twoFactorEnabled\", but table "),
                   checked.output.c_str());
    }
    for (const char* const directives :
         {"AuthUserAdminSignIn On\nAuthUserAdminSecondFactor ignore\n", "UserAdmin On\n"})
        CHECK_FALSE(has(expect_ok(ctl_with(directives, {"check"})), "twoFactorEnabled"));
}

TEST(check, reports_that_codes_can_be_used_more_than_once) {
    add_second_factors(true);
    const auto output_with = [](const std::string& directives) {
        return expect_ok(ctl_with(directives, {"check", "--verbose"}));
    };
    const std::string sign_in = "AuthUserAdminSignIn On\nAuthUserAdminSecret env:SECRET\n";
    const std::string note = "codes of an authenticator can be used more than once: table";
    CHECK_FALSE(has(output_with(sign_in), note));
    rename_table("useradmin_attempt");
    CHECK(has(output_with(sign_in), note));
    CHECK_FALSE(has(output_with(sign_in + "AuthUserAdminSecondFactor refuse\n"), note));
}

TEST(postgresql_check, counts_rows_for_longer_than_the_statement_timeout_of_httpd) {
    create("ana@x.org");
    // Reading this view waits for the lock, so that counting takes longer than the timeout.
    change("CREATE VIEW slow_user AS SELECT * FROM \"user\" WHERE "
           "pg_advisory_xact_lock_shared(7)::text = ''",
           "DROP VIEW slow_user");
    test::Database holder(database().driver(), database().params());
    holder.run("BEGIN; SELECT pg_advisory_xact_lock(7)");
    expect_no_statement_timeout(holder, "UserAdminTables slow_user session account\n", {"check"});
}

class PostgresqlPrivileges : public Check {
  protected:
    void setup() override {
        Check::setup();
        sql().run("DROP ROLE IF EXISTS reader; CREATE ROLE reader LOGIN");
    }
    void teardown() override {
        Check::teardown();
        sql().run("DROP SCHEMA IF EXISTS closed CASCADE; DROP OWNED BY reader; DROP ROLE "
                  "reader");
    }

    static std::string params() {
        return replace_all(database().params(), "user=useradmin", "user=reader");
    }
    /// Runs check with these directives under the role of params(). Returns its JSON output.
    static Json run_check(const std::string& directives, std::vector<std::string> arguments = {}) {
        const std::string text = "DBDriver pgsql\nDBDParams \"" + params() + "\"\n" + directives;
        arguments.insert(arguments.begin(),
                         {"--config", file("role.conf", text), "check", "--json"});
        return Json(ctl_without_database(std::move(arguments)).output);
    }
    /// Grants the privileges that check reports as missing.
    static void grant(const Json& json) { run_suggested(json, "data.problems", "GRANT "); }
    static long has_privilege(const std::string& table, const std::string& right) {
        return sql().number("SELECT has_any_column_privilege('reader', '\"" + table + "\"', '" +
                            right + "')::int");
    }
    static long can_read(const std::string& column) {
        return sql().number("SELECT has_column_privilege('reader', '\"account\"', '" + column +
                            "', 'SELECT')::int");
    }
};

TEST_GROUP_BASE(postgresql_privileges, PostgresqlPrivileges){};

TEST(postgresql_privileges, reports_what_the_role_lacks) {
    sql().run("GRANT SELECT, UPDATE ON \"user\", \"session\" TO reader");
    const Json json = run_check("");
    CHECK(any_contains(json, "data.problems", R"(run: GRANT INSERT ON "user" TO reader;)"));
    CHECK(any_contains(json, "data.problems",
                       R"(run: GRANT SELECT ("userId") ON "account" TO reader;)"));
    CHECK_FALSE(any_contains(json, "data.problems", R"(GRANT SELECT ON "user")"));
}

TEST(postgresql_privileges, reports_what_a_role_with_a_single_connection_lacks) {
    sql().run("ALTER ROLE reader CONNECTION LIMIT 1");
    CHECK(any_contains(run_check(""), "data.problems", R"(GRANT INSERT ON "user" TO reader;)"));
}

TEST(postgresql_privileges, reports_row_level_security) {
    grant(run_check(""));
    CHECK_EQUAL(0, run_check("").size("data.problems"));
    sql().run("ALTER TABLE \"session\" ENABLE ROW LEVEL SECURITY");
    const auto expect_problem = [] {
        CHECK(any_contains(run_check(""), "data.problems",
                           "row-level security may hide rows of table \"session\" from role "
                           "reader, so a change may miss them; run: CREATE POLICY "
                           "useradmin ON \"session\" TO reader USING (true);"));
    };
    expect_problem();
    sql().run("CREATE POLICY own ON \"session\" USING (\"userId\" = current_user)");
    expect_problem();
    sql().run("CREATE POLICY useradmin ON \"session\" TO reader USING (true)");
    CHECK_EQUAL(0, run_check("").size("data.problems"));
    sql().run("DROP POLICY own ON \"session\"; CREATE POLICY own ON \"session\" AS RESTRICTIVE "
              "USING (\"userId\" <> 'ana-1')");
    expect_problem();
    sql().run("ALTER ROLE reader BYPASSRLS");
    CHECK_EQUAL(0, run_check("").size("data.problems"));
    sql().run("DROP POLICY own ON \"session\"; ALTER TABLE \"session\" DISABLE ROW LEVEL SECURITY");
}

TEST(postgresql_privileges, reports_missing_ones_for_revocations_and_shared_attempts) {
    const std::string limit = "AuthUserAdminSignInLimit 10 60";
    for (const std::string table : {"useradmin_revocation", "useradmin_attempt"}) {
        const std::string directives = table == "useradmin_attempt" ? limit + " shared\n" : "";
        const auto expect_grant = [&](const std::string& grant) {
            CHECK_TEXT(any_contains(run_check(directives), "data.problems", "run: " + grant),
                       grant.c_str());
        };
        expect_grant(R"(GRANT SELECT, INSERT, UPDATE, DELETE ON "public".")" + table +
                     R"(" TO "reader";)");
        sql().run("GRANT SELECT ON " + table + " TO reader");
        expect_grant("GRANT INSERT ON \"" + table + "\" TO reader;");
    }
    CHECK_FALSE(any_contains(run_check(limit + "\n"), "data.problems", "useradmin_attempt"));
}

TEST(postgresql_privileges, reports_missing_ones_for_mailed_links) {
    const std::string mail = "UserAdmin On\nUserAdminExtras On\nUserAdminMailCommand /bin/cat\n";
    grant(run_check("UserAdmin On\nUserAdminExtras On\n"));
    const Json found = run_check(mail);
    for (const char* right :
         {R"(INSERT ON "public"."verification")", R"(DELETE ON "public"."verification")",
          R"(SELECT ("value") ON "public"."verification")",
          R"(DELETE ON "public"."useradmin_attempt")"})
        CHECK_TEXT(any_contains(found, "data.problems", right), right);
    grant(found);
    CHECK_EQUAL(0, run_check(mail).size("data.problems"));
}

TEST(postgresql_privileges, reports_missing_ones_for_counting_uses_of_keys) {
    const char* const directives = "AuthUserAdmin On\nAuthUserAdminApiKey On\n";
    CHECK(any_contains(run_check(directives), "data.problems",
                       "found no table of better-auth's API key plugin"));
    database().add_plugin_tables();
    const Json found = run_check(directives);
    CHECK_FALSE(
        any_contains(found, "data.problems", "found no table of better-auth's API key plugin"));
    CHECK(any_contains(found, "data.problems",
                       R"(GRANT UPDATE ("remaining") ON "public"."apikey" TO reader;)"));
    CHECK_FALSE(any_contains(found, "data.problems", "DELETE ON \"public\".\"apikey\""));
    CHECK_FALSE(any_contains(run_check("AuthUserAdmin On\n"), "data.problems", "apikey"));
}

TEST(postgresql_privileges, reports_missing_ones_for_sign_in_methods) {
    const std::string extras = "UserAdmin On\nUserAdminExtras On\n";
    change(R"(CREATE TABLE passkey (id text, name text, "publicKey" text, "userId" text,
                  counter integer))",
           "DROP TABLE passkey");
    const Json found = run_check(extras);
    for (const char* const right :
         {R"(DELETE ON "public"."passkey" TO)", R"(SELECT ("id") ON "public"."passkey" TO)",
          R"(SELECT ("userId") ON "public"."passkey" TO)",
          R"(SELECT ("name") ON "public"."passkey" TO)", R"(SELECT ("createdAt") ON "account" TO)"})
        CHECK_TEXT(any_contains(found, "data.problems", right), right);
    CHECK_FALSE(any_contains(run_check("UserAdmin On\n"), "data.problems", "passkey"));
    grant(found);
    CHECK_FALSE(any_contains(run_check(extras), "data.problems", "GRANT"));
    CHECK_EQUAL(
        0, sql().number(
               R"(SELECT has_column_privilege('reader', 'passkey', 'publicKey', 'SELECT')::int)"));
}

TEST(postgresql_privileges, to_remove_a_second_factor_are_named) {
    add_second_factors(true);
    const std::string extras = "UserAdmin On\nUserAdminExtras On\n";
    const Json found = run_check(extras);
    for (const char* const right :
         {R"(DELETE ON "public"."twoFactor" TO)", R"(SELECT ("userId") ON "public"."twoFactor" TO)",
          R"(DELETE ON "public"."verification" TO)",
          R"(SELECT ("identifier") ON "public"."verification" TO)",
          R"(SELECT ("value") ON "public"."verification" TO)"})
        CHECK_TEXT(any_contains(found, "data.problems", right), right);
    CHECK_FALSE(any_contains(run_check("UserAdmin On\n"), "data.problems", "twoFactor"));
    grant(found);
    CHECK_EQUAL(0, run_check(extras).size("data.problems"));
}

TEST(postgresql_privileges, are_reported_once_if_several_features_need_them) {
    add_second_factors(true);
    const Json found = run_check("UserAdmin On\nUserAdminExtras On\nUserAdminCleanUp On\n");
    std::vector<std::string> problems;
    for (int each = 0; each < found.size("data.problems"); ++each)
        problems.push_back(found.at("data.problems." + std::to_string(each)));
    CHECK(any_contains(found, "data.problems", R"(DELETE ON "public"."twoFactor" TO)"));
    std::ranges::sort(problems);
    const auto twice = std::ranges::adjacent_find(problems);
    CHECK_TEXT(twice == problems.end(), twice == problems.end() ? "" : twice->c_str());
}

TEST(postgresql_privileges, to_clean_up_tables_of_plugins_are_named) {
    database().add_plugin_tables();
    const Json found = run_check("UserAdminCleanUp On\n");
    for (const char* const right :
         {R"(DELETE ON "public"."apikey" TO)", R"(SELECT ("referenceId") ON "public"."apikey" TO)",
          R"(UPDATE ("enabled") ON "public"."apikey" TO)"})
        CHECK_TEXT(any_contains(found, "data.problems", right), right);
    grant(found);
    CHECK_EQUAL(0, run_check("UserAdminCleanUp On\n").size("data.problems"));
}

TEST(postgresql_privileges, notes_missing_ones_for_a_second_factor) {
    const std::string sign_in = "AuthUserAdminSignIn On\nAuthUserAdminSecret env:SECRET\n";
    grant(run_check(sign_in));
    change(R"(ALTER TABLE "user" ADD COLUMN "twoFactorEnabled" boolean)",
           R"(ALTER TABLE "user" DROP COLUMN "twoFactorEnabled")");
    const Json without_table = run_check(sign_in);
    add_second_factors(false);
    const Json found = run_check(sign_in);
    const Json verifying = run_check(sign_in + "AuthUserAdminSecondFactor verify\n");
    const Json rejecting = run_check(sign_in + "AuthUserAdminSecondFactor refuse\n");
    const Json ignoring = run_check(sign_in + "AuthUserAdminSecondFactor ignore\n");
    const Json without_secret = run_check("AuthUserAdminSignIn On\n");
    const Json without_sign_in = run_check("AuthUserAdmin On\nAuthUserAdminSecret env:SECRET\n");
    run_suggested(found, "data.notes", "GRANT ");
    const Json granted = run_check(sign_in);
    const long may_change_secret = sql().number(
        R"(SELECT has_column_privilege('reader', '"twoFactor"', 'secret', 'UPDATE')::int)");
    change(R"(ALTER TABLE "verification" RENAME "value" TO "other")",
           R"(ALTER TABLE "verification" RENAME "other" TO "value")");
    const Json without_value = run_check(sign_in);
    for (const char* right :
         {R"(SELECT ON "public"."twoFactor")", R"(UPDATE ("backupCodes") ON "public"."twoFactor")",
          R"(UPDATE ("lockedUntil") ON "public"."twoFactor")",
          R"(SELECT, INSERT, UPDATE, DELETE ON "public"."useradmin_attempt")",
          R"(SELECT ON "public"."verification")", R"(INSERT ON "public"."verification")",
          R"(DELETE ON "public"."verification")"})
        for (const Json* json : {&found, &verifying}) {
            CHECK_TEXT(any_contains(*json, "data.notes", "; run: GRANT " + std::string(right)),
                       right);
            CHECK_EQUAL(0, json->size("data.problems"));
        }
    const std::string consequence = "users with a second factor cannot sign in: ";
    CHECK(any_contains(found, "data.notes", consequence + "role reader lacks the privilege"));
    CHECK(any_contains(without_value, "data.notes",
                       consequence + "table \"verification\" does not exist"));
    CHECK_EQUAL(0, without_value.size("data.problems"));
    CHECK_EQUAL(0, may_change_secret);
    for (const Json* json :
         {&without_table, &rejecting, &ignoring, &without_secret, &without_sign_in, &granted}) {
        CHECK_FALSE(any_contains(*json, "data.notes", "second factor"));
        CHECK_FALSE(any_contains(*json, "data.problems", "second factor"));
    }
}

TEST(postgresql_privileges, service_needs_no_hashes) {
    grant(run_check("UserAdmin On\n"));
    CHECK_EQUAL(0, run_check("UserAdmin On\n").size("data.problems"));
    CHECK_EQUAL(0, can_read("password"));
    CHECK_EQUAL(0, can_read("accountId"));
    CHECK_EQUAL(1, can_read("userId"));
    CHECK_EQUAL(0, has_privilege("session", "INSERT"));
    CHECK_EQUAL(0, has_privilege("session", "UPDATE"));
    // Session lookups read tokens. Sign-in also writes tokens and reads hashes.
    const Json with_sessions = run_check("UserAdmin On\nAuthUserAdmin On\n");
    CHECK_EQUAL(1, with_sessions.size("data.problems"));
    CHECK(any_contains(with_sessions, "data.problems", R"(GRANT SELECT ON "session" TO reader;)"));
    grant(with_sessions);
    grant(run_check("UserAdmin On\nAuthUserAdmin On\nAuthUserAdminSignIn On\n"));
    CHECK_EQUAL(1, can_read("password"));
    CHECK_EQUAL(1, can_read("providerId"));
    CHECK_EQUAL(1, can_read("accountId"));
    CHECK_EQUAL(1, has_privilege("session", "INSERT"));
    CHECK_EQUAL(1, has_privilege("session", "UPDATE"));
}

TEST(postgresql_privileges, extras_need_no_tokens_or_hashes) {
    grant(run_check("UserAdmin On\nUserAdminExtras On\n"));
    CHECK_EQUAL(0, run_check("UserAdmin On\nUserAdminExtras On\n").size("data.problems"));
    CHECK_EQUAL(0, can_read("password"));
    CHECK_EQUAL(1, has_privilege("account", "UPDATE"));
    CHECK_EQUAL(0, sql().number("SELECT has_column_privilege('reader', '\"session\"', 'token', "
                                "'SELECT')::int"));
}

TEST(postgresql_privileges, do_not_hide_a_wrong_column_for_the_last_activity) {
    const Json found = run_check("UserAdmin On\nUserAdminLastSeen lastLoginAt\n");
    CHECK(any_contains(
        found, "data.problems",
        "has no column \"lastLoginAt\"; UserAdminLastSeen must name a timestamp column"));
    CHECK_FALSE(any_contains(run_check("UserAdmin On\nUserAdminLastSeen updatedAt\n"),
                             "data.problems", "UserAdminLastSeen"));
}

TEST(postgresql_privileges, verifying_passwords_only_needs_no_writes) {
    grant(run_check("AuthBasicProvider file useradmin\n"));
    CHECK_EQUAL(1, can_read("password"));
    CHECK_EQUAL(1, has_privilege("user", "SELECT"));
    for (const char* table : {"user", "session", "account"})
        for (const char* right : {"INSERT", "UPDATE"})
            CHECK_EQUAL(0, has_privilege(table, right));
}

TEST(postgresql_privileges, to_read_the_tables_are_reported_if_missing) {
    create("admin@example.com");
    grant(run_check("UserAdmin On\n"));
    sql().run(R"(UPDATE "account" SET "password" = 'unknown')");
    const Json json = run_check("UserAdmin On\n");
    CHECK_FALSE(any_contains(json, "data.notes", "protected address"));
    CHECK(any_contains(json, "data.unchecked",
                       "the rows were not read: the database role cannot read table \"account\""));
    CHECK_EQUAL(0, json.size("data.directives"));
    sql().run(
        R"(GRANT SELECT ("id", "providerId", "createdAt", "accountId") ON "account" TO reader)");
    const std::string names = "which UserAdminAccountId it requires";
    const std::string hashes = "1 password hash is in an unknown format (known: ";
    const Json without_hashes = run_check("UserAdmin On\n");
    CHECK_FALSE(any_contains(without_hashes, "data.unchecked", "the rows were not read"));
    CHECK(any_contains(without_hashes, "data.notes", names));
    CHECK_FALSE(any_contains(without_hashes, "data.problems", hashes));
    sql().run(R"(REVOKE SELECT ("accountId") ON "account" FROM reader;
                 GRANT SELECT ("password") ON "account" TO reader)");
    const Json without_names = run_check("UserAdmin On\n");
    CHECK_FALSE(any_contains(without_names, "data.notes", names));
    CHECK(any_contains(without_names, "data.problems", hashes));
}

TEST(postgresql_privileges, on_a_schema_are_reported_as_missing) {
    const std::string names = "closed.user closed.session closed.account";
    sql().run("CREATE SCHEMA closed");
    expect_ok(ctl({"--tables", names, "schema", "--force"}));
    const auto expect_grant = [&](const Json& json) {
        CHECK(any_contains(json, "data.problems", "lacks USAGE on schema closed"));
        CHECK(any_contains(json, "data.problems",
                           R"(run: GRANT USAGE ON SCHEMA "closed" TO "reader";)"));
        CHECK_FALSE(any_contains(json, "data.problems", "does not exist"));
    };
    expect_grant(run_check("", {"--tables", names}));
    // The same applies if the search path finds the tables.
    sql().run("ALTER TABLE closed.user RENAME TO people; ALTER TABLE closed.session RENAME TO "
              "visits; ALTER TABLE closed.account RENAME TO logins; ALTER ROLE reader SET "
              "search_path = closed");
    expect_grant(run_check("", {"--tables", "people visits logins"}));
    // Each table may be in a different schema.
    expect_grant(run_check("", {"--tables", "public.user public.session closed.logins"}));
}

TEST(postgresql_check, notes_an_encoding_other_than_utf8) {
    const auto notes_encoding = [&](const std::string& params) {
        const Json json(ctl_without_database({"--driver", database().driver(), "--params", params,
                                              "check", "--json"})
                            .output);
        return any_contains(json, "data.notes", "the encoding of the database is ");
    };
    for (const char* const encoding : {"SQL_ASCII", "LATIN1"}) {
        sql().run("CREATE DATABASE encoded ENCODING '" + std::string(encoding) +
                  "' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
        const bool is_noted = notes_encoding(database().params() + " dbname=encoded");
        sql().run("DROP DATABASE encoded");
        CHECK(is_noted);
    }
    CHECK_FALSE(notes_encoding(database().params()));
}

} // namespace useradmin::test
