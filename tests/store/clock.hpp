// A clock and a sleep function that replace APR's in this program.
#pragma once

#include <chrono>
#include <functional>

namespace useradmin::test {

/// Advances the clock.
void advance_clock(std::chrono::seconds time) noexcept;

/// Sets a function to call before each sleep. An empty function removes it.
void before_sleep(std::function<void()> look);

} // namespace useradmin::test
