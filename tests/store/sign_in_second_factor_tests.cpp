// Sign-in with a second factor (better-auth's twoFactor plugin): challenges in the verification
// table, backup codes, and the lock after wrong codes.
#include "contract.hpp"

#include <atomic>
#include <string>
#include <vector>

namespace useradmin::test {

namespace {

/// An application's tables with other names and types.
struct Variant {
    const char* what;
    const char* key;
    const char* user_key;
    const char* reference;
    const char* time;
    bool has_snake_case;
    const char* user_id;
    const char* row_id; ///< the id of rows in the other tables
};

constexpr Variant postgresql_variants[] = {
    {"text ids", "text", "text", "text", "timestamptz", true, "n", "v"},
    {"serial ids", "serial", "serial", "integer", "timestamp", true, "7", "v"},
    {"big serial ids", "bigserial", "bigserial", "bigint", "timestamptz", false, "7", "v"},
    {"uuid ids", "uuid", "uuid", "uuid", "timestamp", false, id_variants[1].user.data(),
     id_variants[1].row.data()},
    {"uuid ids as texts", "text", "uuid", "text", "timestamptz", false, id_variants[1].user.data(),
     "v"},
};
constexpr Variant sqlite_variants[] = {
    {"text ids", "text", "text", "text", "date", true, "n", "v"},
    {"serial ids", "integer", "integer", "integer", "text", true, "7", "v"},
    {"times as numbers", "text", "text", "text", "integer", false, "n", "v"},
    {"number ids as texts", "text", "integer", "text", "datetime", false, "7", "v"},
};

bool is_serial(const Variant& variant) {
    return variant.key == std::string_view("integer") ||
           std::string_view(variant.key).ends_with("serial");
}

std::span<const Variant> variants() {
    return is_postgresql() ? std::span<const Variant>(postgresql_variants)
                           : std::span<const Variant>(sqlite_variants);
}

bool is_mismatch(const store::Result<store::Done>& result) {
    return !result && result.failure() == store::Failure::version_mismatch;
}

} // namespace

class SignInSecondFactor : public Contract {
  public:
    void setup() override {
        Contract::setup();
        add_user("n", "n@x");
        names_.has_plugins = true;
        now_ = at("2026-11-26T10:00:00.000Z");
    }

  protected:
    /// Creates the plugin's tables without these columns, and adds a second factor for user n.
    void create_table(std::initializer_list<const char*> missing_columns = {}) {
        add_plugin_tables();
        for (const std::string column : missing_columns)
            sql().run("ALTER TABLE \"twoFactor\" DROP COLUMN \"" + column + "\"");
        add_factor("n");
    }
    void add_factor(const std::string& user_id) {
        sql().run(R"(INSERT INTO "twoFactor" ("id", "secret", "backupCodes", "userId") VALUES ()" +
                  sql_literal("factor-" + user_id) + ", 'key', 'codes', " + sql_literal(user_id) +
                  ")");
    }
    void set(const std::string& values) { sql().run("UPDATE \"twoFactor\" SET " + values); }
    std::string value(const std::string& column) {
        return sql().value("SELECT \"" + column + "\" FROM \"twoFactor\"").value_or("NULL");
    }

    void add_verification(const std::string& identifier, const std::string& value = "n",
                          const std::string& expires_at = "2026-11-26T10:03:00.000Z",
                          const std::string& created_at = "2026-11-26T10:00:00.000Z") {
        Contract::add_verification(identifier, value, expires_at, created_at);
    }
    /// Returns the identifiers in the verification table: "2fa-a, 2fa-b".
    std::string verifications() {
        return sql().column(R"(SELECT "identifier" FROM "verification" ORDER BY "id")");
    }
    model::VerificationValue verification(std::string_view identifier,
                                          std::string_view value = "n") const {
        model::VerificationValue row;
        row.id = identifier;
        row.identifier = identifier;
        row.value = value;
        row.expires_at = now_ + std::chrono::minutes(3);
        row.created_at = now_;
        row.updated_at = now_ + std::chrono::seconds(1);
        return row;
    }

    template <class Operation>
    auto with_store(const Operation& operation, const std::string& account = "useradmin") {
        return Contract::with_store(operation, account, names_);
    }
    store::Result<std::string_view> find_verification(std::string_view identifier) {
        return with_store(
            [&](store::Store& store) { return store.find_verification(identifier, now_); });
    }
    store::Result<store::UserWithSecondFactor> find(std::string_view user_id = "n") {
        return with_store([&](store::Store& store) { return store.find_second_factor(user_id); });
    }
    store::Result<store::Done> change_factor(const store::SecondFactorChange& change) {
        return with_store([&](store::Store& store) { return store.change_second_factor(change); });
    }
    store::Result<store::Done> fail_code(std::string_view user_id = "n", std::int64_t most = 2) {
        return with_store([&](store::Store& store) {
            return store.record_second_factor_failure(
                user_id, {most, now_, now_ + std::chrono::minutes(15)});
        });
    }

    void create_variant(const Variant& variant);
    void use_variant(const Variant& variant);

    store::TableNames names_;
    text::Timestamp now_;
};

TEST_GROUP_BASE(sign_in_second_factor, SignInSecondFactor){};
TEST_GROUP_BASE(postgresql_sign_in_second_factor, SignInSecondFactor){};

TEST(sign_in_second_factor, challenge_is_found_until_it_expires) {
    create_table();
    CHECK(is_not_found(find_verification("2fa-a")));
    add_verification("2fa-a");
    add_verification("2fa-b", "m");
    CHECK_EQUAL(std::string("n"), std::string(expect_ok(find_verification("2fa-a"))));
    CHECK(is_not_found(find_verification("2FA-a")));
    now_ += std::chrono::minutes(3) - std::chrono::milliseconds(1);
    CHECK_EQUAL(std::string("n"), std::string(expect_ok(find_verification("2fa-a"))));
    now_ += std::chrono::milliseconds(1);
    CHECK(is_not_found(find_verification("2fa-a")));
}

TEST(sign_in_second_factor, uses_the_newest_unexpired_row_of_an_identifier) {
    create_table();
    add_verification("a", "second", "2026-11-26T10:03:00.000Z", "2026-11-26T09:59:58.000Z");
    add_verification("a", "newest", "2026-11-26T10:03:00.000Z", "2026-11-26T09:59:59.000Z");
    add_verification("a", "third", "2026-11-26T10:04:00.000Z", "2026-11-26T09:59:57.000Z");
    CHECK_EQUAL(std::string("newest"), std::string(expect_ok(find_verification("a"))));
    sql().run("UPDATE \"verification\" SET \"expiresAt\" = '2026-11-26T09:59:59.999Z' WHERE "
              "\"value\" = 'newest'");
    CHECK_EQUAL(std::string("second"), std::string(expect_ok(find_verification("a"))));
}

TEST(sign_in_second_factor, names_missing_tables_and_columns) {
    expect_error("UA0103: better-auth's twoFactor table does not exist or lacks the columns "
                 "\"userId\", \"secret\" and \"backupCodes\"");
    CHECK(is_failure(find()));
    create_table();
    expect_ok(find());
    const auto fails_after = [&](const std::string& statement, const std::string& reverse) {
        sql().run(statement);
        const bool all_fail = is_failure(find()) && is_failure(find_verification("a")) &&
                              is_failure(change_factor({"n", now_})) && is_failure(fail_code());
        sql().run(reverse);
        return all_fail;
    };
    for (const char* column : {"userId", "secret", "backupCodes"})
        CHECK(fails_after(
            "ALTER TABLE \"twoFactor\" RENAME \"" + std::string(column) + "\" TO \"other\"",
            "ALTER TABLE \"twoFactor\" RENAME \"other\" TO \"" + std::string(column) + "\""));
    expect_error("UA0103: table \"verification\" does not exist or lacks the columns "
                 "\"identifier\", \"value\" and \"expiresAt\"");
    for (const char* column : {"identifier", "value", "expiresAt", "id"})
        CHECK(fails_after(
            "ALTER TABLE \"verification\" RENAME \"" + std::string(column) + "\" TO \"other\"",
            "ALTER TABLE \"verification\" RENAME \"other\" TO \"" + std::string(column) + "\""));
    expect_error("\"verification\" has no column \"id\"");
}

TEST(sign_in_second_factor, is_found_with_its_user) {
    create_table();
    add_user("m", "m@x");
    sql().run(R"(UPDATE "user" SET "twoFactorEnabled" = TRUE WHERE "id" = 'n')");
    set(R"("verified" = FALSE, "failedVerificationCount" = 3, )"
        R"("lockedUntil" = '2026-11-26T10:15:00.000Z')");
    const store::UserWithSecondFactor found = expect_ok(find());
    CHECK_EQUAL(std::string("n"), std::string(found.user.id));
    CHECK_EQUAL(std::string("n@x"), std::string(found.user.email));
    CHECK_EQUAL(std::string("user"), std::string(found.user.role.value_or("")));
    CHECK_TRUE(found.is_enabled);
    CHECK_EQUAL(std::string("n"), std::string(found.factor.user_id));
    CHECK_EQUAL(std::string("key"), std::string(found.factor.secret));
    CHECK_EQUAL(std::string("codes"), std::string(found.factor.backup_codes));
    CHECK_EQUAL(std::string(is_postgresql() ? "f" : "0"),
                std::string(found.factor.verified.value_or("NULL")));
    CHECK_EQUAL(std::string("3"),
                std::string(found.factor.failed_verification_count.value_or("NULL")));
    CHECK_TRUE(found.factor.locked_until == now_ + std::chrono::minutes(15));
    // User m has no second factor, and there is no user o.
    CHECK(is_not_found(find("m")));
    add_factor("o");
    CHECK(is_not_found(find("o")));
}

TEST(sign_in_second_factor, is_enabled_by_the_column_of_the_user) {
    create_table();
    CHECK_FALSE(expect_ok(find()).is_enabled);
    sql().run(R"(UPDATE "user" SET "twoFactorEnabled" = FALSE)");
    CHECK_FALSE(expect_ok(find()).is_enabled);
    sql().run(R"(UPDATE "user" SET "twoFactorEnabled" = TRUE)");
    CHECK_TRUE(expect_ok(find()).is_enabled);
    sql().run(R"(ALTER TABLE "user" RENAME "twoFactorEnabled" TO "other")");
    const auto without = find();
    sql().run(R"(ALTER TABLE "user" RENAME "other" TO "twoFactorEnabled")");
    CHECK_FALSE(expect_ok(without).is_enabled);
}

TEST(sign_in_second_factor, without_its_flag_prevents_the_use_of_passwords) {
    const auto find_account = [&] {
        return with_store([](store::Store& store) { return store.find_credential("n@x"); });
    };
    CHECK(is_not_found(find_account()));
    create_table();
    CHECK(is_not_found(find_account()));
    expect_error("UA0103: table \"user\" has no column \"twoFactorEnabled\", but table ");
    sql().run(R"(ALTER TABLE "user" RENAME "twoFactorEnabled" TO "other")");
    const auto without = find_account();
    names_.has_plugins = false; // AuthUserAdminSecondFactor ignore
    const auto ignored = find_account();
    sql().run(R"(ALTER TABLE "user" RENAME "other" TO "twoFactorEnabled")");
    CHECK(is_failure(without));
    CHECK(is_not_found(ignored));
}

TEST(sign_in_second_factor, may_have_two_rows) {
    create_table();
    sql().run(R"(INSERT INTO "twoFactor" ("id", "secret", "backupCodes", "userId")
                     VALUES ('2', 'key', 'codes', 'n'))");
    CHECK_EQUAL(std::string("key"), std::string(expect_ok(find()).factor.secret));
    expect_ok(fail_code());
}

TEST(sign_in_second_factor, works_without_the_optional_columns) {
    create_table({"verified", "failedVerificationCount", "lockedUntil"});
    const model::SecondFactor factor = expect_ok(find()).factor;
    CHECK_FALSE(factor.verified.has_value());
    CHECK_FALSE(factor.failed_verification_count.has_value());
    CHECK_FALSE(factor.locked_until.has_value());
    expect_ok(fail_code());
    expect_ok(fail_code("nobody"));
    store::SecondFactorChange change{"n", now_};
    change.clears_failures = true;
    expect_ok(change_factor(change));
}

TEST(sign_in_second_factor, challenge_is_used_once_with_all_its_rows) {
    create_table();
    for (const char* identifier : {"2fa-a", "2fa-attempts-a", "2fa-b", "trust-a"})
        add_verification(identifier, *identifier == 't' ? "m" : "n");
    store::SecondFactorChange change{"n", now_};
    change.deleted = {"2fa-a", "2fa-attempts-a", "trust-a", "unknown"};
    expect_ok(change_factor(change));
    CHECK_EQUAL(std::string("2fa-b"), verifications());
    CHECK(is_not_found(change_factor(change)));
}

TEST(sign_in_second_factor, rejects_an_expired_challenge_or_one_of_another_user) {
    create_table();
    add_verification("a", "m");
    add_verification("b", "n", "2026-11-26T10:00:00.000Z");
    add_verification("c", "n", "2026-11-26T10:00:00.001Z");
    store::SecondFactorChange change{"n", now_};
    change.added = {verification("d")};
    for (const char* identifier : {"a", "b", "C", "unknown"}) {
        change.deleted = {identifier, "c"};
        CHECK_TEXT(is_not_found(change_factor(change)), identifier);
        CHECK_EQUAL(std::string("a, b, c"), verifications());
    }
    change.deleted = {"c", "b"};
    expect_ok(change_factor(change));
    CHECK_EQUAL(std::string("a, d"), verifications());
}

TEST(sign_in_second_factor, count_of_codes_is_replaced_if_it_is_unchanged) {
    create_table();
    add_verification("2fa-attempts-a", "0");
    store::SecondFactorChange change{"n", now_};
    change.deleted = {"2fa-attempts-a"};
    change.required_value = "0";
    change.added = {verification("2fa-attempts-a", "1")};
    expect_ok(change_factor(change));
    CHECK_EQUAL(std::string("1"), std::string(expect_ok(find_verification("2fa-attempts-a"))));
    CHECK(is_not_found(change_factor(change)));
    CHECK_EQUAL(std::string("2fa-attempts-a"), verifications());
}

TEST(sign_in_second_factor, count_of_codes_expires_with_its_challenge) {
    create_table();
    add_verification("2fa-attempts-a", "0", "2026-11-26T10:29:00.000Z");
    store::SecondFactorChange change{"n", now_};
    change.deleted = {"2fa-attempts-a"};
    change.required_value = "0";
    change.added = {verification("2fa-attempts-a", "1")};
    change.added.front().expires_at = {};
    expect_ok(change_factor(change));
    CHECK_EQUAL(1, sql().number("SELECT count(*) FROM \"verification\" WHERE \"expiresAt\" = "
                                "'2026-11-26T10:29:00.000Z'"));
}

TEST(sign_in_second_factor, challenge_is_added_with_its_times) {
    create_table();
    store::SecondFactorChange change{"n", now_};
    change.added = {verification("2fa-a"), verification("2fa-attempts-a", "0")};
    expect_ok(change_factor(change));
    CHECK_EQUAL(std::string("2fa-a, 2fa-attempts-a"), verifications());
    CHECK_EQUAL(std::string("n"), std::string(expect_ok(find_verification("2fa-a"))));
    CHECK_EQUAL(std::string("0"), std::string(expect_ok(find_verification("2fa-attempts-a"))));
    CHECK_EQUAL(2, sql().number("SELECT count(*) FROM \"verification\" WHERE \"expiresAt\" = "
                                "'2026-11-26T10:03:00.000Z' AND \"createdAt\" = "
                                "'2026-11-26T10:00:00.000Z' AND \"updatedAt\" = "
                                "'2026-11-26T10:00:01.000Z'"));
    CHECK_EQUAL(2, sql().number("SELECT count(*) FROM \"verification\" WHERE \"id\" = "
                                "\"identifier\""));
}

TEST(sign_in_second_factor, change_that_fails_changes_nothing) {
    create_table();
    set("\"failedVerificationCount\" = 1");
    add_verification("a");
    store::SecondFactorChange change{"n", now_};
    change.deleted = {"a"};
    // The second row fails, because both have the same id.
    change.added = {verification("b"), verification("b")};
    change.backup_codes = "fewer";
    change.old_backup_codes = "codes";
    change.clears_failures = true;
    expect_error("UA0106");
    CHECK(is_failure(change_factor(change)));
    CHECK_EQUAL(std::string("a"), verifications());
    CHECK_EQUAL(std::string("codes"), value("backupCodes"));
    CHECK_EQUAL(std::string("1"), value("failedVerificationCount"));
}

TEST(sign_in_second_factor, backup_codes_are_replaced_if_they_are_unchanged) {
    create_table();
    add_verification("a");
    store::SecondFactorChange change{"n", now_};
    change.deleted = {"a"};
    change.added = {verification("b")};
    change.backup_codes = "fewer";
    change.old_backup_codes = "others";
    CHECK(is_mismatch(change_factor(change)));
    CHECK_EQUAL(std::string("codes"), value("backupCodes"));
    CHECK_EQUAL(std::string("a"), verifications());
    change.old_backup_codes = "codes";
    expect_ok(change_factor(change));
    CHECK_EQUAL(std::string("fewer"), value("backupCodes"));
    CHECK_EQUAL(std::string("b"), verifications());
    // A change without backup codes keeps them.
    expect_ok(change_factor({"n", now_, {"b"}}));
    CHECK_EQUAL(std::string("fewer"), value("backupCodes"));
    CHECK(is_mismatch(change_factor({"m", now_, {}, {}, "fewer", "codes"})));
}

TEST(sign_in_second_factor, failed_codes_are_counted_and_lock_it) {
    create_table();
    add_factor("m");
    set("\"failedVerificationCount\" = NULL");
    expect_ok(fail_code());
    store::UserWithSecondFactor found = expect_ok(find());
    CHECK_EQUAL(std::string("1"), std::string(found.factor.failed_verification_count.value()));
    CHECK_FALSE(found.factor.locked_until.has_value());
    expect_ok(fail_code());
    found = expect_ok(find());
    CHECK_EQUAL(std::string("2"), std::string(found.factor.failed_verification_count.value()));
    CHECK_TRUE(found.factor.locked_until == now_ + std::chrono::minutes(15));
    // Another failure, now with a limit that is not reached, does not clear the lock.
    expect_ok(fail_code("n", 10));
    CHECK_TRUE(expect_ok(find()).factor.locked_until == now_ + std::chrono::minutes(15));
    CHECK_EQUAL(1, sql().number("SELECT count(*) FROM \"twoFactor\" WHERE \"lockedUntil\" IS NULL "
                                "AND \"failedVerificationCount\" IS NULL"));
    CHECK(is_not_found(fail_code("nobody")));
}

TEST(sign_in_second_factor, failed_codes_are_counted_only_with_both_columns) {
    create_table({"lockedUntil"});
    expect_ok(fail_code());
    CHECK_EQUAL(std::string("0"), value("failedVerificationCount"));
    set("\"failedVerificationCount\" = 5");
    store::SecondFactorChange change{"n", now_};
    change.clears_failures = true;
    expect_ok(change_factor(change));
    CHECK_EQUAL(std::string("0"), value("failedVerificationCount"));
}

TEST(sign_in_second_factor, only_an_expired_lock_is_cleared_with_its_failures) {
    create_table();
    add_verification("a");
    store::SecondFactorChange change{"n", now_};
    change.deleted = {"a"};
    change.clears_failures = true;
    expect_ok(fail_code("n", 1));
    const std::string locked = value("lockedUntil");
    CHECK(is_mismatch(change_factor(change)));
    CHECK_EQUAL(locked, value("lockedUntil"));
    CHECK_EQUAL(std::string("a"), verifications());
    // Failures are cleared only on request.
    expect_ok(change_factor({"n", now_}));
    CHECK_EQUAL(std::string("1"), value("failedVerificationCount"));
    change.deleted = {};
    change.now += std::chrono::minutes(15);
    expect_ok(change_factor(change));
    CHECK_EQUAL(std::string("NULL"), value("lockedUntil"));
    CHECK_EQUAL(std::string("0"), value("failedVerificationCount"));
    CHECK_EQUAL(std::string("codes"), value("backupCodes"));
    change.user_id = "nobody";
    CHECK(is_mismatch(change_factor(change)));
}

TEST(sign_in_second_factor, lock_that_has_expired_ends_the_row_of_failures) {
    create_table();
    set("\"failedVerificationCount\" = 9");
    expect_ok(fail_code("n", 10));
    CHECK_FALSE(value("lockedUntil") == "NULL");
    now_ += std::chrono::minutes(15);
    expect_ok(fail_code("n", 10));
    CHECK_EQUAL(std::string("1"), value("failedVerificationCount"));
    CHECK_EQUAL(std::string("NULL"), value("lockedUntil"));
}

TEST(sign_in_second_factor, challenge_is_used_by_one_of_two_threads) {
    create_table();
    constexpr int races = 10;
    for (int race = 0; race < races; ++race) {
        const std::string identifier = "2fa-" + std::to_string(race);
        add_verification(identifier);
        std::atomic<int> taken = 0;
        std::atomic<int> missed = 0;
        with_stores(2, names_, [&](store::Store& store) {
            const auto done = store.change_second_factor({"n", now_, {identifier}});
            taken += done ? 1 : 0;
            missed += done.is_not_found() ? 1 : 0;
        });
        CHECK_EQUAL(1, taken.load());
        CHECK_EQUAL(1, missed.load());
    }
}

TEST(sign_in_second_factor, backup_code_is_used_by_one_of_two_threads) {
    create_table();
    std::atomic<int> used = 0;
    std::atomic<int> mismatched = 0;
    with_stores(2, names_, [&](store::Store& store) {
        const auto done = store.change_second_factor({"n", now_, {}, {}, "fewer", "codes"});
        used += done ? 1 : 0;
        mismatched += is_mismatch(done) ? 1 : 0;
    });
    CHECK_EQUAL(1, used.load());
    CHECK_EQUAL(1, mismatched.load());
}

TEST(sign_in_second_factor, failed_codes_of_all_threads_are_counted) {
    create_table();
    constexpr int threads = 4;
    constexpr int codes = 10;
    std::atomic<int> counted = 0;
    with_stores(threads, names_, [&](store::Store& store) {
        for (int code = 0; code < codes; ++code)
            counted += store.record_second_factor_failure("n", {1000, now_, now_}) ? 1 : 0;
    });
    CHECK_EQUAL(threads * codes, counted.load());
    CHECK_EQUAL(std::to_string(threads * codes), value("failedVerificationCount"));
    CHECK_EQUAL(std::string("NULL"), value("lockedUntil"));
}

TEST(sign_in_second_factor, change_is_not_reported_to_the_listener) {
    create_table();
    RejectingListener listener;
    with_store([&](store::DatabaseStore& store) {
        store.set_change_listener(&listener);
        store::SecondFactorChange change{"n", now_};
        change.added = {verification("a")};
        change.clears_failures = true;
        expect_ok(store.change_second_factor(change));
        expect_ok(store.record_second_factor_failure("n", {10, now_, now_}));
        return 0;
    });
    CHECK_EQUAL(std::string("a"), verifications());
}

TEST(postgresql_sign_in_second_factor, change_is_attempted_once_if_the_commit_is_lost) {
    create_table();
    expect_error("the outcome of the write is unknown");
    // A sequence counts the writes, because a rollback does not reset it.
    sql().run(
        "CREATE SEQUENCE writes; CREATE FUNCTION last_write() RETURNS trigger LANGUAGE "
        "plpgsql AS 'BEGIN PERFORM nextval(''writes''); PERFORM "
        "pg_terminate_backend(pg_backend_pid()); RETURN NULL; END'; CREATE CONSTRAINT TRIGGER "
        "last_write AFTER INSERT ON \"verification\" DEFERRABLE INITIALLY DEFERRED FOR EACH "
        "ROW EXECUTE FUNCTION last_write()");
    store::SecondFactorChange change{"n", now_};
    change.added = {verification("a")};
    const auto lost = change_factor(change);
    const long writes = sql().number("SELECT last_value FROM writes");
    sql().run(
        "DROP TRIGGER last_write ON \"verification\"; DROP FUNCTION last_write; DROP SEQUENCE "
        "writes");
    CHECK(is_unavailable(lost));
    CHECK_EQUAL(1, writes);
    CHECK_EQUAL(std::string(), verifications());
}

TEST(postgresql_sign_in_second_factor, missing_privileges_are_logged) {
    create_table();
    create_restricted_role(R"(GRANT SELECT ON "user" TO poor)");
    expect_error("permission denied for table twoFactor");
    const auto read = [](store::Store& store) { return store.find_second_factor("n"); };
    const auto write = [&](store::Store& store) {
        store::SecondFactorChange change{"n", now_, {}, {verification("a")}, "fewer", "codes"};
        change.clears_failures = true;
        expect_ok(store.change_second_factor(change));
        expect_ok(store.find_verification("a", now_));
        expect_ok(store.change_second_factor({"n", now_, {"a"}}));
        return store.record_second_factor_failure("n", {1, now_, now_});
    };
    CHECK(is_failure(with_store(read, "poor")));
    sql().run(R"(GRANT SELECT, UPDATE ("backupCodes", "failedVerificationCount", "lockedUntil") )"
              R"(ON "twoFactor" TO poor; GRANT SELECT, INSERT, DELETE ON "verification" TO poor)");
    expect_ok(with_store(read, "poor"));
    expect_ok(with_store(write, "poor"));
}

void SignInSecondFactor::create_variant(const Variant& variant) {
    change(with_types(R"(
CREATE TABLE people ("id" $user_key PRIMARY KEY, "name" text, "email" text,
    "twoFactorEnabled" boolean);
CREATE TABLE "twoFactors" ("id" $key PRIMARY KEY, "secret" text, "backupCodes" text,
    "userId" $reference, "failedVerificationCount" integer, "lockedUntil" $time);
CREATE TABLE verifications ("id" $key PRIMARY KEY, "identifier" text, "value" text,
    "expiresAt" $time, "createdAt" $time);
INSERT INTO people VALUES ('$user', 'N', 'n@x', TRUE);
INSERT INTO "twoFactors" VALUES ('$factor', 'key', 'codes', '$user', 0, NULL))",
                      {{"$user_key", variant.user_key},
                       {"$key", variant.key},
                       {"$reference", variant.reference},
                       {"$time", variant.time},
                       {"$user", variant.user_id},
                       {"$factor", is_serial(variant) ? "1" : variant.row_id}},
                      variant.has_snake_case),
           with_types(R"(DROP TABLE people; DROP TABLE "twoFactors"; DROP TABLE verifications)", {},
                      variant.has_snake_case));
    names_.user = "people";
}

void SignInSecondFactor::use_variant(const Variant& variant) {
    const store::UserWithSecondFactor found = expect_ok(find(variant.user_id));
    CHECK_EQUAL(std::string(variant.user_id), std::string(found.user.id));
    CHECK_EQUAL(std::string(variant.user_id), std::string(found.factor.user_id));
    CHECK_TRUE(found.is_enabled);
    CHECK(is_not_found(find("no id")));
    store::SecondFactorChange change{variant.user_id, now_};
    change.added = {verification("a", variant.user_id)};
    change.added.front().id = variant.row_id;
    expect_ok(change_factor(change));
    CHECK_EQUAL(std::string(variant.user_id), std::string(expect_ok(find_verification("a"))));
    const std::string id = sql().value("SELECT \"id\" FROM verifications").value_or("NULL");
    CHECK_EQUAL(std::string(is_serial(variant) ? "1" : variant.row_id), id);
    expect_ok(fail_code(variant.user_id, 1));
    CHECK_TRUE(expect_ok(find(variant.user_id)).factor.locked_until ==
               now_ + std::chrono::minutes(15));
    change.added = {};
    change.deleted = {"a"};
    change.backup_codes = "fewer";
    change.old_backup_codes = "codes";
    change.clears_failures = true;
    change.now += std::chrono::minutes(3);
    CHECK(is_not_found(change_factor(change)));
    change.now -= std::chrono::milliseconds(1);
    CHECK(is_mismatch(change_factor(change))); // it is locked
    change.clears_failures = false;
    expect_ok(change_factor(change));
    CHECK(is_not_found(change_factor(change)));
    store::SecondFactorChange unlocking{variant.user_id, now_ + std::chrono::minutes(15)};
    unlocking.clears_failures = true;
    expect_ok(change_factor(unlocking));
    const model::SecondFactor factor = expect_ok(find(variant.user_id)).factor;
    CHECK_EQUAL(std::string("fewer"), std::string(factor.backup_codes));
    CHECK_EQUAL(std::string("0"), std::string(factor.failed_verification_count.value_or("NULL")));
    CHECK_FALSE(factor.locked_until.has_value());
}

TEST(sign_in_second_factor, works_with_other_types_and_names) {
    for (const Variant& variant : variants()) {
        create_variant(variant);
        use_variant(variant);
        undo();
    }
}

TEST(sign_in_second_factor, id_of_the_wrong_format_is_not_found) {
    for (const Variant& variant : variants()) {
        if (variant.reference == std::string_view("text"))
            continue;
        create_variant(variant);
        store::SecondFactorChange change{"no id", now_};
        change.added = {verification("a")};
        change.clears_failures = true;
        CHECK(is_not_found(change_factor(change)));
        CHECK(is_not_found(fail_code("no id")));
        CHECK(is_not_found(find_verification("a")));
        undo();
    }
}

} // namespace useradmin::test
