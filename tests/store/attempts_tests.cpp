// The table of failed attempts to sign in, which all servers share.
#include "contract.hpp"

#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace useradmin::test {

class Attempts : public Contract {
  public:
    void setup() override {
        Contract::setup();
        sql().run("DELETE FROM useradmin_attempt");
    }

  protected:
    /// Counts an attempt. Returns the index of the counter whose limit was reached, or -1.
    int count(const std::vector<store::AttemptCounter>& counters,
              std::chrono::seconds window = std::chrono::seconds(1000)) {
        const store::CountedAttempt counted = worked(store().count_attempt(counters, window));
        CHECK_TRUE(counted.has_table);
        wait_ = counted.retry_after;
        return counted.exceeded ? static_cast<int>(*counted.exceeded) : -1;
    }
    /// "a 1, b 2".
    std::string counts() {
        std::string all;
        for (const auto& row :
             sql().rows("SELECT subject, failures FROM useradmin_attempt ORDER BY subject"))
            all += (all.empty() ? "" : ", ") + row[0].value_or("?") + " " + row[1].value_or("?");
        return all;
    }

    std::chrono::seconds wait_{0};
};

TEST_GROUP_BASE(attempts, Attempts){};

TEST(attempts, are_allowed_until_one_counter_reaches_its_limit) {
    for (int time = 0; time < 2; ++time)
        CHECK_EQUAL(-1, count({{"b", 2}, {"a", 9}}));
    CHECK_EQUAL(0, count({{"b", 2}, {"a", 9}}));
    CHECK_TRUE(wait_ > std::chrono::seconds(900) && wait_ <= std::chrono::seconds(1000));
    // Nothing is counted then.
    CHECK_EQUAL(std::string("a 2, b 2"), counts());
    CHECK_EQUAL(1, count({{"c", 2}, {"b", 2}, {"a", 2}}));
}

TEST(attempts, are_counted_anew_after_the_window) {
    CHECK_EQUAL(-1, count({{"a", 1}}));
    CHECK_EQUAL(0, count({{"a", 1}}));
    sql().run("UPDATE useradmin_attempt SET expires_at = 1000");
    CHECK_EQUAL(-1, count({{"a", 1}}));
    CHECK_EQUAL(std::string("a 1"), counts());
    CHECK_EQUAL(0, count({{"a", 1}}));
}

TEST(attempts, that_did_not_fail_are_taken_back) {
    const std::vector<store::AttemptCounter> counters{{"b", 9}, {"a", 9}};
    for (int time = 0; time < 3; ++time)
        count(counters);
    worked(store().take_back_attempt(counters, false));
    CHECK_EQUAL(std::string("a 2, b 2"), counts());
    worked(store().take_back_attempt(counters, true));
    CHECK_EQUAL(std::string("a 1, b 0"), counts());
    worked(store().take_back_attempt(counters, false));
    CHECK_EQUAL(std::string("a 0, b 0"), counts());
}

TEST(attempts, of_the_past_are_removed) {
    count({{"a", 9}});
    count({{"b", 9}});
    sql().run("UPDATE useradmin_attempt SET expires_at = 1000");
    count({{"c", 9}});
    CHECK_EQUAL(std::string("c 1"), counts());
}

TEST(attempts, of_all_connections_are_counted_exactly) {
    constexpr int threads = 4;
    constexpr int attempts_of_each = 10;
    std::vector<int> allowed(threads);
    std::vector<std::thread> callers;
    for (int& number : allowed) {
        callers.emplace_back([this, &number] {
            SingleConnection connection(database());
            RecordingLogger log;
            apr_pool_t* pool = nullptr;
            apr_pool_create(&pool, nullptr);
            store::DatabaseStore own(connection, log, pool, store::TableNames{}, "attempts",
                                     timeout_policy);
            for (int attempt = 0; attempt < attempts_of_each; ++attempt) {
                const auto counted =
                    own.count_attempt(std::vector<store::AttemptCounter>{{"b", 15}, {"a", 99}},
                                      std::chrono::seconds(1000));
                number += counted && !counted->exceeded ? 1 : 0;
            }
            apr_pool_destroy(pool);
        });
    }
    for (std::thread& caller : callers)
        caller.join();
    CHECK_EQUAL(15, allowed[0] + allowed[1] + allowed[2] + allowed[3]);
}

TEST(attempts, are_allowed_without_their_table) {
    change("ALTER TABLE useradmin_attempt RENAME TO other_attempt",
           "ALTER TABLE other_attempt RENAME TO useradmin_attempt");
    const std::vector<store::AttemptCounter> counters{{"a", 0}};
    const auto counted = worked(store().count_attempt(counters, std::chrono::seconds(9)));
    CHECK_FALSE(counted.has_table);
    CHECK_FALSE(counted.exceeded.has_value());
    worked(store().take_back_attempt(counters, true));
}

TEST(attempts, that_may_not_be_counted_fail_and_name_the_grants) {
    if (!is_postgresql())
        return;
    change("CREATE ROLE poor LOGIN; GRANT SELECT ON useradmin_attempt TO poor",
           "DROP OWNED BY poor; DROP ROLE poor");
    SingleConnection poor(database(), "poor");
    store::DatabaseStore store(poor, log_, pool_, store::TableNames{}, "poor", timeout_policy);
    CHECK_TRUE(failed(store.count_attempt(std::vector<store::AttemptCounter>{{"a", 1}},
                                          std::chrono::seconds(9))));
    expect_error("run: GRANT INSERT, UPDATE, DELETE ON \"useradmin_attempt\" TO poor;");
}

} // namespace useradmin::test
