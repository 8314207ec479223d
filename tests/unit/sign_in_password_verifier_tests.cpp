// Passwords verified under the server's hashing slots.
#include "sign_in/password_verifier.hpp"

#include <CppUTest/TestHarness.h>
#include <algorithm>
#include <climits>
#include <ctime>
#include <vector>

namespace useradmin::test {

using sign_in::BoundedPasswordVerifier;
using sign_in::PasswordVerdict;
using namespace std::chrono_literals;

TEST_GROUP(password_verifier) {
    const password::Format format = password::Argon2id{4096, 3, 1};
    std::vector<std::max_align_t> memory;
    bool is_wanted = true;

    void setup() override {
        memory.assign(password::Slots::size_of(1) / sizeof(std::max_align_t) + 1, {});
        CHECK_TRUE(password::Slots::lay_out(memory.data(), 1));
    }

    PasswordVerdict verify(const std::optional<std::string_view>& stored,
                           std::string_view password) {
        BoundedPasswordVerifier verifier(format, password::Slots(memory.data()), 50ms);
        return verifier.verify(stored, password, [this] { return is_wanted; });
    }

    /// The processor's time, the shortest of a few runs.
    long time_of(const std::optional<std::string_view>& stored) {
        long shortest = LONG_MAX;
        for (int run = 0; run < 5; ++run) {
            const long begin = processor_time();
            verify(stored, "wrong");
            shortest = std::min(shortest, processor_time() - begin);
        }
        return shortest;
    }

    static long processor_time() {
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return time.tv_sec * 1'000'000'000 + time.tv_nsec;
    }
};

TEST(password_verifier, tells_match_mismatch_and_a_hash_that_is_refused) {
    const std::string stored = *password::hash(format, "right");
    CHECK_TRUE(verify(stored, "right") == PasswordVerdict::match);
    CHECK_TRUE(verify(stored, "wrong") == PasswordVerdict::mismatch);
    CHECK_TRUE(verify(std::nullopt, "right") == PasswordVerdict::mismatch);
    CHECK_TRUE(verify("", "") == PasswordVerdict::refused);
    CHECK_TRUE(verify("right", "right") == PasswordVerdict::refused);
}

TEST(password_verifier, takes_as_long_for_a_hash_that_is_not_there_or_is_refused) {
    const std::string stored = *password::hash(format, "right");
    const long wrong = time_of(stored);
    CHECK_TRUE(time_of(std::nullopt) > wrong / 2);
    CHECK_TRUE(time_of("$argon2id$v=19$m=4194304,t=2,p=1$c2FsdHNhbHRzYWx0$"
                       "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA") > wrong / 2);
}

TEST(password_verifier, verifies_nothing_without_a_slot) {
    const auto held = password::Slots(memory.data()).acquire(50ms);
    CHECK_TRUE(verify(*password::hash(format, "right"), "right") == PasswordVerdict::busy);
    CHECK_TRUE(verify(std::nullopt, "right") == PasswordVerdict::busy);
}

TEST(password_verifier, stops_where_the_verdict_is_no_longer_wanted) {
    is_wanted = false;
    CHECK_TRUE(verify(*password::hash(format, "right"), "right") == PasswordVerdict::stopped);
}

} // namespace useradmin::test
