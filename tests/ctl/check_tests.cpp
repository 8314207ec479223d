// useradminctl check.
#include "scene.hpp"

#include <algorithm>

namespace useradmin::test {

namespace {

const std::string scrypt_hash = std::string(32, 'a') + ":" + std::string(128, 'b');
const std::string argon2_hash = "$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$c29tZWhhc2hzb21laGFzaA";

} // namespace

TEST_GROUP_BASE(check, Scene) {
    const std::string tables = "app_user app_session app_account";
    bool has_tables = false;

    void teardown() override {
        if (has_tables)
            for (const char* table : {"app_session", "app_account", "app_user"})
                sql().run("DROP TABLE IF EXISTS \"" + std::string(table) + "\"");
    }

    /// Tables of their own, that a test may spoil.
    void lay_tables() {
        has_tables = true;
        done(ctl({"--tables", tables, "schema"}));
    }

    /// A row as better-auth writes it.
    void add(const std::string& id, const std::string& email, const std::string& account_id,
             const std::string& hash) {
        const std::string created = "'2026-01-01T00:00:00.000Z'";
        sql().run("INSERT INTO \"user\" (\"id\", \"name\", \"email\", \"emailVerified\", "
                  "\"createdAt\", \"updatedAt\") VALUES (" +
                  sql_literal(id) + ", 'N', " + sql_literal(email) + ", FALSE, " + created + ", " +
                  created + ")");
        sql().run("INSERT INTO \"account\" (\"id\", \"accountId\", \"providerId\", \"userId\", "
                  "\"password\", \"createdAt\", \"updatedAt\") VALUES (" +
                  sql_literal("account-" + id) + ", " + sql_literal(account_id) +
                  ", 'credential', " + sql_literal(id) + ", " + sql_literal(hash) + ", " + created +
                  ", " + created + ")");
    }

    /// The document of a check that ends with that status.
    static Json look(int status, std::vector<std::string> arguments = {}, Here here = {}) {
        arguments.insert(arguments.begin(), {"check", "--json"});
        const Ended ended = ctl(std::move(arguments));
        if (ended.status != status)
            give_up("status " + std::to_string(ended.status) + ": " + ended.output, here);
        return Json(ended.output, here);
    }

    static bool lists(const Json& json, const std::string& key, std::string_view part) {
        for (int each = 0; each < json.size(key); ++each)
            if (has(json.at(key + "." + std::to_string(each)), part))
                return true;
        return false;
    }
};

TEST(check, of_the_schema_as_it_is_laid_finds_no_problem) {
    const Json json = look(0);
    CHECK_EQUAL(std::string("true"), json.at("success"));
    CHECK_EQUAL(database().driver(), json.at("data.driver"));
    CHECK_EQUAL(11, json.size("data.tables.user.columns"));
    CHECK_EQUAL(std::string("id"), json.at("data.tables.user.columns.0.name"));
    CHECK_EQUAL(std::string("text; new ones are random UUIDs"), json.at("data.service.ids"));
    CHECK_EQUAL(std::string("absent; nothing is written"), json.at("data.service.issuer"));
    CHECK_EQUAL(0, json.size("data.problems"));
    CHECK_EQUAL(0, json.size("data.directives"));
    CHECK(has(done(ctl({"check"})), "No problems were found."));
}

TEST(check, tells_from_better_auths_rows_which_directives_suit_it) {
    add("u1", "a@x.org", "u1", scrypt_hash);
    add("u2", "b@x.org", "u2", scrypt_hash);
    const Json json = look(0);
    CHECK_EQUAL(std::string("2"), json.at("data.application.accountIds.userId"));
    CHECK_EQUAL(std::string("0"), json.at("data.application.capitalEmails"));
    CHECK_EQUAL(std::string("2"), json.at("data.application.passwords.scrypt"));
    for (const char* directive :
         {"UserAdminAccountId user-id", "UserAdminEmailCase lower", "UserAdminPasswordHash scrypt"})
        CHECK_TEXT(lists(json, "data.directives", directive), directive);
    CHECK(has(done(ctl({"check"})), "\n  accountId     the user's id 2, the e-mail 0, other 0\n"));
}

TEST(check, tells_from_rows_with_the_address_that_the_application_wants_that) {
    add("u1", "Ana@x.org", "Ana@x.org", argon2_hash);
    const Json json = look(0);
    for (const char* directive :
         {"UserAdminAccountId email", "UserAdminEmailCase keep", "UserAdminPasswordHash argon2id"})
        CHECK_TEXT(lists(json, "data.directives", directive), directive);
}

TEST(check, does_not_take_the_services_own_rows_for_the_applications) {
    create("ANA@x.org");
    const Json json = look(0);
    CHECK_EQUAL(std::string("0"), json.at("data.application.users"));
    CHECK_EQUAL(std::string("1"), json.at("data.own.users"));
    CHECK_EQUAL(std::string("1"), json.at("data.own.accountIds.email"));
    CHECK_EQUAL(std::string("1"), json.at("data.own.passwords.argon2id"));
    CHECK_EQUAL(0, json.size("data.directives"));
    CHECK(lists(json, "data.notes", "tells which UserAdminAccountId it wants"));
}

TEST(check, finds_the_rows_that_were_made_before_the_directives_were_right) {
    add("u1", "a@x.org", "u1", scrypt_hash);
    create("ANA@x.org");
    const Json json = look(1);
    CHECK_EQUAL(2, json.size("data.problems"));
    CHECK(lists(json, "data.problems", R"(run: UPDATE "account" SET "accountId" = "userId")"));
    CHECK(lists(json, "data.problems", R"(run: UPDATE "user" SET "email" = lower("email"))"));
    CHECK(lists(json, "data.notes", "has an argon2id hash"));
    sql().run(R"(UPDATE "account" SET "accountId" = "userId" WHERE "providerId" = 'credential')");
    sql().run(R"(UPDATE "user" SET "email" = lower("email"))");
    look(0);
}

TEST(check, calls_a_directive_that_the_rows_contradict_a_problem) {
    add("u1", "a@x.org", "u1", scrypt_hash);
    CHECK(lists(look(1, {"--account-id", "email"}), "data.problems",
                "write: UserAdminAccountId user-id"));
    CHECK(lists(look(1, {"--email-case", "keep"}), "data.problems",
                "write: UserAdminEmailCase lower"));
    look(0, {"--account-id", "user-id", "--email-case", "lower", "--hash", "scrypt"});
}

TEST(check, holds_a_configuration_that_turns_the_service_on_to_its_defaults) {
    add("u1", "a@x.org", "u1", scrypt_hash);
    const std::string text =
        "DBDriver " + database().driver() + "\nDBDParams '" + database().params() + "'\n";
    CHECK_EQUAL(0, bare_ctl({"--config", file("dbd.conf", text), "check"}).status);
    CHECK_EQUAL(1,
                bare_ctl({"--config", file("on.conf", text + "UserAdmin On\n"), "check"}).status);
    const std::string right = text + "UserAdmin On\nUserAdminAccountId user-id\n"
                                     "UserAdminEmailCase lower\nUserAdminPasswordHash scrypt\n";
    CHECK_EQUAL(0, bare_ctl({"--config", file("right.conf", right), "check"}).status);
}

TEST(check, counts_hashes_that_nobody_here_can_verify) {
    add("u1", "a@x.org", "u1", "$2b$10$abcdefghijklmnopqrstuv");
    const Json json = look(1);
    CHECK_EQUAL(std::string("1"), json.at("data.application.passwords.other"));
    CHECK(lists(json, "data.problems", "1 password hash is neither"));
}

TEST(check, of_missing_tables_names_them_with_the_remedy) {
    const Json json = look(1, {"--tables", "no_user no_session no_account"});
    CHECK_EQUAL(std::string("false"), json.at("success"));
    CHECK_EQUAL(3, json.size("data.problems"));
    CHECK(lists(json, "data.problems", "lay it with 'useradminctl schema'"));
    CHECK_EQUAL(1, ctl({"check", "--tables", "no_user no_session no_account"}).status);
}

TEST(check, of_missing_columns_says_what_that_means) {
    lay_tables();
    for (const char* column : {"banned", "banReason", "banExpires", "image"})
        sql().run("ALTER TABLE app_user DROP COLUMN \"" + std::string(column) + "\"");
    const Json json = look(0, {"--tables", tables});
    CHECK(lists(json, "data.notes", "has no column \"banned\": nobody can be banned"));
    CHECK(lists(json, "data.notes", "has no column \"image\": it is null in every reply"));
    sql().run("ALTER TABLE app_session DROP COLUMN \"expiresAt\"");
    CHECK(lists(look(1, {"--tables", tables}), "data.problems", "has no column \"expiresAt\""));
}

TEST(check, finds_that_no_unique_index_stands_on_the_address) {
    has_tables = true;
    const std::string time = is_postgresql() ? "timestamptz" : "date";
    sql().run("CREATE TABLE app_user (id text PRIMARY KEY, name text, email text, email_verified "
              "boolean, created_at " +
              time + ")");
    sql().run("CREATE TABLE app_session (id text, token text, user_id text, expires_at " + time +
              ")");
    sql().run("CREATE TABLE app_account (id text, account_id text, provider_id text, user_id text, "
              "password text)");
    const Json json = look(1, {"--tables", tables});
    CHECK(lists(json, "data.problems", "no UNIQUE index stands on column \"email\""));
    CHECK(
        lists(json, "data.notes", "\"app_session_userId_idx\" ON \"app_session\" (\"user_id\");"));
    // What it says to run is right.
    for (const char* list : {"data.problems", "data.notes"})
        for (int each = 0; each < json.size(list); ++each) {
            const std::string text = json.at(std::string(list) + "." + std::to_string(each));
            if (const auto at = text.find("CREATE "); at != std::string::npos)
                sql().run(text.substr(at));
        }
    const Json after = look(0, {"--tables", tables});
    CHECK_EQUAL(0, after.size("data.problems"));
    CHECK_FALSE(lists(after, "data.notes", "an index is missing"));
}

TEST(check, takes_an_index_on_the_address_in_lower_case_for_unique) {
    lay_tables();
    if (!is_postgresql())
        return;
    sql().run("ALTER TABLE app_user DROP CONSTRAINT app_user_email_key");
    look(1, {"--tables", tables});
    sql().run("CREATE UNIQUE INDEX ON app_user (lower(email)) WHERE email <> ''");
    look(1, {"--tables", tables});
    sql().run("CREATE UNIQUE INDEX ON app_user (lower(email))");
    look(0, {"--tables", tables});
}

TEST(check, of_uuid_ids_and_an_issuer_says_what_the_service_would_do) {
    if (!is_postgresql())
        return;
    lay_tables();
    sql().run("ALTER TABLE app_session DROP CONSTRAINT \"app_session_userId_fkey\"");
    sql().run("ALTER TABLE app_account DROP CONSTRAINT \"app_account_userId_fkey\"");
    sql().run("ALTER TABLE app_user ALTER id TYPE uuid USING id::uuid");
    sql().run("ALTER TABLE app_account ALTER \"userId\" TYPE uuid USING \"userId\"::uuid");
    sql().run("ALTER TABLE app_account ADD COLUMN issuer text");
    const std::string id =
        done(ctl({"--tables", tables, "create", "--email", "a@x", "--name", "A"}, "s3cr3t\n"));
    const Json json = look(0, {"--tables", tables});
    CHECK_EQUAL(std::string("uuid; new ones are random UUIDs"), json.at("data.service.ids"));
    CHECK_EQUAL(std::string("local:credential is written"), json.at("data.service.issuer"));
    CHECK_EQUAL(std::string("1"), json.at("data.own.accountIds.email"));
}

TEST(check, names_the_rights_that_the_databases_account_lacks) {
    if (!is_postgresql())
        return;
    sql().run("DROP ROLE IF EXISTS reader; CREATE ROLE reader LOGIN; GRANT SELECT, UPDATE ON "
              "\"user\", \"session\" TO reader");
    std::string params = database().params();
    params.replace(params.find("user=useradmin"), 14, "user=reader");
    const Ended ended = bare_ctl({"--driver", "pgsql", "--params", params, "check", "--json"});
    sql().run("DROP OWNED BY reader; DROP ROLE reader");
    CHECK_EQUAL(1, ended.status);
    const Json json(ended.output);
    CHECK(lists(json, "data.problems", R"(run: GRANT INSERT ON "user" TO reader;)"));
    CHECK(lists(json, "data.problems", R"(run: GRANT SELECT ("userId") ON "account" TO reader;)"));
    CHECK_FALSE(lists(json, "data.problems", R"(GRANT SELECT ON "user")"));
}

} // namespace useradmin::test
