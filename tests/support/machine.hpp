// What the build found on this machine and made, for the tests.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace useradmin::test::machine {

/// httpd's program.
std::filesystem::path httpd();

/// A module of httpd's own: "mod_dbd.so".
std::filesystem::path httpd_module(std::string_view file);

/// What the build left: "mod_useradmin.so", "useradminctl", "tests/mod_test_callers.so".
std::filesystem::path built(std::string_view file);

/// A file of the repository: "sql/sqlite/schema.sql".
std::filesystem::path source(std::string_view file);

/// The newest PostgreSQL program of this name that is installed.
std::filesystem::path postgresql(std::string_view program);

/// A program of the system's: "pgbouncer".
std::filesystem::path program(std::string_view name);

/// Whether this is a long run (USERADMIN_TEST_LONG in the environment), for what breaks things.
bool is_long();

/// How often something is done that breaks things: a few times, or in a long run many.
inline int times(int few, int many) {
    return is_long() ? many : few;
}

/// What a program that loads sanitized modules needs in its environment; nothing in a plain build.
std::vector<std::pair<std::string, std::string>> sanitizer_environment();

} // namespace useradmin::test::machine
