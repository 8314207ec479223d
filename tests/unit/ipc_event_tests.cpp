#include "ipc/event.hpp"

#include "support/process.hpp"
#include "support/shared_object.hpp"

#include <CppUTest/TestHarness.h>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>

namespace useradmin::test {

namespace {

using Clock = std::chrono::steady_clock;

struct Shared {
    ipc::Event event;
    std::atomic<int> waiting;
};

} // namespace

TEST_GROUP(event) {
    const Clock::time_point late = Clock::now() + std::chrono::seconds(60);
    SharedObject<Shared> memory;
};

TEST(event, does_not_wait_for_a_notification_already_sent) {
    const auto seen = memory->event.generation();
    memory->event.notify_all();
    memory->event.wait_until(seen, late);
    CHECK(memory->event.generation() != seen);
}

TEST(event, times_out_at_the_deadline) {
    const auto until = Clock::now() + std::chrono::milliseconds(20);
    const auto seen = memory->event.generation();
    int waits = 0;
    for (; Clock::now() < until; ++waits)
        memory->event.wait_until(seen, until);
    CHECK_TEXT(waits < 100, "only a few spurious wakeups");
    CHECK_EQUAL(seen, memory->event.generation());
}

TEST(event, wakes_all_waiters_in_all_processes) {
    std::array<pid_t, 4> children{};
    for (pid_t& child : children) {
        child = fork();
        if (child != 0)
            continue;
        const auto seen = memory->event.generation();
        ++memory->waiting;
        while (memory->event.generation() == seen)
            memory->event.wait_until(seen, late);
        _exit(Clock::now() < late ? 0 : 1);
    }
    CHECK(eventually([&] { return memory->waiting == 4; }));
    memory->event.notify_all();
    for (const pid_t child : children) {
        int status = 1;
        CHECK(waitpid(child, &status, 0) == child);
        CHECK_EQUAL(0, status);
    }
}

} // namespace useradmin::test
