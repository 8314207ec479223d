// What the mains of the test executables share.
#pragma once

#include <functional>

namespace useradmin::test {

/// Runs CppUTest's tests with the arguments, with LogWatch settled after each test. What `around`
/// builds lives while they run: it is given the function that runs them. The exit status.
int run_tests(int count, const char* const* arguments,
              const std::function<int(const std::function<int()>&)>& around);

} // namespace useradmin::test
