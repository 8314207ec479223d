// Removal of a user's second factor (UserAdminExtras and better-auth's twoFactor plugin).
#include "contract.hpp"

namespace useradmin::test {

class RemoveSecondFactor : public Contract {
  public:
    void setup() override {
        Contract::setup();
        for (const char* const id : {"n", "m"}) {
            add_user(id, std::string(id) + "@x");
            add_session(std::string("session of ") + id, id);
        }
        add_plugin_tables();
        sql().run(R"(UPDATE "user" SET "twoFactorEnabled" = TRUE;
                     INSERT INTO "twoFactor" ("id", "secret", "backupCodes", "userId")
                     VALUES ('of n', 'x', 'y', 'n'), ('of m', 'x', 'y', 'm'))");
    }

  protected:
    /// Returns the values of a column: "a, b".
    std::string column_values(const std::string& column, const std::string& table) {
        return sql().column("SELECT \"" + column + "\" FROM " + table + " ORDER BY 1");
    }
    /// Returns four lists of user ids, separated by semicolons: users with a second factor, with a
    /// session, with twoFactorEnabled, and with a revocation.
    std::string state() {
        return column_values("userId", "\"twoFactor\"") + "; " +
               column_values("userId", "\"session\"") + "; " +
               column_values("id", "\"user\" WHERE \"twoFactorEnabled\"") + "; " +
               column_values("user_id", "useradmin_revocation");
    }
    static constexpr const char* untouched = "m, n; m, n; m, n; ";

    store::Result<store::Done> remove(std::string_view id, const store::UpdateGuard& guard = {},
                                      const std::string& account = "useradmin") {
        SingleConnection connection(database(), account);
        return remove_over(connection, id, guard);
    }
    store::Result<store::Done>
    remove_over(SingleConnection& connection, std::string_view id,
                const store::UpdateGuard& guard = {}, store::ChangeListener* listener = nullptr,
                const store::TableNames& names = {"user", "session", "account", true}) {
        store::DatabaseStore store(connection, log_, pool_, names, "factors", timeout_policy);
        store.set_change_listener(listener);
        return store.remove_second_factor(id, guard);
    }
};

TEST_GROUP_BASE(remove_second_factor, RemoveSecondFactor){};
TEST_GROUP_BASE(postgresql_remove_second_factor, RemoveSecondFactor){};

TEST(remove_second_factor, ends_sessions_and_records_a_revocation_of_that_user) {
    expect_ok(remove("n"));
    CHECK_EQUAL(std::string("m; m; m; n"), state());
    CHECK_EQUAL(1, sql().number("SELECT count(*) FROM \"user\" WHERE \"updatedAt\" > "
                                "'2026-02-01T00:00:00.000Z'"));
}

TEST(remove_second_factor, removes_the_trusted_devices_and_challenges_of_that_user) {
    for (const char* const user : {"n", "m"})
        for (const std::string identifier : {"trust-device-", "2fa-", "sign-in-", "trust-devic"})
            add_verification(identifier + user, user);
    expect_ok(remove("n"));
    CHECK_EQUAL(
        std::string("2fa-m, sign-in-m, sign-in-n, trust-device-m, trust-devicm, trust-devicn"),
        column_values("identifier", "\"verification\""));
}

TEST(remove_second_factor, is_all_or_nothing) {
    add_verification("2fa-n", "n");
    RejectingListener listener;
    CHECK_FALSE(remove_over(*connection_, "n", {}, &listener));
    CHECK_EQUAL(std::string(untouched), state());
    CHECK_EQUAL(std::string("2fa-n"), column_values("identifier", "\"verification\""));
}

TEST(remove_second_factor, fails_for_a_user_without_one) {
    const auto has_no_factor = [&](const char* id) {
        const auto removed = remove(id);
        return !removed && removed.failure() == store::Failure::no_second_factor;
    };
    expect_ok(remove("n"));
    CHECK(has_no_factor("n"));
    CHECK_EQUAL(std::string("m; m; m; n"), state());
    sql().run(R"(UPDATE "user" SET "twoFactorEnabled" = NULL WHERE "id" = 'm')");
    CHECK(has_no_factor("m"));
    CHECK(is_not_found(remove("unknown")));
}

TEST(remove_second_factor, fails_without_the_columns_or_tables_of_the_plugin) {
    undo();
    const auto removed = remove("n");
    CHECK(!removed && removed.failure() == store::Failure::no_second_factor);
    CHECK(is_not_found(remove("unknown")));
    CHECK_EQUAL(std::string("m, n"), column_values("userId", "\"session\""));
}

TEST(remove_second_factor, obeys_the_guard) {
    for (const auto& [guard, failure] : rejecting_guards()) {
        const auto removed = remove("n", guard);
        CHECK(!removed && removed.failure() == failure);
        CHECK(!remove("unknown", guard));
    }
    CHECK_EQUAL(std::string(untouched), state());
    expect_ok(remove("n", {store::UpdateGuard::Kind::requires_role, "user"}));
}

TEST(remove_second_factor, finds_tables_in_snake_case_and_ids_of_any_type) {
    for (const auto& [type, user, row] : id_variants) {
        sql().run(with_types(R"(
CREATE TABLE people (id $type PRIMARY KEY, name text, email text, two_factor_enabled $boolean);
CREATE TABLE people_session (id text, token text, user_id $type, expires_at text);
CREATE TABLE two_factors (id text, secret text, backup_codes text, user_id $type);
INSERT INTO people VALUES ('$user', 'N', 'p@x', TRUE);
INSERT INTO people_session VALUES ('s', 't', '$user', 'x');
INSERT INTO two_factors VALUES ('f', 'x', 'y', '$user'))",
                             {{"$type", type}, {"$user", user}}));
        add_verification("trust-device-x", std::string(user));
        SingleConnection connection(database());
        const auto removed = remove_over(connection, user, {}, nullptr,
                                         {"people", "people_session", "account", true});
        const std::string left = column_values("id", "two_factors") +
                                 column_values("id", "people_session") +
                                 column_values("identifier", "\"verification\"") +
                                 column_values("id", "people WHERE two_factor_enabled");
        sql().run("DROP TABLE people; DROP TABLE people_session; DROP TABLE two_factors");
        expect_ok(removed);
        CHECK_EQUAL_TEXT(std::string(), left, type.data());
    }
}

TEST(postgresql_remove_second_factor, needs_privileges_on_the_tables_of_the_plugin) {
    create_restricted_role(R"(GRANT ALL ON "user", "session", "account", useradmin_revocation TO )"
                           R"(poor; GRANT SELECT ("userId") ON "twoFactor" TO poor)");
    expect_error("permission denied for table twoFactor");
    expect_error("permission denied for table session");
    CHECK(is_failure(remove("n", {}, "poor")));
    sql().run("GRANT DELETE ON \"twoFactor\" TO poor; GRANT DELETE, SELECT (\"identifier\", "
              "\"value\") ON \"verification\" TO poor; REVOKE DELETE ON \"session\" FROM poor");
    CHECK(is_failure(remove("n", {}, "poor")));
    CHECK_EQUAL(std::string(untouched), state());
    sql().run("GRANT DELETE ON \"session\" TO poor");
    expect_ok(remove("n", {}, "poor"));
}

} // namespace useradmin::test
