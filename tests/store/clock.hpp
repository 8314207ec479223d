// The clock of this program: what asks APR for the time, or sleeps by it, comes here.
#pragma once

#include <chrono>
#include <functional>

namespace useradmin::test {

/// Advances the clock.
void pass(std::chrono::seconds time) noexcept;

/// Sets a function to call before each sleep. An empty one removes it.
void before_sleep(std::function<void()> look);

} // namespace useradmin::test
