#pragma once

#include <stdexcept>
#include <string>

namespace useradmin::test {

/// The source location of a helper's caller. Use it only as a default argument.
struct SourceLocation {
    const char* file;
    int line;
    SourceLocation(const char* at_file = __builtin_FILE(), int at_line = __builtin_LINE()) noexcept
        : file(at_file), line(at_line) {}
};

/// Ends a test executable before or between tests.
class TestError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Fails the running test, or throws TestError if none is running.
[[noreturn]] void fail_test(const std::string& why, SourceLocation where = {});

/// Tells fail_test() whether a test is running. Called by test_main's plugin.
void mark_test_running(bool running) noexcept;

} // namespace useradmin::test
