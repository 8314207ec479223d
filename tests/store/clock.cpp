#include "clock.hpp"

#include <apr_time.h>

#include <thread>
#include <utility>

namespace {

std::chrono::microseconds passed{0};

std::function<void()>& to_call_before_sleep() {
    static std::function<void()> look;
    return look;
}

} // namespace

void useradmin::test::advance_clock(std::chrono::seconds time) noexcept {
    passed += time;
}

void useradmin::test::before_sleep(std::function<void()> look) {
    to_call_before_sleep() = std::move(look);
}

// These functions replace APR's, because a symbol of the program takes precedence over the same
// symbol of a library.

extern "C" apr_time_t apr_time_now() {
    const auto now = std::chrono::system_clock::now().time_since_epoch() + passed;
    return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

extern "C" void apr_sleep(apr_interval_time_t time) {
    if (to_call_before_sleep())
        to_call_before_sleep()();
    std::this_thread::sleep_for(std::chrono::microseconds(time));
}
