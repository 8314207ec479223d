#include "support/fail_test.hpp"

#include <CppUTest/TestHarness.h>

namespace useradmin::test {

namespace {

bool test_is_running = false;

} // namespace

void mark_test_running(bool running) noexcept {
    test_is_running = running;
}

void fail_test(const std::string& why, SourceLocation where) {
    if (test_is_running)
        UtestShell::getCurrent()->fail(why.c_str(), where.file,
                                       static_cast<std::size_t>(where.line));
    throw TestError(why);
}

} // namespace useradmin::test
