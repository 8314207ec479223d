// Paths of programs and files. The functions fail the test if the file does not exist.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace useradmin::test::machine {

/// Returns the path of the httpd executable.
std::filesystem::path httpd();

/// Returns the path of a module of httpd, for example "mod_dbd.so".
std::filesystem::path httpd_module(std::string_view file);

/// Returns the path of a file created by the build: "mod_useradmin.so", "useradminctl",
/// "tests/mod_test_callers.so".
std::filesystem::path built(std::string_view file);

/// Returns the path of a file in the repository, for example "sql/sqlite/schema.sql".
std::filesystem::path source(std::string_view file);

/// Returns the path of a PostgreSQL program. On Debian, prefers the newest installed version.
std::filesystem::path postgresql(std::string_view program);

/// Returns the path of a system program, for example "pgbouncer".
std::filesystem::path program(std::string_view name);

/// Returns whether this is a long run (USERADMIN_TEST_LONG in the environment).
bool is_long();

/// Returns the number of repetitions: `many` in a long run, otherwise `few`.
inline int times(int few, int many) {
    return is_long() ? many : few;
}

/// Returns the environment for a program that loads sanitized modules. Returns an empty list if the
/// build is not sanitized.
std::vector<std::pair<std::string, std::string>> sanitizer_environment();

} // namespace useradmin::test::machine
