// useradminctl on a terminal.
#include "scene.hpp"

#include "password/hash.hpp"

#include <csignal>

namespace useradmin::test {

TEST_GROUP_BASE(terminal, Scene){};

TEST(terminal, asks_for_the_password_twice_and_does_not_show_it) {
    Terminal terminal(words({"create", "--email", "ana@x.org", "--name", "Ana"}), environment());
    terminal.await("Password: ");
    CHECK_FALSE(terminal.echoes());
    terminal.type("s3cr3t word\n");
    terminal.await("Once more: ");
    terminal.type("s3cr3t word\n");
    CHECK_EQUAL(0, terminal.status());
    CHECK(terminal.echoes());
    CHECK_FALSE(has(terminal.screen(), "s3cr3t"));
    const std::string id = sql().value(R"(SELECT "id" FROM "user")").value();
    CHECK(password::verify(hash_of(id), "s3cr3t word") == password::Verdict::match);
}

TEST(terminal, two_passwords_that_differ_do_nothing) {
    Terminal terminal(words({"create", "--email", "ana@x.org", "--name", "Ana"}), environment());
    terminal.await("Password: ");
    terminal.type("s3cr3t word\n");
    terminal.await("Once more: ");
    terminal.type("s3cr3t wort\n");
    CHECK_EQUAL(2, terminal.status());
    CHECK(has(terminal.screen(), "the two passwords differ; nothing was done"));
    CHECK_FALSE(has(terminal.screen(), "s3cr3t"));
    CHECK_EQUAL(0, sql().number(R"(SELECT count(*) FROM "user")"));
}

TEST(terminal, shows_again_what_is_typed_after_an_interrupt) {
    Terminal terminal(words({"create", "--email", "ana@x.org", "--name", "Ana"}), environment());
    terminal.await("Password: ");
    terminal.type("\x03");
    CHECK_EQUAL(128 + SIGINT, terminal.status());
    CHECK(terminal.echoes());
    CHECK_EQUAL(0, sql().number(R"(SELECT count(*) FROM "user")"));
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

TEST(terminal, the_last_superAdmin_is_banned_or_demoted_after_a_yes_alone) {
    create("ana@x.org", "Ana", "superAdmin");
    for (const auto& arguments : std::vector<std::vector<std::string>>{
             {"ban", "ana@x.org"}, {"role", "ana@x.org", "admin"}}) {
        Terminal refused(words(arguments), environment());
        refused.await("Ana <ana@x.org> is the last superAdmin. ");
        refused.await("[y/N] ");
        refused.type("n\n");
        CHECK_EQUAL(1, refused.status());
        CHECK(has(refused.screen(), "nothing was done"));
        Terminal agreed(words(arguments), environment());
        agreed.await("[y/N] ");
        agreed.type("y\n");
        CHECK_EQUAL(0, agreed.status());
        done(ctl({"unban", "ana@x.org"}));
    }
    CHECK_EQUAL(std::string("admin"),
                Json(ctl({"show", "ana@x.org", "--json"}).output).at("data.role"));
}

TEST(terminal, delete_says_that_it_is_the_last_superAdmin) {
    create("ana@x.org", "Ana", "superAdmin");
    Terminal terminal(words({"delete", "ana@x.org"}), environment());
    terminal.await("role superAdmin, the last one? [y/N] ");
    terminal.type("n\n");
    CHECK_EQUAL(1, terminal.status());
}

TEST(terminal, shows_nothing_on_the_line_that_says_how_far_it_has_come) {
    const std::string alone = "\r\x1b[K";
    const auto screen_of = [](const std::vector<std::string>& arguments, int status) {
        Terminal terminal(words(arguments), environment());
        CHECK_EQUAL(status, terminal.status());
        return terminal.screen();
    };
    const auto wrong = file("wrong.ndjson", "{}\n");
    const std::string log = path("terminal.log");
    const std::string tried = screen_of({"import", "--dry-run", wrong}, 1);
    CHECK_TEXT(has(tried, alone + "useradminctl: line 1 has no email"), tried.c_str());
    const auto right = file("right.ndjson", R"({"name":"Ana","email":"ana@x.org"})"
                                            "\n");
    const std::string done = screen_of({"import", right, "--audit-log", log}, 0);
    CHECK_TEXT(has(done, alone + "1 user made"), done.c_str());
    const std::string verified = screen_of({"audit", "verify", log}, 0);
    CHECK_TEXT(has(verified, alone + "2 lines, number 1 to 2"), verified.c_str());
    const std::string exported = screen_of({"export"}, 0);
    CHECK_TEXT(exported.starts_with("{\"id\":"), exported.c_str());
    CHECK_FALSE(has(exported, "Exporting"));
}

TEST(terminal, gets_no_escape_sequence_of_a_user_who_is_exported) {
    create("ana@x.org", "An\x1b[31ma");
    Terminal terminal(words({"export", "--format", "csv"}), environment());
    terminal.await(",An\\x1b[31ma,ana@x.org,");
    CHECK_EQUAL(0, terminal.status());
}

TEST(terminal, check_says_what_it_is_doing) {
    Terminal terminal(words({"check"}), environment());
    terminal.await("Counting the users …");
    CHECK_EQUAL(0, terminal.status());
    CHECK_FALSE(has(ctl({"check"}).errors, "Counting"));
}

} // namespace useradmin::test
