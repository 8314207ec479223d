// The counts of failed attempts to sign in.
#include "sign_in/attempts.hpp"

#include <CppUTest/TestHarness.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

namespace useradmin::test {

using sign_in::Attempts;
using sign_in::Limit;
using namespace std::chrono_literals;

TEST_GROUP(attempts) {
    Attempts::Clock::time_point now = Attempts::Clock::time_point(1000h);
    Limit limit{3, 60s};
    void* memory = nullptr;
    std::string_view place = "here";

    void setup() override {
        memory = mmap(nullptr, Attempts::size_of(), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        CHECK_TRUE(memory != MAP_FAILED && Attempts::lay_out(memory));
    }
    void teardown() override {
        munmap(memory, Attempts::size_of());
    }

    void fail(std::string_view address, std::string_view account, int times = 1) {
        Attempts attempts(memory);
        for (int time = 0; time < times; ++time)
            attempts.count(attempts.subject(address, place, account), limit, now);
    }

    void forgive(std::string_view address, std::string_view account) {
        Attempts attempts(memory);
        attempts.forgive(attempts.subject(address, place, account));
    }

    /// "free", or whose attempts are used up and for how many seconds: "account 60".
    std::string state(std::string_view address, std::string_view account) {
        const Attempts attempts(memory);
        const auto refusal =
            attempts.refusal(attempts.subject(address, place, account), limit, now);
        if (!refusal)
            return "free";
        return (refusal->of == Attempts::Of::account ? "account " : "address ") +
               std::to_string(refusal->retry_after.count());
    }
};

TEST(attempts, of_an_account_are_used_up_by_as_many_failures_as_the_limit_says) {
    CHECK_EQUAL(std::string("free"), state("a", "eva"));
    fail("a", "eva", 2);
    CHECK_EQUAL(std::string("free"), state("a", "eva"));
    fail("b", "eva");
    CHECK_EQUAL(std::string("account 60"), state("a", "eva"));
    CHECK_EQUAL(std::string("account 60"), state("c", "eva"));
    CHECK_EQUAL(std::string("free"), state("a", "ivo"));
}

TEST(attempts, of_an_address_are_used_up_by_three_times_as_many_failures) {
    for (const char* account : {"1", "2", "3", "4", "5", "6", "7", "8"})
        fail("a", account);
    CHECK_EQUAL(std::string("free"), state("a", "eva"));
    fail("a", "9");
    CHECK_EQUAL(std::string("address 60"), state("a", "eva"));
    CHECK_EQUAL(std::string("free"), state("b", "eva"));
}

TEST(attempts, of_an_address_are_none_of_an_account_of_the_same_name) {
    fail("a", "x", 3);
    CHECK_EQUAL(std::string("free"), state("b", "a"));
}

TEST(attempts, come_back_when_the_time_since_the_first_failure_is_over) {
    fail("a", "eva");
    now += 30s;
    fail("a", "eva", 2);
    CHECK_EQUAL(std::string("account 30"), state("a", "eva"));
    now += 29s + 1ms;
    CHECK_EQUAL(std::string("account 1"), state("a", "eva"));
    now += 999ms;
    CHECK_EQUAL(std::string("free"), state("a", "eva"));
    fail("a", "eva");
    CHECK_EQUAL(std::string("free"), state("a", "eva"));
    fail("a", "eva", 2);
    CHECK_EQUAL(std::string("account 60"), state("a", "eva"));
}

TEST(attempts, of_an_account_start_anew_when_it_is_forgiven_and_those_of_the_address_do_not) {
    fail("a", "eva", 3);
    forgive("a", "eva");
    CHECK_EQUAL(std::string("free"), state("a", "eva"));
    fail("a", "eva", 2);
    forgive("a", "eva");
    fail("a", "eva", 2);
    forgive("a", "eva");
    fail("a", "eva", 2);
    CHECK_EQUAL(std::string("address 60"), state("a", "eva"));
}

TEST(attempts, of_an_account_are_none_of_the_same_name_in_another_place) {
    fail("a", "eva", 3);
    place = "there";
    CHECK_EQUAL(std::string("free"), state("b", "eva"));
    forgive("b", "eva");
    place = "here";
    CHECK_EQUAL(std::string("account 60"), state("c", "eva"));
}

TEST(attempts, of_an_address_are_those_of_all_places) {
    for (const char* each : {"here", "there", "elsewhere"}) {
        place = each;
        fail("a", "eva", 3);
    }
    place = "nowhere else";
    CHECK_EQUAL(std::string("address 60"), state("a", "ivo"));
}

TEST(attempts, of_names_of_any_length_and_bytes_are_counted) {
    const std::string names[] = {"", std::string(100000, 'x'), std::string("\0\xff", 2)};
    for (const auto& name : names) {
        fail("a" + std::to_string(name.size()), name, 3);
        CHECK_EQUAL(std::string("account 60"), state("b", name));
    }
}

TEST(attempts, lie_elsewhere_in_every_table) {
    const auto before = Attempts(memory).subject("a", place, "eva");
    teardown();
    setup();
    const auto after = Attempts(memory).subject("a", place, "eva");
    CHECK_TRUE(before.account != after.account && before.address != after.address);
    CHECK_TRUE(after.account != after.address);
}

TEST(attempts, of_the_oldest_go_where_there_is_no_room) {
    fail("a", "eva", 3);
    now += 1s;
    for (int account = 0; account < 200000; ++account)
        fail(std::to_string(account), "x" + std::to_string(account));
    CHECK_EQUAL(std::string("free"), state("b", "eva"));
    now += 1s;
    fail("b", "ivo", 3);
    CHECK_EQUAL(std::string("account 60"), state("c", "ivo"));
}

TEST(attempts, stay_where_there_is_room) {
    fail("a", "eva", 3);
    now += 1s;
    for (int account = 0; account < 1000; ++account)
        fail(std::to_string(account), "x" + std::to_string(account));
    CHECK_EQUAL(std::string("account 59"), state("b", "eva"));
}

TEST(attempts, are_counted_across_processes) {
    if (fork() == 0) {
        fail("a", "eva", 3);
        _exit(0);
    }
    wait(nullptr);
    CHECK_EQUAL(std::string("account 60"), state("b", "eva"));
}

TEST(attempts, are_counted_on_when_a_process_is_killed_in_the_middle) {
    for (int round = 0; round < 50; ++round) {
        const pid_t child = fork();
        if (child == 0)
            for (;;)
                fail("a", "eva");
        usleep(1000);
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        fail("b", "ivo");
    }
    CHECK_EQUAL(std::string("account 60"), state("c", "ivo"));
}

TEST(attempts, lie_where_nobody_can_tell) {
    void* const other = mmap(nullptr, Attempts::size_of(), PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK_TRUE(other != MAP_FAILED && Attempts::lay_out(other));
    const auto here = Attempts(memory).subject("x", "x", "x");
    const auto there = Attempts(other).subject("x", "x", "x");
    munmap(other, Attempts::size_of());
    CHECK_TRUE(here.address != there.address);
    CHECK_TRUE(here.account != there.account);
    CHECK_TRUE(here.address != here.account);
}

} // namespace useradmin::test
