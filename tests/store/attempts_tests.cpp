// The table of failed sign-in attempts, shared by all servers.
#include "contract.hpp"

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

namespace useradmin::test {

class Attempts : public Contract {
  protected:
    using Counters = std::vector<store::AttemptCounter>;

    /// Records a failed attempt. Returns the index of the counter whose limit is reached, or -1.
    int record(const Counters& counters) {
        return exceeded(
            expect_ok(store().record_failed_attempt(counters, std::chrono::seconds(1000))));
    }
    int find_exceeded(const Counters& counters) {
        return exceeded(expect_ok(store().failed_attempts(counters)));
    }
    /// Returns the counts: "1, 2".
    std::string counts() {
        return sql().column("SELECT failures FROM useradmin_attempt ORDER BY failures");
    }

    std::chrono::seconds wait_{0};

    int exceeded(const store::FailedAttempts& found) {
        CHECK_TRUE(found.has_table);
        wait_ = found.retry_after;
        return found.exceeded ? static_cast<int>(*found.exceeded) : -1;
    }
};

TEST_GROUP_BASE(attempts, Attempts){};
TEST_GROUP_BASE(postgresql_attempts, Attempts){};

TEST(attempts, that_fail_are_counted_up_to_a_limit) {
    const Counters counters{{"b", 2}, {"a", 9}};
    CHECK_EQUAL(-1, find_exceeded(counters));
    CHECK_EQUAL(-1, record(counters));
    CHECK_EQUAL(-1, find_exceeded(counters));
    CHECK_EQUAL(0, record(counters));
    CHECK_EQUAL(0, find_exceeded(counters));
    CHECK_TRUE(wait_ > std::chrono::seconds(900) && wait_ <= std::chrono::seconds(1000));
    CHECK_EQUAL(std::string("2, 2"), counts());
    CHECK_EQUAL(1, find_exceeded({{"c", 2}, {"b", 2}, {"a", 2}}));
}

TEST(attempts, are_counted_from_zero_after_the_window) {
    const Counters counters{{"a", 1}};
    CHECK_EQUAL(0, record(counters));
    sql().run("UPDATE useradmin_attempt SET expires_at = 1000");
    CHECK_EQUAL(-1, find_exceeded(counters));
    sql().run("UPDATE useradmin_attempt SET failures = 9");
    CHECK_EQUAL(0, record(counters));
    CHECK_EQUAL(std::string("1"), counts());
}

TEST(attempts, attempts_of_one_counter_are_cleared) {
    const Counters counters{{"b", 9}, {"a", 9}};
    CHECK_FALSE(expect_ok(store().failed_attempts(counters)).has_first);
    record(counters);
    CHECK_TRUE(expect_ok(store().failed_attempts(counters)).has_first);
    expect_ok(store().clear_failed_attempts(counters.front()));
    CHECK_FALSE(expect_ok(store().failed_attempts(counters)).has_first);
    CHECK_EQUAL(std::string("1"), counts());
}

TEST(attempts, are_separate_for_applications_with_other_tables) {
    const Counters counters{{"a", 1}};
    record(counters);
    store::TableNames names;
    names.account = "other_account";
    store::DatabaseStore other(*connection_, log_, pool_, names, "other tables", timeout_policy);
    CHECK_FALSE(expect_ok(other.failed_attempts(counters)).has_first);
    expect_ok(other.record_failed_attempt(counters, std::chrono::seconds(1000)));
    CHECK_EQUAL(std::string("1, 1"), counts());
    expect_ok(other.clear_failed_attempts(counters.front()));
    CHECK_EQUAL(0, find_exceeded(counters));
}

TEST(attempts, that_have_expired_are_removed) {
    record({{"a", 9}});
    record({{"b", 9}});
    sql().run("UPDATE useradmin_attempt SET expires_at = 1000");
    record({{"c", 9}});
    CHECK_EQUAL(std::string("1"), counts());
}

TEST(attempts, rejected_messages_are_not_counted) {
    const auto count = [&] {
        return exceeded(expect_ok(with_store(
            [](store::Store& store) {
                return store.count_mail(Counters{{"all", 9}, {"user", 2}},
                                        std::chrono::seconds(1000));
            },
            "useradmin", {.has_plugins = true})));
    };
    CHECK_EQUAL(-1, count());
    CHECK_EQUAL(-1, count());
    CHECK_EQUAL(1, count());
    CHECK_TRUE(wait_ > std::chrono::seconds(900));
    CHECK_EQUAL(std::string("2, 2"), counts());
}

TEST(attempts, messages_on_all_connections_do_not_exceed_the_limit) {
    std::atomic<int> sent = 0;
    with_stores(4, {.has_plugins = true}, [&](store::Store& store) {
        for (int message = 0; message < 5; ++message) {
            const auto counted =
                store.count_mail(Counters{{"all", 7}, {"user", 99}}, std::chrono::seconds(1000));
            if (counted && !counted->exceeded)
                ++sent;
        }
    });
    CHECK_EQUAL(7, sent.load());
}

TEST(attempts, attempts_on_all_connections_are_counted_exactly) {
    std::atomic<int> recorded = 0;
    with_stores(4, {}, [&](store::Store& store) {
        for (int attempt = 0; attempt < 10; ++attempt)
            if (store.record_failed_attempt(Counters{{"b", 99}, {"a", 99}},
                                            std::chrono::seconds(1000)))
                ++recorded;
    });
    CHECK_EQUAL(40, recorded.load());
    CHECK_EQUAL(std::string("40, 40"), counts());
}

TEST(postgresql_attempts, are_counted_once_if_a_removal_is_repeated) {
    record({{"a", 9}});
    sql().run("UPDATE useradmin_attempt SET expires_at = 1000");
    // Reports a conflict with another transaction, once.
    change("CREATE SEQUENCE conflicts; CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql "
           "AS $$ BEGIN IF nextval('conflicts') = 1 THEN RAISE serialization_failure; END IF; "
           "RETURN OLD; END $$; CREATE TRIGGER conflict BEFORE DELETE ON useradmin_attempt "
           "FOR EACH ROW EXECUTE FUNCTION conflict()",
           "DROP TRIGGER conflict ON useradmin_attempt; DROP FUNCTION conflict; "
           "DROP SEQUENCE conflicts");
    record({{"b", 9}});
    CHECK_EQUAL(std::string("1"), counts());
}

TEST(attempts, with_an_idempotency_key_succeed_once) {
    const auto rename = [&](const char* name) {
        return store().update("u", {{"name", std::string_view(name)}});
    };
    add_user("u", "u@example.org");
    store().set_idempotency_key("a key");
    expect_ok(rename("Uli"));
    CHECK_TRUE(store::Failure::already_done == rename("Ulli").failure());
    CHECK_EQUAL(std::string("1"), counts());
    store().set_idempotency_key("another key");
    // A failed change does not use up its key.
    CHECK_TRUE(store().update("nobody", {{"name", std::string_view("x")}}).is_not_found());
    CHECK_EQUAL(std::string("1"), counts());
    expect_ok(rename("Ulisses"));
    store().set_idempotency_key({});
    expect_ok(rename("Ulises"));
    expect_ok(rename("Ulises"));
    CHECK_EQUAL(std::string("1, 1"), counts());
}

TEST(attempts, with_an_idempotency_key_need_the_table) {
    change("ALTER TABLE useradmin_attempt RENAME TO other_attempt",
           "ALTER TABLE other_attempt RENAME TO useradmin_attempt");
    store().set_idempotency_key("a key");
    CHECK_TRUE(is_failure(store().update("u", {{"name", std::string_view("x")}})));
    expect_error("table \"useradmin_attempt\" does not exist");
}

TEST(attempts, are_not_counted_without_their_table) {
    change("ALTER TABLE useradmin_attempt RENAME TO other_attempt",
           "ALTER TABLE other_attempt RENAME TO useradmin_attempt");
    const Counters counters{{"a", 0}};
    CHECK_FALSE(expect_ok(store().failed_attempts(counters)).has_table);
    CHECK_FALSE(
        expect_ok(store().record_failed_attempt(counters, std::chrono::seconds(9))).has_table);
    expect_ok(store().clear_failed_attempts(counters.front()));
    expect_ok(store().use_code("a", std::chrono::seconds(9)));
    expect_ok(store().use_code("a", std::chrono::seconds(9)));
}

TEST(postgresql_attempts, without_privileges_fail_and_name_the_table) {
    create_restricted_role("GRANT SELECT ON useradmin_attempt TO poor");
    const auto record = [](store::Store& store) {
        return store.record_failed_attempt(Counters{{"a", 1}}, std::chrono::seconds(9));
    };
    CHECK_TRUE(is_failure(with_store(record, "poor")));
    expect_error("permission denied for table useradmin_attempt (SQLSTATE 42501); to list the "
                 "missing GRANTs, connect as the same database role and run: "
                 "useradminctl check --verbose");
}

} // namespace useradmin::test
