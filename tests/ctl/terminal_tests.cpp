#include "scene.hpp"

#include "password/hash.hpp"
#include "support/files.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <csignal>

namespace useradmin::test {

TEST_GROUP_BASE(terminal, Scene){};

TEST(terminal, asks_for_the_password_twice_without_echo) {
    Terminal terminal(words({"create", "--email", "ana@x.org", "--name", "Ana"}), environment());
    terminal.await("Password: ");
    CHECK_FALSE(terminal.has_echo());
    terminal.type("s3cr3t word\n");
    terminal.await("Repeat password: ");
    terminal.type("s3cr3t word\n");
    CHECK_EQUAL(0, terminal.status());
    CHECK(terminal.has_echo());
    CHECK_FALSE(has(terminal.screen(), "s3cr3t"));
    const std::string id = sql().value(R"(SELECT "id" FROM "user")").value();
    CHECK(password::verify(hash_of(id), "s3cr3t word") == password::Verdict::match);
}

TEST(terminal, passwords_that_differ_change_nothing) {
    Terminal terminal(words({"create", "--email", "ana@x.org", "--name", "Ana"}), environment());
    terminal.await("Password: ");
    terminal.type("s3cr3t word\n");
    terminal.await("Repeat password: ");
    terminal.type("s3cr3t wort\n");
    CHECK_EQUAL(2, terminal.status());
    CHECK(has(terminal.screen(), "the passwords do not match; nothing was changed"));
    CHECK_FALSE(has(terminal.screen(), "s3cr3t"));
    CHECK_EQUAL(0, sql().number(R"(SELECT count(*) FROM "user")"));
}

TEST(terminal, restores_echo_after_an_interrupt) {
    Terminal terminal(words({"create", "--email", "ana@x.org", "--name", "Ana"}), environment());
    terminal.await("Password: ");
    terminal.type("\x03");
    CHECK_EQUAL(128 + SIGINT, terminal.status());
    CHECK(terminal.has_echo());
    CHECK_EQUAL(0, sql().number(R"(SELECT count(*) FROM "user")"));
}

TEST(terminal, restores_echo_at_Ctrl_Z) {
    Terminal terminal(words({"create", "--email", "ana@x.org", "--name", "Ana"}), environment());
    terminal.await("Password: ");
    terminal.type("\x1a");
    terminal.await("no password was given");
    CHECK_EQUAL(2, terminal.status());
    CHECK(terminal.has_echo());
}

TEST(terminal, import_ends_at_the_first_Ctrl_D) {
    Terminal terminal(words({"import", "-"}), environment());
    terminal.type("{\"email\":\"ana@x.org\",\"name\":\"Ana\"}\n\x04");
    terminal.await("1 user created");
    CHECK_EQUAL(0, terminal.status());
}

TEST(terminal, delete_asks_and_only_a_yes_deletes) {
    create("ana@x.org", "An\x1b[31ma", "admin");
    for (const char* answer : {"\n", "n\n", "nope\n", "yesterday\n", "\x04"}) {
        Terminal terminal(words({"delete", "ana@x.org"}), environment());
        terminal.await("Delete An\\x1b[31ma <ana@x.org>, role admin? [y/N] ");
        terminal.type(answer);
        CHECK_EQUAL(1, terminal.status());
        CHECK(has(terminal.screen(), "nothing was deleted"));
    }
    Terminal terminal(words({"delete", "ana@x.org"}), environment());
    terminal.await("[y/N] ");
    terminal.type("y\n");
    CHECK_EQUAL(0, terminal.status());
    CHECK_EQUAL(0, sql().number(R"(SELECT count(*) FROM "user")"));
}

TEST(terminal, the_last_super_admin_is_banned_or_demoted_only_after_confirmation) {
    create("ana@x.org", "Ana", "superAdmin");
    for (const auto& arguments : std::vector<std::vector<std::string>>{
             {"ban", "ana@x.org"}, {"role", "ana@x.org", "admin"}}) {
        Terminal rejected(words(arguments), environment());
        rejected.await("Ana <ana@x.org> is the last superAdmin. ");
        rejected.await("[y/N] ");
        rejected.type("n\n");
        CHECK_EQUAL(1, rejected.status());
        CHECK(has(rejected.screen(), "nothing was done"));
        Terminal agreed(words(arguments), environment());
        agreed.await("[y/N] ");
        agreed.type("y\n");
        CHECK_EQUAL(0, agreed.status());
        expect_ok(ctl({"unban", "ana@x.org"}));
    }
    CHECK_EQUAL(std::string("admin"),
                Json(ctl({"show", "ana@x.org", "--json"}).output).at("data.role"));
}

TEST(terminal, delete_asks_again_if_the_user_is_the_last_super_admin) {
    create("ana@x.org", "Ana", "superAdmin");
    Terminal terminal(words({"delete", "ana@x.org"}), environment());
    terminal.await("Delete Ana <ana@x.org>, role superAdmin? [y/N] ");
    terminal.type("y\n");
    terminal.await("Ana <ana@x.org> is the last superAdmin. Delete anyway? [y/N] ");
    terminal.type("n\n");
    CHECK_EQUAL(1, terminal.status());
    CHECK(has(terminal.screen(), "nothing was done"));
    CHECK_EQUAL(1, sql().number(R"(SELECT count(*) FROM "user")"));
}

TEST(terminal, shows_no_user_data_in_the_progress_line) {
    const std::string alone = "\r\x1b[K";
    const auto output_of = [](const std::vector<std::string>& arguments, int status) {
        Terminal terminal(words(arguments), environment());
        CHECK_EQUAL(status, terminal.status());
        return terminal.screen();
    };
    const auto wrong = file("wrong.ndjson", "{}\n");
    const std::string log = path("terminal.log");
    const std::string tried = output_of({"import", "--dry-run", wrong}, 1);
    CHECK_TEXT(has(tried, alone + "useradminctl: line 1 has no email"), tried.c_str());
    const auto right = file("right.ndjson", R"({"name":"Ana","email":"ana@x.org"})"
                                            "\n");
    const std::string done = output_of({"import", right, "--audit-log", log}, 0);
    CHECK_TEXT(has(done, alone + "1 user created"), done.c_str());
    const std::string verified = output_of({"audit", "verify", log}, 0);
    CHECK_TEXT(has(verified, alone + "2 lines, numbered 1 to 2"), verified.c_str());
    const std::string exported = output_of({"export"}, 0);
    CHECK_TEXT(exported.starts_with("{\"id\":"), exported.c_str());
    CHECK_FALSE(has(exported, "Exporting"));
}

TEST(terminal, gets_no_escape_sequences_from_an_exported_user) {
    create("ana@x.org", "An\x1b[31ma");
    Terminal terminal(words({"export", "--format", "csv"}), environment());
    terminal.await(",An\\x1b[31ma,ana@x.org,");
    CHECK_EQUAL(0, terminal.status());
}

TEST(terminal, progress_shows_the_rate_and_the_time_left) {
    std::string lines;
    for (int number = 0; number < 1200; ++number)
        lines += R"({"name":"Ana","email":"user)" + std::to_string(number) + "@x.org\"}\n";
    const std::string users = file("progress.ndjson", lines);
    const std::string log = path("progress.log");
    const std::string out = path("progress.csv");
    const auto output_of = [](const std::vector<std::string>& arguments) {
        Terminal terminal(words(arguments), environment());
        CHECK_EQUAL(0, terminal.status());
        return terminal.screen();
    };
    const auto expect_progress = [](const std::string& screen, const std::string& counts) {
        const std::size_t at = screen.find(counts);
        const std::string rest = screen.substr(std::min(at, screen.size()));
        CHECK_TEXT(at != screen.npos, screen.c_str());
        CHECK_TEXT(rest.find("/s, ") < rest.find(" left …"), screen.c_str());
    };
    expect_progress(output_of({"import", users, "--dry-run"}), "Checking lines: 500 (41 %), ");
    expect_progress(output_of({"import", users, "--audit-log", log}), "Importing lines: 1000 (");
    expect_progress(output_of({"export", out}), "Exporting users: 50 of 1200, ");
    // Progress is shown every 10,000 lines.
    std::string many;
    for (int count = 0; count < 10; ++count)
        many += read_file(log);
    Terminal terminal(words({"audit", "verify", file("many.log", many)}), environment());
    terminal.await("Verifying lines: 10000, ");
    CHECK_EQUAL(1, terminal.status());
}

TEST(terminal, progress_stays_on_one_line_of_a_narrow_terminal) {
    const std::string users = file("narrow.ndjson", R"({"name":"Ana","email":"ana@x.org"})"
                                                    "\n");
    Terminal terminal(words({"import", users}), environment());
    // Automatic wrapping is off within the line.
    terminal.await("\x1b[?7lImporting lines: 1 (100 %), ");
    terminal.await(" left …\x1b[?7h");
    CHECK_EQUAL(0, terminal.status());
}

TEST(terminal, shows_times_in_the_local_zone) {
    const std::string id = create("ana@x.org");
    sql().run("UPDATE \"user\" SET \"createdAt\" = '2026-01-31T20:00:00.000Z'");
    Environment zone = environment();
    zone.emplace_back("TZ", "XYZ-05:30");
    for (const auto& arguments :
         std::vector<std::vector<std::string>>{{"list"}, {"show", "ana@x.org"}}) {
        Terminal terminal(words(arguments), zone);
        CHECK_EQUAL(0, terminal.status());
        CHECK_TEXT(has(terminal.screen(), "2026-02-01 01:30:00 XYZ"), terminal.screen().c_str());
        CHECK(has(ctl(arguments, "", {{"TZ", "XYZ-05:30"}}).output, "2026-01-31T20:00:00.000Z"));
    }
    Terminal json(words({"show", "ana@x.org", "--json"}), zone);
    CHECK_EQUAL(0, json.status());
    CHECK(has(json.screen(), "2026-01-31T20:00:00.000Z"));
}

TEST(terminal, check_shows_its_progress) {
    Terminal terminal(words({"check"}), environment());
    terminal.await("Counting users …");
    CHECK_EQUAL(0, terminal.status());
    CHECK_FALSE(has(ctl({"check"}).errors, "Counting"));
}

namespace {

/// Control characters, bidirectional formatting characters and line separators. NUL is missing
/// because arguments are C strings.
constexpr const char* hostile = "a\x1b[31m\x7f\r\n\b\u0085\u009b31m\u202a\u202b\u202c\u202d\u202e"
                                "\u2066\u2067\u2068\u2069\u2028@x.org";

} // namespace

class HostileTexts : public Scene {
  protected:
    /// Runs a command with and without --json, and expects escapes in the output. Scene::ctl
    /// rejects raw control characters.
    static void expect_escapes(std::vector<std::string> arguments, std::string_view input = "") {
        for (const bool is_json : {false, true}) {
            if (is_json)
                arguments.emplace_back("--json");
            const CommandResult ended = ctl(arguments, input);
            CHECK_TEXT(!(ended.output + ended.errors).empty(), arguments[0].c_str());
            const std::string all = ended.output + ended.errors;
            CHECK_TEXT(has(all, "\\x1b") || has(all, "\\u001b"), all.c_str());
        }
    }
    static void add_user(const std::string& id) {
        sql().insert("user", {{"id", id},
                              {"name", hostile},
                              {"email", hostile},
                              {"image", hostile},
                              {"role", hostile},
                              {"banReason", hostile}});
    }
};

TEST_GROUP_BASE(hostile_texts, HostileTexts){};
TEST_GROUP_BASE(sqlite_hostile_texts, HostileTexts){};

TEST(hostile_texts, texts_of_a_user_do_not_reach_the_terminal) {
    add_user(hostile);
    expect_escapes({"list"});
    for (const char* command : {"show", "unban"})
        expect_escapes({command, hostile});
    expect_escapes({"role", hostile, std::string("b") + hostile, "--force"});
    expect_escapes({"role", hostile, hostile});
    expect_escapes({"ban", hostile, "--reason", hostile});
    expect_escapes({"session", "list", std::string("b") + hostile});
    expect_escapes({"passwd", std::string("b") + hostile}, "s3cr3t word\n");
    expect_escapes({"create", "--email", hostile, "--name", hostile}, "s3cr3t word\n");
    expect_escapes({"export", std::string("/nonexistent/") + hostile, "--format", "csv"});
    expect_escapes({std::string("a") + hostile});
    expect_escapes({"audit", "verify", hostile});
}

TEST(hostile_texts, texts_of_a_user_file_do_not_reach_the_terminal) {
    add_user("id-1");
    const std::string quoted = std::string("\"") + hostile + "\"";
    expect_escapes(
        {"import", file("address.csv", "email,name\n" + quoted + ",Ana\n"), "--dry-run"});
    expect_escapes({"import", file("heading.csv", "email," + quoted + "\n"), "--dry-run"});
    expect_escapes({"import", file("role.csv", "email,name,role\nb@x.org,Ana," + quoted + "\n")});
    expect_escapes({"import", path(hostile)});
}

TEST(hostile_texts, in_names_of_the_database_do_not_reach_the_terminal) {
    const std::string table = is_postgresql() ? "t\x1b\u009b\u202e" : "t\x1b\u009b\u202e\n";
    sql().run("CREATE TABLE \"" + table +
              "\" (\"id\" integer PRIMARY KEY, \"c\x1b\u009b\u202e\" "
              "text NOT NULL)");
    expect_escapes({"--tables", table + " b" + table + " c" + table, "check"});
    expect_escapes({"--tables", "\"" + table + "\" session account", "check"});
    expect_escapes({"--tables", "\"" + table + "\" session account", "list"});
    sql().run("DROP TABLE \"" + table + "\"");
    for (const char* option : {"--driver", "--params"})
        for (const bool is_json : {false, true}) {
            std::vector<std::string> words = {"--driver", database().driver(), "--params",
                                              database().params(), "list"};
            words[option == std::string_view("--driver") ? 1 : 3] = hostile;
            if (is_json)
                words.emplace_back("--json");
            CHECK(ctl_without_database(words).status != 0);
        }
    CHECK(ctl_without_database(
              {"--config", file("hostile.conf", std::string("Include ") + hostile), "list"})
              .status != 0);
}

TEST(sqlite_hostile_texts, with_NUL_do_not_reach_the_terminal) {
    // PostgreSQL rejects such strings.
    add_user("id-1");
    sql().run("UPDATE \"user\" SET \"name\" = CAST(X'41001b42' AS text)");
    expect_escapes({"list"});
    expect_escapes({"show", "id-1"});
}

TEST(hostile_texts, do_not_reach_the_audit_log) {
    add_user("id-1");
    const std::string log = path("hostile.log");
    expect_ok(ctl({"role", "id-1", std::string("b") + hostile, "--force", "--audit-log", log}));
    const CommandResult rejected = ctl({"show", hostile, "--audit-log", log});
    CHECK_EQUAL(0, rejected.status);
    CHECK_EQUAL(4, ctl({"delete", std::string("b") + hostile, "--yes", "--audit-log", log}).status);
    const std::string text = read_file(log);
    CHECK_TEXT(has(text, R"(\u001b[31m\u007f\r\n\b\u0085\u009b31m\u202a)"), text.c_str());
    CHECK_FALSE(has_control_characters(text));
    CHECK_EQUAL(2, std::count(text.begin(), text.end(), '\n'));
    CHECK_EQUAL(0, ctl_without_database({"audit", "verify", log}).status);
}

} // namespace useradmin::test
