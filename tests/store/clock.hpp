// The clock of this program: what asks APR for the time, or sleeps by it, comes here.
#pragma once

#include <chrono>
#include <functional>

namespace useradmin::test {

/// Puts the clock forward, as if so much time had passed.
void pass(std::chrono::seconds time) noexcept;

/// Has that called before each sleep; an empty function: nothing.
void before_sleep(std::function<void()> look);

} // namespace useradmin::test
