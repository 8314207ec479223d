// The command line itself: what it refuses, what it prints of itself, where it finds the database.
#include "scene.hpp"

#include <regex>

namespace useradmin::test {

namespace {

/// The commands of the help, "session open" and the like, each with its whole entry.
std::vector<std::pair<std::string, std::string>> commands_in(const std::string& help) {
    std::vector<std::pair<std::string, std::string>> commands;
    const std::regex entry(
        "\n  ((?:session |key |audit |second-factor )?[a-z]+)([^\n]*)\n      [^\n]*");
    for (std::sregex_iterator each(help.begin(), help.end(), entry), end; each != end; ++each)
        commands.emplace_back((*each)[1], (*each)[2]);
    return commands;
}

} // namespace

TEST_GROUP_BASE(command_line, Scene){};

TEST(command_line, ends_with_1_if_the_output_is_closed) {
    create("ana@x.org");
    for (const char* const closed : {"list", "export", "--help"}) {
        auto arguments = words({closed});
        arguments.insert(arguments.begin(), {"/bin/sh", "-c", R"(exec "$0" "$@" >&-)"});
        const ProgramResult ended = run_program(arguments, "", environment());
        CHECK_EQUAL_TEXT(1, ended.status, closed);
        CHECK_TEXT(has(ended.errors, "the output could not be written"), ended.errors.c_str());
    }
}

TEST(command_line, ends_with_2_and_a_hint_after_a_usage_error) {
    const std::vector<std::vector<std::string>> wrong = {
        {},
        {"frobnicate"},
        {"list", "extra"},
        {"show"},
        {"role", "a@x"},
        {"list", "--frobnicate", "x"},
        {"list", "--page"},
        {"list", "--json=1"},
        {"list", "--page", "1", "--page", "2"},
        {"list", "--yes"},
        {"--page", "1", "list"},
        {"show", "a@x", "list"},
        {"session"},
        {"--frobnicate"},
        {"--yes"},
        {"show", "\xff@x"},
        {"list", "--search", "\xff"},
        {"list", "--tables", "user session"},
        {"check", "--account-id", "name"},
        {"check", "--email-case", "upper"},
        {"import", "-", "--email-change", "lower"},
        {"check", "--hash", "md5"},
        {"check", "--hash", "argon2id m=1"},
        {"check", "--hash", "argon2id m=64 p=16"},
        {"list", "--tables", "user session a%s"},
        {"create", "--email", "a@x", "--name", "A", "--password", "x"},
        {"create", "--email", "a@x", "--name", "A", "--password=x"},
        {"passwd", "a@x", "--password", "x"},
        {"session", "open", "a@x", "--for", "soon"},
        {"session", "open", "a@x", "--for", "0h"},
        {"session", "--help", "me"},
        {"frobnicate", "--help"},
    };
    for (const auto& arguments : wrong) {
        const ProgramResult ended = ctl(arguments, "s3cr3t word\n");
        CHECK_EQUAL(2, ended.status);
        CHECK(ended.errors.starts_with("useradminctl: "));
        CHECK_EQUAL(std::string(""), ended.output);
    }
    CHECK_EQUAL(0, sql().number(R"(SELECT count(*) FROM "user")"));
    CHECK(has(ctl({"create", "--password", "x"}).errors, "one line of standard input"));
}

TEST(command_line, suggests_the_name_that_was_mistyped) {
    CHECK(has(ctl({"lst"}).errors, "there is no command 'lst' (did you mean 'list'?"));
    CHECK(has(ctl({"session", "opne", "a@x"}).errors, "did you mean 'session open'?"));
    CHECK(has(ctl({"list", "--serach=x"}).errors, "takes no --serach (did you mean '--search'?"));
    CHECK(has(ctl({"--confg", "x", "list"}).errors, "did you mean '--config'?"));
    CHECK_FALSE(has(ctl({"frobnicate"}).errors, "did you mean"));
    CHECK(has(ctl({"session"}).errors, "alone, but 'session open', 'session list'"));
    CHECK(has(ctl({"--limit", "1", "list", "--limit", "1"}).errors, "must follow the command"));
}

TEST(command_line, takes_values_and_arguments_literally) {
    create("ana@x.org", "[Ana] --all");
    for (const char* const search : {"[Ana]", "--all"})
        CHECK(has(done(ctl({"list", "--search", search})), "1 user,"));
    CHECK(has(done(ctl({"list", "--search=", "--limit", "5", "--json"})), "ana@x.org"));
    CHECK(has(ctl({"show", "[a,b]"}).errors, "with the id [a,b]"));
    CHECK(has(ctl({"show", "--", "--all"}).errors, "with the id --all"));
    CHECK_EQUAL(4, ctl({"show", "list"}).status);
}

TEST(command_line, reports_errors_as_json_if_asked_to) {
    for (const auto& arguments : std::vector<std::vector<std::string>>{
             {"frobnicate", "--json"}, {"list", "--json", "--page"}, {"--json"}}) {
        const Json json(ctl(arguments).output);
        CHECK_EQUAL(std::string("false"), json.at("success"));
        CHECK(json.at("error").size() > 10);
    }
}

TEST(command_line, without_a_database_says_how_to_name_one) {
    const ProgramResult ended = bare_ctl({"list"});
    CHECK_EQUAL(2, ended.status);
    CHECK(has(ended.errors, "use --config FILE, or --driver"));
    CHECK_EQUAL(2, bare_ctl({"--driver", "mysql", "--params", "x", "list"}).status);
    CHECK_EQUAL(2, bare_ctl({"--driver", "pgsql", "list"}).status);
}

TEST(command_line, of_a_database_out_of_reach_ends_with_1) {
    const ProgramResult ended =
        bare_ctl({"--driver", "pgsql", "--params", "host=/nonexistent", "list"});
    CHECK_EQUAL(1, ended.status);
    CHECK(has(ended.errors, "cannot connect: "));
    CHECK(has(ended.errors, "check --params"));
    CHECK_EQUAL(1, bare_ctl({"--config", "/nonexistent", "list"}).status);
}

TEST(command_line, ends_with_1_if_the_output_cannot_be_written) {
    create("ana@x.org");
    std::vector<std::string> shell = {"/bin/sh", "-c", "exec \"$@\" >/dev/full", "sh"};
    for (const std::string& word : words({"list"}))
        shell.push_back(word);
    const ProgramResult ended = run_program(shell, "", environment());
    CHECK_EQUAL(1, ended.status);
    CHECK(has(ended.errors, "could not be written"));
}

TEST(command_line, help_and_version_need_no_database) {
    const std::string help = done(bare_ctl({"--help"}));
    CHECK(has(help, "Exit codes: 0 done"));
    CHECK_EQUAL(help, done(bare_ctl({"-h"})));
    CHECK(std::regex_match(done(bare_ctl({"--version"})),
                           std::regex("useradminctl [0-9]+\\.[0-9]+\\.[0-9]+")));
}

TEST(command_line, help_after_a_command_shows_that_command_alone) {
    for (const auto& [name, arguments] : commands_in(done(bare_ctl({"--help"})))) {
        std::vector<std::string> words;
        for (std::size_t at = 0; at < name.size(); at = name.find(' ', at) + 1) {
            words.push_back(name.substr(at, name.find(' ', at) - at));
            if (name.find(' ', at) == name.npos)
                break;
        }
        words.emplace_back("--help");
        const std::string help = done(bare_ctl(words));
        CHECK(help.starts_with("useradminctl " + name + arguments + "\n"));
        CHECK_FALSE(has(help, name == "list" ? "session open" : "lists the users"));
        CHECK(has(help, "--config FILE"));
    }
    CHECK(
        has(done(bare_ctl({"session", "open", "--help"})), "--for 30m|12h|7d|2w\n      how long"));
}

} // namespace useradmin::test
