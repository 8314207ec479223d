// UserAdminMailCommand: events that invalidate links to set a password.
#include "contract.hpp"

namespace useradmin::test {

using store::Changes;

class PasswordLinks : public Contract {
  public:
    void setup() override {
        Contract::setup();
        for (const std::string id : {"n", "m"}) {
            add_user(id, id + "@x");
            for (const std::string identifier : {"reset-password:", "reset-passwor", "2fa-"})
                add_verification(identifier + id, id);
        }
    }

  protected:
    /// Returns the users with links: "m, n".
    std::string links() {
        return sql().column(R"(SELECT "value" FROM "verification" WHERE "identifier" LIKE )"
                            R"('reset-password:%' ORDER BY 1)");
    }
    long count_other_rows() {
        return sql().number("SELECT count(*) FROM \"verification\" WHERE \"identifier\" NOT LIKE "
                            "'reset-password:%'");
    }

    /// Runs an operation on a store with a new connection. By default, the store invalidates links.
    template <class Operation>
    auto over(const Operation& operation, const std::string& account = "useradmin",
              store::PluginPolicy policy = {false, true},
              store::ChangeListener* listener = nullptr) {
        return with_store(
            [&](store::DatabaseStore& store) {
                store.set_plugin_policy(policy);
                store.set_change_listener(listener);
                return operation(store);
            },
            account, {.has_plugins = true});
    }
    static store::Result<store::Done> add_link(store::Store& store) {
        const text::Timestamp now = at("2026-05-01T00:00:00Z");
        return store.issue_verification("n",
                                        model::VerificationValue{"new", "reset-password:new", "n",
                                                                 now + std::chrono::hours(1), now,
                                                                 now},
                                        {});
    }
    static store::Result<store::Done> set_password(store::Store& store) {
        return store.set_password(store::account_row(new_user("n", "n@x")),
                                  store::SessionPolicy::keep, {});
    }
    static store::Result<store::Done> remove(store::Store& store) {
        return store.remove("n", {"protected@x"}, {});
    }
    static auto update(const Changes& changes,
                       store::SessionPolicy sessions = store::SessionPolicy::keep) {
        return [=](store::Store& store) { return store.update("n", changes, {}, sessions); };
    }
};

TEST_GROUP_BASE(password_links, PasswordLinks){};
TEST_GROUP_BASE(postgresql_password_links, PasswordLinks){};

TEST(password_links, become_invalid_with_a_new_link) {
    expect_ok(over(add_link));
    CHECK_EQUAL(1, sql().number(R"(SELECT count(*) FROM "verification" WHERE "value" = 'n' AND
        "identifier" = 'reset-password:new')"));
    CHECK_EQUAL(std::string("m, n"), links());
    CHECK_EQUAL(4, count_other_rows());
}

TEST(password_links, become_invalid_with_a_new_password) {
    expect_ok(over(set_password));
    CHECK_EQUAL(std::string("m"), links());
    CHECK_EQUAL(4, count_other_rows());
}

TEST(password_links, are_deleted_with_their_user) {
    expect_ok(over(remove));
    CHECK_EQUAL(std::string("m"), links());
    CHECK_EQUAL(4, count_other_rows());
}

TEST(password_links, become_invalid_with_a_new_address_or_a_ban) {
    IgnoringListener listener(true);
    for (const Changes& changes : {Changes{{"email", "other@x"}}, Changes{{"banned", true}}})
        for (const auto sessions : {store::SessionPolicy::keep, store::SessionPolicy::revoke})
            for (store::ChangeListener* const told : Listeners{nullptr, &listener}) {
                expect_ok(over(update(changes, sessions), "useradmin", {false, true}, told));
                CHECK_EQUAL_TEXT(std::string("m"), links(), changes[0].field.data());
                CHECK_EQUAL(4, count_other_rows());
                sql().run(
                    R"(UPDATE "user" SET "email" = 'n@x', "banned" = FALSE WHERE "id" = 'n')");
                add_verification("reset-password:n", "n");
            }
}

TEST(password_links, become_invalid_without_a_table_of_revocations) {
    change("ALTER TABLE useradmin_revocation RENAME TO other",
           "ALTER TABLE other RENAME TO useradmin_revocation");
    expect_ok(over(update({{"email", "other@x"}})));
    CHECK_EQUAL(std::string("m"), links());
    expect_ok(over(add_link));
    expect_ok(over(update({{"banned", true}})));
    CHECK_EQUAL(std::string("m"), links());
}

TEST(password_links, stay_valid_after_other_changes) {
    for (const Changes& changes : {Changes{{"email", "n@x"}, {"name", "other"}},
                                   Changes{{"role", "admin"}}, Changes{{"banned", false}}}) {
        expect_ok(over(update(changes)));
        CHECK_EQUAL_TEXT(std::string("m, n"), links(), changes[0].field.data());
    }
}

TEST(password_links, stay_valid_if_no_mail_is_sent) {
    const store::PluginPolicy without = {true, false};
    expect_ok(over(update({{"email", "other@x"}, {"banned", true}}), "useradmin", without));
    expect_ok(over(set_password, "useradmin", without));
    expect_ok(over(remove, "useradmin", without));
    CHECK_EQUAL(std::string("m, n"), links());
}

TEST(password_links, become_invalid_in_the_transaction_of_the_change) {
    RejectingListener listener;
    CHECK_FALSE(over(add_link, "useradmin", {false, true}, &listener));
    CHECK_FALSE(over(set_password, "useradmin", {false, true}, &listener));
    CHECK_FALSE(over(remove, "useradmin", {false, true}, &listener));
    CHECK_FALSE(over(update({{"email", "other@x"}}), "useradmin", {false, true}, &listener));
    CHECK_EQUAL(std::string("m, n"), links());
    CHECK_EQUAL(0, sql().number(R"(SELECT count(*) FROM "user" WHERE "email" = 'other@x')"));
}

TEST(password_links, become_invalid_without_UserAdminCleanUp) {
    add_plugin_tables();
    sql().run(R"(INSERT INTO "passkey" ("id", "userId", "publicKey") VALUES ('p', 'n', 'x');
                 INSERT INTO "apikey" ("id", "referenceId", "key", "enabled")
                 VALUES ('k', 'n', 'x', TRUE))");
    expect_ok(over(update({{"banned", true}})));
    expect_ok(over(remove));
    CHECK_EQUAL(std::string("m"), links());
    CHECK_EQUAL(1, sql().number(R"(SELECT count(*) FROM "apikey" WHERE "enabled")"));
    CHECK_EQUAL(1, sql().number(R"(SELECT count(*) FROM "passkey")"));
}

TEST(postgresql_password_links, need_the_privilege_to_read_their_values) {
    create_restricted_role(
        R"(GRANT ALL ON "user", "session", "account", useradmin_revocation, )"
        R"(useradmin_attempt TO poor; GRANT SELECT ("identifier"), INSERT, DELETE )"
        R"(ON "verification" TO poor)");
    expect_error("permission denied for table verification");
    CHECK(is_failure(over(add_link, "poor")));
    expect_ok(over(update({{"email", "other@x"}}), "poor"));
    CHECK_EQUAL(std::string("m, n"), links());
    sql().run("GRANT SELECT (\"value\") ON \"verification\" TO poor");
    expect_ok(over(add_link, "poor"));
    expect_ok(over(remove, "poor"));
    CHECK_EQUAL(std::string("m"), links());
}

} // namespace useradmin::test
