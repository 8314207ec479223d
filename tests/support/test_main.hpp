#pragma once

#include <functional>

namespace useradmin::test {

/// Runs CppUTest's tests, with LogWatch::settle() after each test. `around` owns the objects that
/// the tests need, and calls the function that runs the tests. Returns the exit status.
int run_tests(int count, const char* const* arguments,
              const std::function<int(const std::function<int()>&)>& around);

} // namespace useradmin::test
