// UserAdminCleanUp: a deleted user's rows in the tables of better-auth's plugins are deleted, too.
#include "contract.hpp"

#include <span>

namespace useradmin::test {

namespace {

/// A plugin's table, the column that refers to the user, and extra columns.
struct Plugin {
    const char* name;
    const char* owner;
    const char* columns;
};

constexpr Plugin plugins[] = {
    {"apikey", "userId", R"("key" text, "enabled" boolean)"},
    {"twoFactor", "userId", R"("secret" text, "backupCodes" text)"},
    {"passkey", "userId", R"("publicKey" text, "counter" integer)"},
    {"walletAddress", "userId", R"("address" text, "chainId" integer)"},
    {"member", "userId", R"("organizationId" text, "role" text)"},
    {"teamMember", "userId", R"("teamId" text, "createdAt" text)"},
    {"invitation", "inviterId", R"("organizationId" text, "status" text)"},
    {"oauthAccessToken", "userId", R"("clientId" text, "scopes" text)"},
    {"oauthRefreshToken", "userId", R"("clientId" text, "scopes" text)"},
    {"oauthConsent", "userId", R"("clientId" text, "scopes" text)"},
    {"deviceCode", "userId", R"("deviceCode" text, "userCode" text)"},
};

} // namespace

class CleanUp : public Contract {
  public:
    void setup() override {
        Contract::setup();
        add_user("n", "n@x");
        add_user("m", "m@x");
    }

  protected:
    /// Creates tables that are dropped at the end of the test.
    void create_tables(std::span<const Plugin> tables) {
        std::string made;
        std::string dropped;
        for (const Plugin& table : tables) {
            const std::string name = "\"" + std::string(table.name) + "\"";
            made += "CREATE TABLE " + name + " (\"id\" text, \"" + table.owner + "\" text, " +
                    table.columns + "); ";
            dropped += "DROP TABLE " + name + "; ";
        }
        change(made, dropped);
    }
    void create_tables(const Plugin& table) { create_tables({&table, 1}); }

    /// Inserts a row for each of the users n and m.
    void add_rows(const Plugin& table) {
        sql().run("INSERT INTO \"" + std::string(table.name) + "\" (\"id\", \"" + table.owner +
                  "\") VALUES ('of n', 'n'), ('of m', 'm')");
    }

    /// Returns the ids of a table's rows: "of m, of n".
    std::string rows_of(const std::string& table) {
        return sql().column("SELECT \"id\" FROM \"" + table + "\" ORDER BY 1");
    }

    /// Runs an operation on a store with a new connection.
    template <class Operation>
    auto with_clean_up(const Operation& operation, const std::string& account = "useradmin",
                       bool has_plugins = true) {
        return with_store(operation, account, {.has_plugins = has_plugins});
    }
    static store::Result<store::Done> remove(store::Store& store) {
        return store.remove("n", {"protected@x"}, {});
    }
};

TEST_GROUP_BASE(clean_up, CleanUp){};
TEST_GROUP_BASE(postgresql_clean_up, CleanUp){};

TEST(clean_up, deletes_the_rows_of_a_user_in_plugin_tables) {
    create_tables(plugins);
    for (const Plugin& table : plugins)
        add_rows(table);
    expect_ok(with_clean_up(remove));
    for (const Plugin& table : plugins)
        CHECK_EQUAL_TEXT(std::string("of m"), rows_of(table.name), table.name);
    CHECK_EQUAL(1, sql().number("SELECT count(*) FROM \"user\""));
}

TEST(clean_up, deletes_nothing_without_the_directive) {
    create_tables(plugins);
    for (const Plugin& table : plugins)
        add_rows(table);
    expect_ok(with_clean_up(remove, "useradmin", false));
    for (const Plugin& table : plugins)
        CHECK_EQUAL_TEXT(std::string("of m, of n"), rows_of(table.name), table.name);
}

TEST(clean_up, finds_tables_in_snake_case_and_plural) {
    const Plugin renamed[] = {
        {"api_keys", "reference_id", R"("key" text, "enabled" boolean)"},
        {"two_factor", "user_id", R"("secret" text, "backup_codes" text)"},
        {"members", "user_id", R"("organization_id" text, "role" text)"},
        {"oauthrefreshtokens", "user_id", R"("client_id" text, "scopes" text)"},
    };
    create_tables(renamed);
    for (const Plugin& table : renamed)
        add_rows(table);
    expect_ok(with_clean_up(remove));
    for (const Plugin& table : renamed)
        CHECK_EQUAL_TEXT(std::string("of m"), rows_of(table.name), table.name);
}

TEST(clean_up, deletes_the_verifications_of_the_address) {
    int number = 0;
    for (const char* const identifier :
         {"n@x", "sign-in-otp-n@x", "email-verification-otp-n@x", "forget-password-otp-n@x", "m@x",
          "sign-in-otp-m@x", "nn@x", "n"})
        sql().insert("verification", {{"id", std::to_string(++number)},
                                      {"identifier", identifier},
                                      {"value", "n"},
                                      {"expiresAt", "2030-01-01T00:00:00Z"}});
    expect_ok(with_clean_up(remove));
    CHECK_EQUAL(std::string("5, 6, 7, 8"), rows_of("verification"));
}

TEST(clean_up, does_not_change_a_table_with_other_columns) {
    const Plugin others[] = {
        {"member", "userId", R"("since" text)"},
        {"passkey", "user", R"("publicKey" text, "counter" integer)"},
    };
    create_tables(others);
    for (const Plugin& table : others)
        add_rows(table);
    expect_ok(with_clean_up(remove));
    for (const Plugin& table : others)
        CHECK_EQUAL_TEXT(std::string("of m, of n"), rows_of(table.name), table.name);
}

TEST(clean_up, keeps_the_keys_of_an_organization_with_a_numeric_id) {
    const Plugin keys = {"apikey", "referenceId", R"("key" text, "enabled" boolean)"};
    create_tables(keys);
    sql().run("INSERT INTO \"apikey\" (\"id\", \"referenceId\") VALUES ('of 1', '1')");
    sql().run("CREATE TABLE people (\"id\" integer PRIMARY KEY, \"name\" text, \"email\" text); "
              "INSERT INTO people VALUES (1, 'N', 'n@x')");
    const auto removed =
        with_store([](store::Store& store) { return store.remove("1", {"protected@x"}, {}); },
                   "useradmin", {"people", "session", "account", true});
    sql().run("DROP TABLE people");
    expect_ok(removed);
    CHECK_EQUAL(std::string("of 1"), rows_of("apikey"));
}

TEST(clean_up, is_rolled_back_with_the_deletion) {
    create_tables(plugins);
    add_rows(plugins[0]);
    RejectingListener listener;
    const auto refused = with_clean_up([&](store::DatabaseStore& store) {
        store.set_change_listener(&listener);
        return remove(store);
    });
    CHECK_FALSE(refused);
    CHECK_EQUAL(std::string("of m, of n"), rows_of("apikey"));
}

TEST(postgresql_clean_up, does_not_change_a_table_of_another_role) {
    create_tables(plugins);
    add_rows(plugins[0]);
    sql().run("CREATE ROLE stranger; GRANT ALL ON \"apikey\" TO useradmin; ALTER TABLE \"apikey\" "
              "OWNER TO stranger");
    expect_ok(with_clean_up(remove));
    sql().run("ALTER TABLE \"apikey\" OWNER TO useradmin; DROP OWNED BY stranger; DROP ROLE "
              "stranger");
    CHECK_EQUAL(std::string("of m, of n"), rows_of("apikey"));
}

TEST(postgresql_clean_up, without_the_privilege_to_delete_rows_keeps_them) {
    create_tables(plugins);
    add_rows(plugins[0]);
    add_rows(plugins[1]);
    create_restricted_role(
        R"(GRANT ALL ON "user", "session", "account" TO poor; GRANT SELECT, UPDATE )"
        R"(ON "apikey" TO poor; GRANT DELETE, SELECT ("userId") ON "twoFactor" TO )"
        R"(poor)");
    expect_ok(with_clean_up(remove, "poor"));
    CHECK_EQUAL(std::string("of m, of n"), rows_of("apikey"));
    CHECK_EQUAL(std::string("of m"), rows_of("twoFactor"));
}

TEST(postgresql_clean_up, continues_after_a_privilege_is_revoked) {
    create_tables(plugins);
    add_rows(plugins[0]);
    create_restricted_role(R"(GRANT ALL ON "user", "session", "account", "apikey" TO poor)");
    expect_ok(with_clean_up(
        [&](store::Store& store) {
            expect_ok(store.find("n"));
            sql().run("REVOKE DELETE ON \"apikey\" FROM poor");
            return remove(store);
        },
        "poor"));
    CHECK_EQUAL(std::string("of m, of n"), rows_of("apikey"));
}

TEST(postgresql_clean_up, warns_of_hidden_rows_of_plugins_only_if_it_is_on) {
    create_tables(plugins[0]);
    create_restricted_role("GRANT ALL ON ALL TABLES IN SCHEMA public TO poor");
    sql().run(R"(ALTER TABLE "apikey" ENABLE ROW LEVEL SECURITY)");
    const auto has_warning = [&](bool cleans_up, const std::string& table) {
        log_.lines.clear();
        expect_ok(with_store(
            [&](store::DatabaseStore& store) {
                store.set_plugin_policy({.cleans_up = cleans_up});
                return static_cast<store::Store&>(store).update("m", {{"name", "M"}}, {});
            },
            "poor", {.has_plugins = true}));
        return log_.text().find("security may hide rows of table " + table) != std::string::npos;
    };
    expect_error("UA0109");
    CHECK_FALSE(has_warning(false, ""));
    CHECK_TRUE(has_warning(true, R"("public"."apikey")"));
    change(R"(ALTER TABLE "user" ENABLE ROW LEVEL SECURITY;)"
           R"(CREATE POLICY every ON "user" USING ("id" IS NOT NULL))",
           R"(DROP POLICY every ON "user"; ALTER TABLE "user" DISABLE ROW LEVEL SECURITY)");
    CHECK_TRUE(has_warning(true, R"("user")"));
}

/// A ban disables the user's API keys.
class DisabledKeys : public CleanUp {
  public:
    void setup() override {
        CleanUp::setup();
        create_tables({"apikey", "referenceId", R"("key" text, "enabled" boolean)"});
        sql().run(
            R"(INSERT INTO "apikey" ("id", "referenceId", "enabled") VALUES ('one', 'n', TRUE),
                     ('two', 'n', NULL), ('off', 'n', FALSE), ('other', 'm', TRUE))");
    }

  protected:
    /// Returns the ids of the enabled keys.
    std::string enabled() {
        return sql().column(
            R"(SELECT "id" FROM "apikey" WHERE coalesce("enabled", TRUE) ORDER BY 1)");
    }
    void ban(bool is_banned, const std::string& account = "useradmin", bool has_plugins = true) {
        expect_ok(with_clean_up(
            [&](store::Store& store) {
                return store.update("n", {{"banned", is_banned}}, {});
            },
            account, has_plugins));
    }
};

TEST_GROUP_BASE(disabled_keys, DisabledKeys){};
TEST_GROUP_BASE(postgresql_disabled_keys, DisabledKeys){};

TEST(disabled_keys, are_enabled_again_when_the_ban_is_lifted) {
    ban(true);
    CHECK_EQUAL(std::string("other"), enabled());
    ban(false);
    CHECK_EQUAL(std::string("one, other, two"), enabled());
    CHECK_EQUAL(0, sql().number("SELECT count(*) FROM useradmin_disabled_key"));
}

TEST(disabled_keys, include_those_of_a_second_ban) {
    ban(true);
    sql().run("INSERT INTO \"apikey\" (\"id\", \"referenceId\") VALUES ('new', 'n')");
    sql().run("UPDATE \"apikey\" SET \"enabled\" = TRUE WHERE \"id\" = 'one'");
    ban(true);
    CHECK_EQUAL(std::string("other"), enabled());
    ban(false);
    CHECK_EQUAL(std::string("new, one, other, two"), enabled());
}

TEST(disabled_keys, stay_disabled_if_the_application_lifted_the_ban) {
    ban(true);
    sql().run("UPDATE \"user\" SET \"banned\" = FALSE WHERE \"id\" = 'n'");
    sql().run("UPDATE \"apikey\" SET \"enabled\" = TRUE WHERE \"id\" = 'two'");
    ban(true);
    ban(false);
    CHECK_EQUAL(std::string("other, two"), enabled());
}

TEST(disabled_keys, include_only_keys_that_a_ban_disabled) {
    expect_ok(with_clean_up([](store::Store& store) {
        return store.update("n", {{"role", "admin"}, {"email", "o@x"}}, {});
    }));
    CHECK_EQUAL(std::string("one, other, two"), enabled());
    ban(true, "useradmin", false);
    CHECK_EQUAL(std::string("one, other, two"), enabled());
}

TEST(disabled_keys, are_enabled_again_if_the_ban_is_rolled_back) {
    RejectingListener listener;
    CHECK_FALSE(with_clean_up([&](store::DatabaseStore& store) {
        store.set_change_listener(&listener);
        return store.update("n", {{"banned", true}}, {}, store::SessionPolicy::keep);
    }));
    CHECK_EQUAL(std::string("one, other, two"), enabled());
}

TEST(disabled_keys, stay_disabled_without_a_table_that_records_them) {
    sql().run("ALTER TABLE useradmin_disabled_key RENAME TO other_key");
    ban(true);
    ban(false);
    sql().run("ALTER TABLE other_key RENAME TO useradmin_disabled_key");
    CHECK_EQUAL(std::string("other"), enabled());
}

TEST(disabled_keys, keys_of_a_deleted_user_are_no_longer_recorded) {
    ban(true);
    CHECK_EQUAL(2, sql().number("SELECT count(*) FROM useradmin_disabled_key"));
    expect_ok(with_clean_up(remove));
    CHECK_EQUAL(0, sql().number("SELECT count(*) FROM useradmin_disabled_key"));
}

TEST(postgresql_disabled_keys, require_a_privilege_that_a_ban_does_not_require) {
    create_restricted_role(R"(GRANT ALL ON "user", "session", "account", useradmin_revocation TO )"
                           R"(poor; GRANT SELECT ON "apikey" TO poor)");
    ban(true, "poor");
    CHECK_EQUAL(std::string("one, other, two"), enabled());
    sql().run("GRANT UPDATE (\"enabled\") ON \"apikey\" TO poor");
    ban(true, "poor");
    CHECK_EQUAL(std::string("other"), enabled());
    CHECK_EQUAL(1, sql().number("SELECT count(*) FROM \"user\" WHERE \"banned\""));
}

} // namespace useradmin::test
