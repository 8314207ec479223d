#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::test {

class TestDatabase;
class WorkFolder;

/// Removes an option such as "--mpm=" with its value from the arguments. Returns the value, the
/// last one if the option is repeated, or `by_default`.
std::string take_option(std::vector<const char*>& arguments, std::string_view option,
                        std::string by_default = {});

/// Leaves out the tests of the groups for which the function returns true.
void exclude_groups(const std::function<bool(std::string_view group)>& is_left_out);

/// Leaves out the groups that need the other database. Their names start with its name:
/// "sqlite_threads", "postgresql_scale".
void exclude_groups_of_other_database(std::string_view database);

/// Runs CppUTest's tests, with LogWatch::finish_test() after each test. `around` creates the
/// objects that the tests need and calls its argument, which runs the tests. Returns the exit
/// status.
int run_tests(int count, const char* const* arguments,
              const std::function<int(const std::function<int()>&)>& around);

/// Like run_tests(), for an executable with the option --database=postgresql|sqlite. Creates a
/// database of that kind and passes it to `use` before the tests.
int run_tests_on_database(int count, char** arguments,
                          const std::function<void(TestDatabase&, const WorkFolder&)>& use);

} // namespace useradmin::test
