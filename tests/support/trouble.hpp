// How the harness says that it, or a test, cannot go on.
#pragma once

#include <stdexcept>
#include <string>

namespace useradmin::test {

/// The place in a test's text where a helper was called; always the default argument.
struct SourceLocation {
    const char* file;
    int line;
    SourceLocation(const char* at_file = __builtin_FILE(), int at_line = __builtin_LINE()) noexcept
        : file(at_file), line(at_line) {}
};

/// What stops a test executable before or between its tests.
class TestError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Fails the test that runs, or throws Trouble where none does.
[[noreturn]] void fail_test(const std::string& why, SourceLocation where = {});

/// Tells fail_test whether a test runs; the test main's plugin does this.
void mark_test_running(bool running) noexcept;

} // namespace useradmin::test
