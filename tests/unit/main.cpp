#include "support/test_main.hpp"

int main(int count, char** arguments) {
    return useradmin::test::run_tests(
        count, arguments, [](const auto& tests) { return tests(); });
}
