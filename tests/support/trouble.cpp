#include "support/trouble.hpp"

#include <CppUTest/TestHarness.h>

namespace useradmin::test {

namespace {

bool test_is_running = false;

} // namespace

void mark_test_running(bool running) noexcept {
    test_is_running = running;
}

void give_up(const std::string& why, Here here) {
    if (test_is_running)
        UtestShell::getCurrent()->fail(why.c_str(), here.file, static_cast<std::size_t>(here.line));
    throw Trouble(why);
}

} // namespace useradmin::test
