// Limits on failed sign-in attempts.
#include "password/attempt_limiter.hpp"
#include "support/shared_object.hpp"

#include <CppUTest/TestHarness.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

namespace useradmin::test {

using password::AttemptLimit;
using password::AttemptLimiter;
using namespace std::chrono_literals;

TEST_GROUP(attempts) {
    AttemptLimiter::Clock::time_point now = AttemptLimiter::Clock::time_point(1000h);
    AttemptLimit limit{3, 60s};
    SharedObject<AttemptLimiter> limiter;
    std::string_view tables_id = "here";

    AttemptLimiter::Subject subject(std::string_view address, std::string_view account) const {
        return limiter->subject(text::Network::of(address), limit, tables_id, account);
    }

    void fail(std::string_view address, std::string_view account, int times = 1) {
        for (int time = 0; time < times; ++time)
            limiter->record_failure(subject(address, account), limit, now);
    }

    /// Fails for this number of accounts, each from another address.
    void fail_other_accounts(int count, int times = 1) {
        for (int account = 0; account < count; ++account)
            fail("10.1." + std::to_string(account / 256) + "." + std::to_string(account % 256),
                 "x" + std::to_string(account), times);
    }

    void clear_failures(std::string_view address, std::string_view account) {
        limiter->clear_failures(subject(address, account));
    }

    /// Returns the limit that was reached and the seconds until the next attempt: "account/48 60",
    /// "network/64 60", or "account 60" for an account from all addresses. Returns "free" if there
    /// is none.
    std::string state(std::string_view address, std::string_view account) {
        const auto rejection = limiter->check(subject(address, account), limit, now);
        if (!rejection)
            return "free";
        const AttemptLimiter::Scope& scope = rejection->scope;
        return (scope.of_one_account ? "account" : "network") +
               (scope.prefix_length != 0 ? "/" + std::to_string(scope.prefix_length) : "") + " " +
               std::to_string(rejection->retry_after.count());
    }
};

TEST(attempts, attempts_for_an_account_from_one_address_are_limited) {
    CHECK_EQUAL(std::string("free"), state("10.0.0.1", "eva"));
    fail("10.0.0.1", "eva", 2);
    CHECK_EQUAL(std::string("free"), state("10.0.0.1", "eva"));
    fail("10.0.0.1", "eva");
    CHECK_EQUAL(std::string("account/64 60"), state("10.0.0.1", "eva"));
    CHECK_EQUAL(std::string("free"), state("10.0.0.1", "ivo"));
}

TEST(attempts, from_one_address_do_not_lock_others_out) {
    fail("10.0.0.1", "eva", 3);
    CHECK_EQUAL(std::string("free"), state("10.0.0.2", "eva"));
    CHECK_EQUAL(std::string("free"), state("2001:db8::1", "eva"));
}

TEST(attempts, on_one_account_have_ten_times_the_limit) {
    for (int address = 0; address < 29; ++address)
        fail("10.0.0." + std::to_string(address), "eva");
    CHECK_EQUAL(std::string("free"), state("10.0.1.1", "eva"));
    fail("10.0.0.29", "eva");
    CHECK_EQUAL(std::string("account 60"), state("10.0.1.1", "eva"));
    CHECK_EQUAL(std::string("free"), state("10.0.1.1", "ivo"));
}

TEST(attempts, from_one_address_have_three_times_the_limit) {
    for (const char* account : {"1", "2", "3", "4", "5", "6", "7", "8"})
        fail("10.0.0.1", account);
    CHECK_EQUAL(std::string("free"), state("10.0.0.1", "eva"));
    fail("10.0.0.1", "9");
    CHECK_EQUAL(std::string("network/64 60"), state("10.0.0.1", "eva"));
    CHECK_EQUAL(std::string("free"), state("10.0.0.2", "eva"));
}

TEST(attempts, from_a_mapped_address_count_for_its_IPv4_address) {
    fail("::ffff:10.0.0.1", "eva", 3);
    CHECK_EQUAL(std::string("account/64 60"), state("10.0.0.1", "eva"));
    CHECK_EQUAL(std::string("free"), state("10.0.0.2", "eva"));
}

TEST(attempts, from_one_network_do_not_lock_others_out) {
    const auto attack = [&](const std::string& prefix, const std::string& suffix) {
        for (int number = 1; number <= 9; ++number)
            for (int time = 0; time < 3; ++time)
                if (const auto from = prefix + std::to_string(number) + suffix;
                    state(from, "eva") == "free")
                    fail(from, "eva");
    };
    attack("2001:db8:0:1", "::1"); // all in the same /56
    CHECK_EQUAL(std::string("account/56 60"), state("2001:db8:0:1f::1", "eva"));
    attack("2001:db8:0:", "00::1"); // each in a different /56
    CHECK_EQUAL(std::string("account/48 60"), state("2001:db8:0:ff00::1", "eva"));
    CHECK_EQUAL(std::string("free"), state("2001:db8:1::1", "eva"));
    CHECK_EQUAL(std::string("free"), state("10.0.0.1", "eva"));
}

TEST(attempts, from_one_network_on_many_accounts_are_limited) {
    int account = 0;
    const auto fail_from = [&](const std::string& address, int times) {
        for (int time = 0; time < times; ++time)
            fail(address, "account " + std::to_string(++account));
    };
    fail_from("2001:db8:0:1::1", 9);
    CHECK_EQUAL(std::string("network/64 60"), state("2001:db8:0:1:ffff::2", "eva"));
    CHECK_EQUAL(std::string("free"), state("2001:db8:0:2::1", "eva"));
    for (int subnet = 2; subnet <= 4; ++subnet)
        fail_from("2001:db8:0:" + std::to_string(subnet) + "::1", 9);
    CHECK_EQUAL(std::string("network/56 60"), state("2001:db8:0:ff::1", "eva"));
    CHECK_EQUAL(std::string("free"), state("2001:db8:0:100::1", "eva"));
    for (int subnet = 1; subnet <= 9; ++subnet)
        fail_from("2001:db8:0:" + std::to_string(subnet) + "00::1", 12);
    CHECK_EQUAL(std::string("network/48 60"), state("2001:db8:0:ffff::1", "eva"));
    CHECK_EQUAL(std::string("free"), state("2001:db8:1::1", "eva"));
}

TEST(attempts, from_invalid_addresses_count_together) {
    fail("unknown", "eva", 3);
    CHECK_EQUAL(std::string("account/64 60"), state("", "eva"));
    CHECK_EQUAL(std::string("account/64 60"), state("/run/httpd.sock", "eva"));
    CHECK_EQUAL(std::string("free"), state("10.0.0.1", "eva"));
}

TEST(attempts, are_allowed_again_after_the_window) {
    fail("10.0.0.1", "eva");
    now += 30s;
    fail("10.0.0.1", "eva", 2);
    CHECK_EQUAL(std::string("account/64 30"), state("10.0.0.1", "eva"));
    now += 29s + 1ms;
    CHECK_EQUAL(std::string("account/64 1"), state("10.0.0.1", "eva"));
    now += 999ms;
    CHECK_EQUAL(std::string("free"), state("10.0.0.1", "eva"));
    fail("10.0.0.1", "eva");
    CHECK_EQUAL(std::string("free"), state("10.0.0.1", "eva"));
    fail("10.0.0.1", "eva", 2);
    CHECK_EQUAL(std::string("account/64 60"), state("10.0.0.1", "eva"));
}

TEST(attempts, limits_with_different_windows_count_separately) {
    limit.window = 3600s;
    fail("10.0.0.1", "eva", 3);
    now += 61s;
    limit.window = 60s;
    CHECK_EQUAL(std::string("free"), state("10.0.0.1", "eva"));
    fail("10.0.0.1", "eva");
    limit.window = 3600s;
    CHECK_EQUAL(std::string("account/64 3539"), state("10.0.0.1", "eva"));
}

TEST(attempts, wait_for_the_latest_of_several_limits) {
    fail("10.0.0.1", "eva", 3);
    now += 30s;
    fail("10.0.0.1", "a", 3);
    fail("10.0.0.1", "b", 3);
    CHECK_EQUAL(std::string("account/64 30"), state("10.0.0.1", "eva"));
    CHECK_EQUAL(std::string("network/64 30"), state("10.0.0.1", "ivo"));
    CHECK_EQUAL(std::string("account/64 60"), state("10.0.0.1", "a"));
}

TEST(attempts, are_reset_by_a_success_for_the_account_and_address) {
    for (int round = 0; round < 3; ++round) {
        fail("2001:db8::1", "eva", 2);
        clear_failures("2001:db8::1", "eva");
        CHECK_EQUAL(std::string(round < 2 ? "free" : "account/56 60"), state("2001:db8::1", "eva"));
    }
    for (int address = 0; address < 30; ++address) {
        fail("10.0.0." + std::to_string(address), "ivo");
        clear_failures("10.0.0." + std::to_string(address), "ivo");
    }
    CHECK_EQUAL(std::string("account 60"), state("10.0.1.1", "ivo"));
    for (int round = 0; round < 5; ++round) {
        fail("10.0.2.1", "ada", 2);
        clear_failures("10.0.2.1", "ada");
    }
    CHECK_EQUAL(std::string("network/64 60"), state("10.0.2.1", "ada"));
}

TEST(attempts, are_separate_for_each_database) {
    fail("10.0.0.1", "eva", 3);
    tables_id = "there";
    CHECK_EQUAL(std::string("free"), state("10.0.0.1", "eva"));
    clear_failures("10.0.0.1", "eva");
    tables_id = "here";
    CHECK_EQUAL(std::string("account/64 60"), state("10.0.0.1", "eva"));
}

TEST(attempts, attempts_from_an_address_count_across_databases) {
    for (const char* each : {"here", "there", "elsewhere"}) {
        tables_id = each;
        fail("10.0.0.1", "eva", 3);
    }
    tables_id = "nowhere else";
    CHECK_EQUAL(std::string("network/64 60"), state("10.0.0.1", "ivo"));
}

TEST(attempts, for_arbitrary_names_are_counted) {
    const std::string names[] = {"", std::string(100000, 'x'), std::string("\0\xff", 2)};
    for (const auto& name : names) {
        const std::string address = "10.0.0." + std::to_string(name.size() % 7);
        fail(address, name, 3);
        CHECK_EQUAL(std::string("account/64 60"), state(address, name));
        CHECK_EQUAL(std::string("free"), state(address, name + "y"));
    }
}

TEST(attempts, lowest_counts_are_evicted_when_the_table_is_full) {
    fail("10.0.0.1", "eva", 3);
    now += 1s;
    fail_other_accounts(100000);
    CHECK_EQUAL(std::string("account/64 59"), state("10.0.0.1", "eva"));
    now += 1s;
    fail("10.0.0.2", "ivo", 3);
    CHECK_EQUAL(std::string("account/64 60"), state("10.0.0.2", "ivo"));
}

TEST(attempts, that_have_expired_are_evicted_first) {
    fail_other_accounts(100000, 3);
    now += 60s;
    fail("10.0.0.1", "eva", 3);
    fail_other_accounts(10000, 2);
    CHECK_EQUAL(std::string("account/64 60"), state("10.0.0.1", "eva"));
}

TEST(attempts, are_kept_while_there_is_room) {
    fail("10.0.0.1", "eva", 3);
    now += 1s;
    fail_other_accounts(1000);
    CHECK_EQUAL(std::string("account/64 59"), state("10.0.0.1", "eva"));
}

TEST(attempts, are_counted_across_processes) {
    const pid_t child = fork();
    if (child == 0) {
        fail("10.0.0.1", "eva", 3);
        _exit(0);
    }
    waitpid(child, nullptr, 0);
    CHECK_EQUAL(std::string("account/64 60"), state("10.0.0.1", "eva"));
}

TEST(attempts, are_counted_after_a_process_is_killed_in_an_update) {
    for (int round = 0; round < 50; ++round) {
        const pid_t child = fork();
        if (child == 0)
            for (;;)
                fail("10.0.0.1", "eva");
        usleep(1000);
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        fail("10.0.0.2", "ivo");
    }
    CHECK_EQUAL(std::string("account/64 60"), state("10.0.0.2", "ivo"));
}

TEST(attempts, are_hashed_with_a_random_key) {
    const auto before = subject("10.0.0.1", "eva");
    CHECK_TRUE(limiter->init());
    const auto after = subject("10.0.0.1", "eva");
    for (std::size_t index = 0; index < before.keys.size(); ++index)
        CHECK_TRUE(before.keys[index] != after.keys[index]);
    CHECK_TRUE(before.account() != after.account());
}

} // namespace useradmin::test
