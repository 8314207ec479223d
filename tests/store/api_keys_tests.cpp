// API keys of better-auth's apiKey plugin: lookups and use counts.
#include "contract.hpp"

#include <atomic>
#include <string>

namespace useradmin::test {

class ApiKeys : public Contract {
  public:
    void setup() override {
        Contract::setup();
        add_user("n", "n@x");
        add_plugin_tables();
        sql().run(R"(INSERT INTO "apikey" ("id", "key", "referenceId", "enabled", "createdAt",
                     "updatedAt") VALUES ('k', 'digest', 'n', TRUE, '2026-11-01T00:00:00.000Z',
                     '2026-11-01T00:00:00.000Z'))");
        now_ = *text::parse_date("2026-11-26T10:00:00.000Z");
    }

  protected:
    void update_key(const std::string& values) { sql().run("UPDATE \"apikey\" SET " + values); }
    std::string value(const std::string& column) {
        return sql().value("SELECT \"" + column + "\" FROM \"apikey\"").value_or("NULL");
    }

    /// Runs an operation on a store with a new connection.
    template <class Operation>
    auto with_keys(const Operation& operation) {
        return with_store(operation, "useradmin", {.has_plugins = true});
    }
    store::Result<store::ApiKeyWithUser> find(std::string_view digest = "digest") {
        return with_keys([&](store::Store& store) { return store.find_api_key(digest); });
    }
    bool use_succeeds(const store::ApiKeyUse& use) {
        const auto used = with_keys([&](store::Store& store) { return store.use_api_key(use); });
        CHECK(used || used.is_not_found());
        return static_cast<bool>(used);
    }

    text::Timestamp now_;
};

TEST_GROUP_BASE(api_keys, ApiKeys){};

TEST(api_keys, are_found_with_their_owner) {
    update_key(R"("configId" = 'default', "permissions" = '{}', "remaining" = 7, "lastRequest" = )"
               R"('2026-11-26T09:00:00.000Z')");
    const store::ApiKeyWithUser found = expect_ok(find());
    CHECK_EQUAL(std::string("n"), std::string(found.user.value().id));
    CHECK_EQUAL(std::string("user"), std::string(found.user->role.value_or("")));
    CHECK_EQUAL(std::string("k"), std::string(found.key.id));
    CHECK_EQUAL(std::string("default"), std::string(found.key.config_id.value_or("")));
    CHECK_EQUAL(std::string("{}"), std::string(found.key.permissions.value_or("")));
    CHECK_EQUAL(std::string("7"), std::string(found.key.remaining.value_or("")));
    CHECK_TRUE(found.key.last_request == now_ - std::chrono::hours(1));
    CHECK_FALSE(found.key.refill_amount.has_value());
    CHECK_TRUE(find("Digest").is_not_found());
    // A key of an organization has no user.
    update_key("\"referenceId\" = 'o'");
    CHECK_FALSE(expect_ok(find()).user.has_value());
}

TEST_GROUP_BASE(postgresql_api_keys, ApiKeys){};

TEST(postgresql_api_keys, are_not_created_while_their_user_is_deleted) {
    const auto created = while_another_writer(R"(DELETE FROM "user" WHERE "id" = 'n')", [&] {
        model::ApiKey key;
        key.id = "new";
        key.reference_id = "n";
        key.enabled = "1";
        key.created_at = key.updated_at = now_;
        return with_keys(
            [&](store::DatabaseStore& store) { return store.create_api_key(key, "new digest"); });
    });
    CHECK_TRUE(created.is_not_found());
    CHECK_TRUE(find("new digest").is_not_found());
}

TEST(api_keys, keys_of_the_old_schema_have_their_owner_in_userId) {
    sql().run(R"(ALTER TABLE "apikey" RENAME "referenceId" TO "userId")");
    CHECK_EQUAL(std::string("n"), std::string(expect_ok(find()).user.value().id));
}

TEST(api_keys, keys_of_both_schemas_have_their_owner_in_referenceId) {
    sql().run(R"(ALTER TABLE "apikey" ADD COLUMN "userId" text)");
    update_key(R"("userId" = 'n', "referenceId" = NULL)");
    CHECK_FALSE(expect_ok(find()).user.has_value());
    update_key("\"referenceId\" = 'n'");
    CHECK_TRUE(expect_ok(find()).user.has_value());
}

TEST(api_keys, require_a_table_with_all_limit_columns) {
    undo();
    expect_error("UA0103: AuthUserAdminApiKey: found no table of better-auth's API key plugin");
    CHECK_TRUE(is_failure(find()));
    add_plugin_tables();
    sql().run("ALTER TABLE \"apikey\" RENAME COLUMN \"expiresAt\" TO \"ends\"");
    expect_error("has no column \"expiresAt\"");
    CHECK_TRUE(is_failure(find()));
}

TEST(api_keys, use_up_their_remaining_requests_and_are_refilled) {
    update_key("\"remaining\" = 2");
    store::ApiKeyUse use{"k", now_};
    use.remaining = store::ApiKeyUse::Remaining::take;
    CHECK_TRUE(use_succeeds(use));
    CHECK_TRUE(use_succeeds(use));
    CHECK_FALSE(use_succeeds(use));
    CHECK_EQUAL(std::string("0"), value("remaining"));
    CHECK_EQUAL(std::string("NULL"), value("lastRefillAt"));
    use.remaining = store::ApiKeyUse::Remaining::refill;
    use.refilled = 4;
    use.refill_before = now_ - std::chrono::hours(1);
    CHECK_TRUE(use_succeeds(use));
    CHECK_EQUAL(std::string("4"), value("remaining"));
    // Another request has already refilled the key.
    CHECK_FALSE(use_succeeds(use));
    const store::ApiKeyWithUser found = expect_ok(find());
    CHECK_TRUE(found.key.last_refill_at == now_);
    CHECK_TRUE(found.key.last_request == now_);
}

TEST(api_keys, are_counted_per_window) {
    store::ApiKeyUse use{"k", now_};
    use.rate = store::ApiKeyUse::Rate::start;
    use.max_requests = 2;
    use.window_before = now_ - std::chrono::minutes(1);
    CHECK_TRUE(use_succeeds(use));
    // Another request has already started the window.
    CHECK_FALSE(use_succeeds(use));
    use.rate = store::ApiKeyUse::Rate::count;
    CHECK_TRUE(use_succeeds(use));
    CHECK_FALSE(use_succeeds(use));
    CHECK_EQUAL(std::string("2"), value("requestCount"));
    CHECK_EQUAL(std::string("NULL"), value("remaining"));
    use.now += std::chrono::minutes(2);
    use.window_before = use.now - std::chrono::minutes(1);
    use.rate = store::ApiKeyUse::Rate::start;
    CHECK_TRUE(use_succeeds(use));
    CHECK_EQUAL(std::string("1"), value("requestCount"));
}

TEST(api_keys, uses_on_all_connections_are_counted_exactly) {
    update_key("\"remaining\" = 25");
    std::atomic<int> used = 0;
    with_stores(4, {.has_plugins = true}, [&](store::Store& store) {
        store::ApiKeyUse use{"k", now_};
        use.remaining = store::ApiKeyUse::Remaining::take;
        for (int attempt = 0; attempt < 10; ++attempt)
            used += store.use_api_key(use) ? 1 : 0;
    });
    CHECK_EQUAL(25, used.load());
    CHECK_EQUAL(std::string("0"), value("remaining"));
}

} // namespace useradmin::test
