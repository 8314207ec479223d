// The fixture of the tests of useradminctl: one database, and the program.
#pragma once

#include "program.hpp"
#include "support/test_database.hpp"
#include "support/trouble.hpp"

#include <CppUTest/TestHarness.h>
#include <cJSON.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::test {

void set_scene(TestDatabase* database, const WorkFolder* work) noexcept;

/// A JSON document that was read whole; a test fails where one is not of the kind that it asks for.
class Json {
  public:
    /// Fails the test where the text is not one line that is one JSON document.
    explicit Json(const std::string& line, SourceLocation where = {});

    /// The text at the path of keys and indexes: "data.0.email"; "(null)", "(absent)", "true" and
    /// the like for what is no string.
    std::string at(std::string_view path) const;
    /// The elements or members of what is at the path.
    int size(std::string_view path) const;

  private:
    struct Deleter {
        void operator()(cJSON* tree) const noexcept { cJSON_Delete(tree); }
    };
    const cJSON* find(std::string_view path) const;
    std::unique_ptr<cJSON, Deleter> tree_;
};

/// Every test starts with empty tables.
class Scene : public Utest {
  public:
    void setup() override { database().clear(); }

  protected:
    static TestDatabase& database();
    static const WorkFolder& work();
    static Database& sql() { return database().sql(); }
    static bool is_postgresql() { return database().kind() == Kind::postgresql; }
    /// A file of this text in the work folder; its path.
    static std::string file(std::string_view name, std::string_view text);
    /// The path of a file in the work folder.
    static std::string path(std::string_view name);

    /// The program's words and environment, for Terminal.
    static std::vector<std::string> words(std::vector<std::string> arguments);
    static Environment environment();

    /// Runs useradminctl on the database. Fails the test where a password, a hash or what could
    /// steer a terminal comes out of it.
    static ProgramResult ctl(std::vector<std::string> arguments, std::string_view input = "",
                             const Environment& more = {}, SourceLocation where = {});
    /// The same without the options that name the database.
    static ProgramResult bare_ctl(std::vector<std::string> arguments, std::string_view input = "",
                                  const Environment& more = {}, SourceLocation where = {});
    /// A configuration with the database and these lines.
    static std::string with_database(const std::string& lines);
    /// Runs useradminctl with such a configuration in place of the options that name the database.
    static ProgramResult ctl_with(const std::string& lines, std::vector<std::string> arguments);
    /// Runs a program as an account that modes keep out of others' files.
    static ProgramResult run_as_other(std::vector<std::string> program,
                                      const Environment& environment);
    /// The output of a run that must succeed, without the line's end.
    static std::string done(const ProgramResult& ended, SourceLocation where = {});

    /// Makes a user; its id.
    static std::string create(const std::string& email, const std::string& name = "Ana",
                              const std::string& role = "user");
    /// The stored password hash of the user.
    static std::string hash_of(const std::string& user_id);
    static long sessions_of(const std::string& user_id);
};

/// Whether a terminal would do more than show the text: C0 but for line ends, DEL, C1, and what
/// reorders.
bool steers_a_terminal(const std::string& text);

/// Whether the text has the part.
bool has(const std::string& text, std::string_view part);

} // namespace useradmin::test
