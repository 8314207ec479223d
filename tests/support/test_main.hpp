// Shared by the main functions of the test executables.
#pragma once

#include <functional>

namespace useradmin::test {

/// Runs CppUTest's tests with the arguments, and LogWatch::settle() after each test. `around` calls
/// the function that runs them and owns the objects they need. Returns the exit status.
int run_tests(int count, const char* const* arguments,
              const std::function<int(const std::function<int()>&)>& around);

} // namespace useradmin::test
