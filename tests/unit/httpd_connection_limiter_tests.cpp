// Which requests may lock mod_dbd's pool while the database does not respond.
#include "httpd/connection_limiter.hpp"

#include "support/process.hpp"

#include <CppUTest/TestHarness.h>
#include <atomic>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <unistd.h>

namespace useradmin::test {

using httpd::ConnectionLimiter;
using store::Clock;
using namespace std::chrono_literals;

class ConnectionLimiterTest : public Utest {
  protected:
    static constexpr auto hold_time = 1100ms;

    /// Holds the lock as long as a slow connect would. Returns at least that time.
    Clock::duration hold_lock() {
        const auto start = Clock::now();
        {
            const ConnectionLimiter::PoolLock turn(limiter_, Clock::now() + 60s);
            std::this_thread::sleep_for(hold_time);
        }
        return Clock::now() - start;
    }
    /// Returns whether a request that has `left` until its deadline may try to connect. time: its
    /// timeout.
    bool may_connect(Clock::duration left, Clock::duration time) {
        const ConnectionLimiter::PoolLock turn(limiter_, Clock::now() + left);
        return turn && turn.has_time_to_connect(time);
    }

    ConnectionLimiter limiter_ = ConnectionLimiter(1);
};

TEST_GROUP_BASE(connection_limiter, ConnectionLimiterTest){};

TEST(connection_limiter, rejects_if_recent_connects_took_longer_than_the_remaining_time) {
    CHECK(may_connect(0s, 2s));
    const auto start = Clock::now();
    const auto held = hold_lock();
    // The pool is slow for at least twice as long as it was locked.
    const auto slow_until = start + 3 * hold_time;
    // The first call may lock the pool without connecting. This must not affect the second.
    for (int time = 0; time < 2; ++time)
        CHECK(!may_connect(0s, 2s) || Clock::now() >= slow_until);
    // One second of tolerance.
    CHECK(may_connect(held, held + 1s));
    CHECK(may_connect(2s, 2s));
}

TEST(connection_limiter, accepts_again_after_one_fast_connect) {
    hold_lock();
    ConnectionLimiter::PoolLock(limiter_, Clock::now() + 60s).mark_connected();
    CHECK(may_connect(0s, 2s));
}

TEST(connection_limiter, stops_waiting_for_a_release_at_the_deadline) {
    const auto start = Clock::now();
    hold_lock();
    const auto slow_until = Clock::now() + 2 * (Clock::now() - start);
    const ConnectionLimiter::ReleasePriority release(limiter_);
    const ConnectionLimiter::PoolLock turn(limiter_, Clock::now());
    CHECK(!turn || Clock::now() >= slow_until);
}

TEST(connection_limiter, prefers_a_release_to_an_acquire) {
    const auto start = Clock::now();
    hold_lock();
    const auto slow_until = Clock::now() + 2 * (Clock::now() - start);
    std::optional<ConnectionLimiter::ReleasePriority> release(std::in_place, limiter_);
    std::atomic<pid_t> id{0};
    std::atomic<bool> is_acquired{false};
    std::thread taker([&] {
        id = gettid();
        const ConnectionLimiter::PoolLock turn(limiter_, Clock::now() + 60s);
        is_acquired = true;
    });
    // While the release has priority, the thread sleeps repeatedly.
    const auto sleeps_often = [&] {
        const auto folder = "/proc/self/task/" + std::to_string(id);
        return id != 0 && std::atoi(status_field(folder, "voluntary_ctxt_switches").c_str()) > 10;
    };
    const bool has_waited = eventually([&] { return is_acquired || sleeps_often(); }) &&
                            (!is_acquired || Clock::now() >= slow_until);
    release.reset();
    taker.join();
    CHECK(has_waited);
    CHECK(is_acquired);
}

} // namespace useradmin::test
