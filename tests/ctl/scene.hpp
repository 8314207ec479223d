#pragma once

#include "support/fail_test.hpp"
#include "support/test_database.hpp"
#include "terminal.hpp"

#include <CppUTest/TestHarness.h>
#include <cJSON.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::test {

void set_scene(TestDatabase* database, const WorkFolder* work) noexcept;

/// Parses a JSON document.
class Json {
  public:
    /// Fails the test unless the string is one line with one JSON document.
    explicit Json(const std::string& line, SourceLocation where = {});

    /// Returns the string at a path of keys and indexes, such as "data.0.email". Returns a number
    /// as an integer, other values as "true", "false" or "(null)", and "(absent)" if there is no
    /// value.
    std::string at(std::string_view path) const;
    /// Returns the number of elements or members at the path.
    int size(std::string_view path) const;

  private:
    struct Deleter {
        void operator()(cJSON* tree) const noexcept { cJSON_Delete(tree); }
    };
    const cJSON* find(std::string_view path) const;
    std::unique_ptr<cJSON, Deleter> tree_;
};

/// Each test starts with empty tables.
class Scene : public Utest {
  public:
    void setup() override { database().clear(); }
    void teardown() override { database().undo(); }

  protected:
    static TestDatabase& database();
    static const WorkFolder& work();
    static Database& sql() { return database().sql(); }
    /// Changes the schema until the test ends.
    static void change(const std::string& statements, const std::string& reverse) {
        database().change(statements, reverse);
    }
    static bool is_postgresql() { return database().kind() == Kind::postgresql; }
    /// Writes a file with this content to the work directory. Returns its path.
    static std::string file(std::string_view name, std::string_view text);
    /// Returns the path of a file in the work directory.
    static std::string path(std::string_view name);
    /// Returns the lines of a file with their newlines, as Json requires.
    static std::vector<std::string> lines_of_file(const std::string& path);

    /// Returns the command line of useradminctl with the database.
    static std::vector<std::string> words(std::vector<std::string> arguments);
    static Environment environment();

    /// Runs useradminctl with the database. Fails the test if the output contains a password, a
    /// hash or terminal control characters.
    static CommandResult ctl(std::vector<std::string> arguments, std::string_view input = "",
                             const Environment& more = {}, SourceLocation where = {});
    /// Like ctl(), but without the options for the database.
    static CommandResult ctl_without_database(std::vector<std::string> arguments,
                                              std::string_view input = "",
                                              const Environment& more = {},
                                              SourceLocation where = {});
    /// Returns a configuration with the database and these lines.
    static std::string with_database(const std::string& lines);
    /// Like ctl(), but with a configuration instead of the options for the database.
    static CommandResult ctl_with(const std::string& lines, std::vector<std::string> arguments);
    /// Expects that a command outlasts a statement timeout of one second in DBDParams, while the
    /// holder's open transaction blocks it, and that it ends without a database error.
    static void expect_no_statement_timeout(Database& holder, const std::string& lines,
                                            const std::vector<std::string>& command);
    /// Runs a program under an account to which file modes apply.
    static CommandResult run_as_other_account(std::vector<std::string> program,
                                              const Environment& environment);
    /// Expects success. Returns the output without the final newline.
    static std::string expect_ok(const CommandResult& ended, SourceLocation where = {});

    /// Creates a user. Returns its id.
    static std::string create(const std::string& email, const std::string& name = "Ana",
                              const std::string& role = "user");
    static std::string hash_of(const std::string& user_id);
    static long sessions_of(const std::string& user_id);
};

/// Returns whether the string contains C0 controls other than newlines, DEL, C1 controls,
/// bidirectional formatting characters, U+2028 or U+2029.
bool has_control_characters(const std::string& text);

/// Returns whether the string contains the part.
bool has(const std::string& text, std::string_view part);

} // namespace useradmin::test
