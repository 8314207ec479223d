// What the build found and created on this machine, for the tests.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace useradmin::test::machine {

/// Returns httpd's program.
std::filesystem::path httpd();

/// Returns one of httpd's own modules: "mod_dbd.so".
std::filesystem::path httpd_module(std::string_view file);

/// Returns a file from the build: "mod_useradmin.so", "useradminctl", "tests/mod_test_callers.so".
std::filesystem::path built(std::string_view file);

/// Returns a file of the repository: "sql/sqlite/schema.sql".
std::filesystem::path source(std::string_view file);

/// Returns the newest installed PostgreSQL program with the name.
std::filesystem::path postgresql(std::string_view program);

/// Returns a program of the system: "pgbouncer".
std::filesystem::path program(std::string_view name);

/// Returns whether this is a long run (USERADMIN_TEST_LONG in the environment).
bool is_long();

/// Returns the number of repetitions: few, or many in a long run.
inline int times(int few, int many) {
    return is_long() ? many : few;
}

/// Returns the environment for a program that loads sanitized modules; empty in a plain build.
std::vector<std::pair<std::string, std::string>> sanitizer_environment();

} // namespace useradmin::test::machine
