// Sign-in methods of a user (UserAdminExtras), in the tables of better-auth and its plugins.
#include "contract.hpp"

namespace useradmin::test {

using model::MethodKind;

/// Creates the plugins' tables and the users n and m, each with a session, a password, a passkey
/// and an API key.
class SignInMethods : public Contract {
  public:
    void setup() override {
        Contract::setup();
        for (const char* const id : {"n", "m"}) {
            add_user(id, std::string(id) + "@x");
            add_session(std::string("session of ") + id, id);
        }
        add_plugin_tables();
        for (const std::string user : {"n", "m"}) {
            add_account("password", user, "credential", "2026-01-01T00:00:00.000Z");
            sql().run("INSERT INTO \"passkey\" VALUES ('passkey of " + user +
                      "', 'Phone', 's3cr3t', '" + user + "', 1, '2026-01-03T00:00:00.000Z')");
            sql().run(R"(INSERT INTO "apikey" ("id", "name", "start", "key", "referenceId",
                         "enabled", "expiresAt", "createdAt") VALUES ('key of )" +
                      user + "', 'Backup', 'abc', 's3cr3t', '" + user +
                      "', FALSE, '2030-01-01T00:00:00.000Z', '2026-01-04T00:00:00.000Z')");
        }
    }

  protected:
    void add_account(const std::string& id, const std::string& user, const std::string& provider,
                     const std::string& made) {
        Contract::add_account(id + " of " + user, id, user, "s3cr3t", provider, made);
    }

    /// Runs an operation on a store with this connection.
    template <class Operation>
    auto with_methods(SingleConnection& connection, const Operation& operation,
                      const store::TableNames& names = {"user", "session", "account", true},
                      store::ChangeListener* listener = nullptr) {
        store::DatabaseStore store(connection, log_, pool_, names, "methods", timeout_policy);
        store.set_change_listener(listener);
        return operation(store);
    }
    store::Result<std::vector<model::SignInMethod>> find(std::string_view user, std::int64_t most,
                                                         const std::string& account = "useradmin") {
        SingleConnection connection(database(), account);
        return with_methods(connection, [&](store::Store& store) {
            return store.list_sign_in_methods(user, most);
        });
    }
    /// Returns all fields of each method: "account 'password of n' 'credential' NULL …; …".
    static std::string describe_all(const std::vector<model::SignInMethod>& methods) {
        const auto text = [](model::NullableText value) {
            return value ? " '" + std::string(*value) + "'" : std::string(" NULL");
        };
        const auto time = [](model::NullableTime value) {
            std::string text(value ? " " : " NULL");
            if (value)
                text::append_iso8601(text, *value);
            return text.substr(0, 11);
        };
        std::string all;
        for (const model::SignInMethod& method : methods)
            all += (all.empty() ? "" : "; ") + std::string(text_of(method.kind)) + text(method.id) +
                   text(method.provider_id) + text(method.name) + text(method.start) +
                   (method.enabled ? (method.is_enabled() ? " on" : " off") : " NULL") +
                   time(method.created_at) + time(method.expires_at);
        return all;
    }
    /// Returns only the ids: "password of n, passkey of n".
    std::string ids_of(std::string_view user, std::int64_t most = 100) {
        std::string all;
        for (const model::SignInMethod& method : expect_ok(find(user, most)))
            all += (all.empty() ? "" : ", ") + std::string(method.id.value_or("-"));
        return all;
    }
    store::Result<store::Done> remove(std::string_view user, MethodKind kind, std::string_view id,
                                      const store::UpdateGuard& guard = {},
                                      const std::string& account = "useradmin") {
        SingleConnection connection(database(), account);
        return with_methods(connection, [&](store::Store& store) {
            return store.remove_sign_in_method(user, kind, id, guard);
        });
    }
    static bool is_missing(const store::Result<store::Done>& removed) {
        return !removed && removed.failure() == store::Failure::no_sign_in_method;
    }
    static constexpr const char* untouched = "password of n, passkey of n, key of n";
};

TEST_GROUP_BASE(sign_in_methods, SignInMethods){};
TEST_GROUP_BASE(postgresql_sign_in_methods, SignInMethods){};

TEST(sign_in_methods, are_listed_by_kind_without_secrets) {
    sql().run("UPDATE \"user\" SET \"twoFactorEnabled\" = TRUE WHERE \"id\" = 'n'");
    CHECK_EQUAL(std::string("account 'password of n' 'credential' NULL NULL NULL 2026-01-01 NULL; "
                            "second-factor NULL NULL NULL NULL NULL NULL NULL; "
                            "passkey 'passkey of n' NULL 'Phone' NULL NULL 2026-01-03 NULL; "
                            "api-key 'key of n' NULL 'Backup' 'abc' off 2026-01-04 2030-01-01"),
                describe_all(expect_ok(find("n", 100))));
    CHECK(is_not_found(find("unknown", 100)));
    add_user("alone", "alone@x");
    CHECK_EQUAL(std::string(), ids_of("alone"));
}

TEST(sign_in_methods, are_listed_newest_first_up_to_the_limit) {
    sql().run("UPDATE \"user\" SET \"twoFactorEnabled\" = TRUE WHERE \"id\" = 'n'");
    add_account("new", "n", "github", "2026-03-01T00:00:00.000Z");
    add_account("old", "n", "google", "2025-03-01T00:00:00.000Z");
    const std::string all = "new of n, password of n, old of n, -, passkey of n, key of n";
    CHECK_EQUAL(all, ids_of("n", 6));
    CHECK_EQUAL(std::string("new of n, password of n, old of n, -, passkey of n"), ids_of("n", 5));
    CHECK_EQUAL(std::string("new of n, password of n, old of n, -"), ids_of("n", 4));
    CHECK_EQUAL(std::string("new of n, password of n, old of n"), ids_of("n", 3));
    CHECK_EQUAL(std::string("new of n"), ids_of("n", 1));
}

TEST(sign_in_methods, methods_of_missing_tables_are_omitted) {
    undo();
    CHECK_EQUAL(std::string("password of n"), ids_of("n"));
    for (const MethodKind kind : model::method_kinds)
        CHECK(is_missing(remove("n", kind, "passkey of n")));
    CHECK(is_not_found(remove("unknown", MethodKind::passkey, "x")));
}

TEST(sign_in_methods, without_some_columns_are_listed_with_null) {
    undo();
    change("CREATE TABLE \"passkey\" (\"id\" text, \"publicKey\" text, \"userId\" text, "
           "\"counter\" integer); INSERT INTO \"passkey\" VALUES ('p', 'x', 'n', 1); "
           "CREATE TABLE \"api_key\" (\"id\" text, \"key\" text, user_id text, \"enabled\" "
           "boolean); INSERT INTO \"api_key\" VALUES ('k', 'x', 'n', NULL)",
           "DROP TABLE \"passkey\"; DROP TABLE \"api_key\"");
    CHECK_EQUAL(std::string("account 'password of n' 'credential' NULL NULL NULL 2026-01-01 NULL; "
                            "passkey 'p' NULL NULL NULL NULL NULL NULL; "
                            "api-key 'k' NULL NULL NULL NULL NULL NULL"),
                describe_all(expect_ok(find("n", 100))));
    expect_ok(remove("n", MethodKind::api_key, "k"));
    expect_ok(remove("n", MethodKind::passkey, "p"));
    // A row without an id cannot be addressed, so it is not listed.
    sql().run("ALTER TABLE \"passkey\" DROP COLUMN \"id\"; INSERT INTO \"passkey\" VALUES ('x', "
              "'n', 1)");
    CHECK_EQUAL(std::string("password of n"), ids_of("n"));
    CHECK(is_missing(remove("n", MethodKind::passkey, "x")));
}

TEST(sign_in_methods, are_removed_one_by_one_and_sessions_remain) {
    const std::pair<MethodKind, const char*> methods[] = {{MethodKind::account, "password of "},
                                                          {MethodKind::passkey, "passkey of "},
                                                          {MethodKind::api_key, "key of "}};
    for (const auto& [kind, id] : methods) {
        expect_ok(remove("n", kind, std::string(id) + "n"));
        CHECK(is_missing(remove("n", kind, std::string(id) + "n")));
    }
    CHECK_EQUAL(std::string(), ids_of("n"));
    CHECK_EQUAL(std::string("password of m, passkey of m, key of m"), ids_of("m"));
    CHECK_EQUAL(2, sql().number("SELECT count(*) FROM \"session\""));
    CHECK_EQUAL(0, sql().number("SELECT count(*) FROM useradmin_revocation"));
}

TEST(sign_in_methods, methods_of_another_user_or_kind_are_kept) {
    CHECK(is_missing(remove("m", MethodKind::passkey, "passkey of n")));
    CHECK(is_missing(remove("n", MethodKind::account, "passkey of n")));
    CHECK(is_missing(remove("n", MethodKind::second_factor, "passkey of n")));
    CHECK(is_missing(remove("n", MethodKind::passkey, "Passkey of n")));
    CHECK(is_not_found(remove("unknown", MethodKind::passkey, "passkey of n")));
    CHECK_EQUAL(std::string(untouched), ids_of("n"));
}

TEST(sign_in_methods, obey_the_guard) {
    for (const auto& [guard, failure] : rejecting_guards()) {
        const auto removed = remove("n", MethodKind::passkey, "passkey of n", guard);
        CHECK(!removed && removed.failure() == failure);
        // A method that the user does not have is rejected in the same way.
        const auto missing = remove("n", MethodKind::passkey, "unknown", guard);
        CHECK(!missing && missing.failure() == failure);
    }
    CHECK_EQUAL(std::string(untouched), ids_of("n"));
    const store::UpdateGuard passed = {store::UpdateGuard::Kind::requires_role, "user"};
    CHECK(is_missing(remove("n", MethodKind::passkey, "unknown", passed)));
    expect_ok(remove("n", MethodKind::passkey, "passkey of n", passed));
}

TEST(sign_in_methods, are_kept_if_the_change_cannot_be_recorded) {
    RejectingListener listener;
    CHECK_FALSE(with_methods(
        *connection_,
        [](store::Store& store) {
            return store.remove_sign_in_method("n", MethodKind::account, "password of n");
        },
        {"user", "session", "account", true}, &listener));
    CHECK_EQUAL(std::string(untouched), ids_of("n"));
}

TEST(sign_in_methods, are_found_in_snake_case_with_ids_of_any_type) {
    undo();
    for (const IdVariant& variant : id_variants) {
        const std::string type(variant.type);
        const std::string user(variant.user);
        const std::string id(variant.row);
        sql().run(with_types(R"(
CREATE TABLE people (id $type PRIMARY KEY, name text, email text);
CREATE TABLE people_account (id $type, user_id $type, provider_id text, account_id text,
    password text, created_at text);
CREATE TABLE passkeys (id $type, user_id $type, name text, public_key text, counter integer,
    created_at text);
CREATE TABLE api_keys (id $type, user_id $type, name text, key text, enabled $boolean,
    created_at text);
INSERT INTO people VALUES ('$user', 'N', 'p@x');
INSERT INTO people_account VALUES ('$id', '$user', 'github', 'x', NULL, '2026-01-01T00:00:00.000Z');
INSERT INTO passkeys VALUES ('$id', '$user', 'P', 'x', 1, '2026-01-01T00:00:00.000Z');
INSERT INTO api_keys VALUES ('$id', '$user', 'K', 'x', TRUE, '2026-01-01T00:00:00.000Z'))",
                             {{"$type", type}, {"$user", user}, {"$id", id}}));
        SingleConnection connection(database());
        const store::TableNames names{"people", "session", "people_account", true};
        std::string listed;
        bool is_removed = true;
        bool is_unknown = true;
        with_methods(
            connection,
            [&](store::Store& store) {
                if (const auto found = store.list_sign_in_methods(user, 100))
                    listed = describe_all(*found);
                for (const MethodKind kind :
                     {MethodKind::account, MethodKind::passkey, MethodKind::api_key}) {
                    for (const std::string& other : {"0" + id, std::string("x"), id + "'"})
                        is_unknown = is_unknown &&
                                     is_missing(store.remove_sign_in_method(user, kind, other));
                    is_removed =
                        is_removed && store.remove_sign_in_method(user, kind, id).operator bool();
                }
            },
            names);
        const long left = sql().number("SELECT (SELECT count(*) FROM people_account) + (SELECT "
                                       "count(*) FROM passkeys) + (SELECT count(*) FROM api_keys)");
        sql().run("DROP TABLE people; DROP TABLE people_account; DROP TABLE passkeys; DROP TABLE "
                  "api_keys");
        CHECK_EQUAL_TEXT("account '" + id + "' 'github' NULL NULL NULL 2026-01-01 NULL; passkey '" +
                             id + "' NULL 'P' NULL NULL 2026-01-01 NULL; api-key '" + id +
                             "' NULL 'K' NULL on 2026-01-01 NULL",
                         listed, type.c_str());
        CHECK_TEXT(is_unknown, type.c_str());
        CHECK_TEXT(is_removed, type.c_str());
        CHECK_EQUAL_TEXT(0, left, type.c_str());
    }
}

TEST(postgresql_sign_in_methods, need_privileges_on_the_tables_of_the_plugins) {
    create_restricted_role(R"(GRANT ALL ON "user", "account" TO poor)");
    expect_error("permission denied for table");
    CHECK(is_failure(find("n", 100, "poor")));
    CHECK(is_failure(remove("n", MethodKind::passkey, "passkey of n", {}, "poor")));
    sql().run("GRANT DELETE, SELECT (\"id\", \"userId\", \"name\", \"createdAt\") ON \"passkey\" "
              "TO poor; GRANT DELETE, SELECT (\"id\", \"referenceId\", \"name\", \"start\", "
              "\"enabled\", \"createdAt\", \"expiresAt\") ON \"apikey\" TO poor; REVOKE ALL ON "
              "\"account\" FROM poor; GRANT DELETE, SELECT (\"id\", \"userId\", \"providerId\", "
              "\"createdAt\") ON \"account\" TO poor");
    CHECK_EQUAL(3U, expect_ok(find("n", 100, "poor")).size());
    expect_ok(remove("n", MethodKind::passkey, "passkey of n", {}, "poor"));
    expect_ok(remove("n", MethodKind::api_key, "key of n", {}, "poor"));
    expect_ok(remove("n", MethodKind::account, "password of n", {}, "poor"));
}

} // namespace useradmin::test
