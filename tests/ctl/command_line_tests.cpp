// Rejected arguments, the help, the version, and how useradminctl finds the database.
#include "scene.hpp"

#include "support/files.hpp"
#include "support/machine.hpp"
#include "support/process.hpp"
#include "support/tcp_relay.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <chrono>
#include <regex>

namespace useradmin::test {

namespace {

/// Returns the names under "Commands:" in a help text.
std::vector<std::string> commands_in(const std::string& help) {
    const std::size_t begin = help.find("\nCommands:\n");
    if (begin == help.npos)
        return {};
    const std::string list = help.substr(begin + 10, help.find("\n\n", begin + 1) - begin - 9);
    std::vector<std::string> names;
    const std::regex entry("\n  ([a-z-]+) ");
    for (std::sregex_iterator each(list.begin(), list.end(), entry), end; each != end; ++each)
        names.push_back((*each)[1]);
    return names;
}

} // namespace

TEST_GROUP_BASE(command_line, Scene){};
TEST_GROUP_BASE(postgresql_command_line, Scene){};

TEST(command_line, exits_with_1_if_the_output_cannot_be_written) {
    create("ana@x.org");
    for (const char* const target : {"&-", "/dev/full"})
        for (const char* const command : {"list", "export", "--help"}) {
            auto arguments = words({command});
            const std::string script = std::string(R"(exec "$0" "$@" >)") + target;
            arguments.insert(arguments.begin(), {"/bin/sh", "-c", script});
            const CommandResult ended = test::run({arguments, environment()});
            CHECK_EQUAL_TEXT(1, ended.status, (script + " " + command).c_str());
            CHECK_TEXT(has(ended.errors, "cannot write the output"), ended.errors.c_str());
        }
}

TEST(command_line, exits_with_2_and_a_hint_after_a_usage_error) {
    const std::vector<std::vector<std::string>> wrong = {
        {},
        {"frobnicate"},
        {"list", "extra"},
        {"show"},
        {"role", "a@x"},
        {"role", "a@x", "boss"},
        {"list", "--sort", "id"},
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
        {"create", "--email", "a@x", "--name", "A", "--password", "x"},
        {"create", "--email", "a@x", "--name", "A", "--password=x"},
        {"passwd", "a@x", "--password", "x"},
        {"session", "open", "a@x", "--for", "soon"},
        {"session", "open", "a@x", "--for", "0h"},
        {"session", "--help", "me"},
        {"show", ""},
        {"key", "create", "a@x", "--name", "a", "--remaining", "0"},
        {"export", "--format", "xml"},
        {"import", "-", "--on-conflict", "ask"},
        {"audit", "verify", "/dev/null", "--anchor", "zzz"},
        {"unban", "a@x", "--audit-log", "a b"},
        {"frobnicate", "--help"},
    };
    for (const auto& arguments : wrong) {
        const CommandResult ended = ctl(arguments, "s3cr3t word\n");
        std::string text;
        for (const std::string& word : arguments)
            text += word + " ";
        text += ": " + ended.errors;
        CHECK_EQUAL_TEXT(2, ended.status, text.c_str());
        CHECK_TEXT(ended.errors.starts_with("useradminctl: "), text.c_str());
        CHECK_EQUAL_TEXT(std::string(""), ended.output, text.c_str());
    }
    CHECK_EQUAL(0, sql().number(R"(SELECT count(*) FROM "user")"));
    CHECK(has(ctl({"create", "--password", "x"}).errors, "to standard input as one line"));
}

TEST(command_line, suggests_a_name_for_a_mistyped_one) {
    CHECK(has(ctl({"lst"}).errors, "unknown command 'lst' (did you mean 'list'?"));
    CHECK(has(ctl({"session", "opne", "a@x"}).errors, "did you mean 'session open'?"));
    CHECK(has(ctl({"sesion", "open", "a@x"}).errors,
              "unknown command 'sesion' (did you mean 'session'?"));
    CHECK(has(ctl({"sesion", "list", "a@x"}).errors, "did you mean 'session'?"));
    CHECK(has(ctl({"list", "session"}).errors, "usage: useradminctl list"));
    CHECK(has(ctl({"list", "--serach=x"}).errors,
              "has no option --serach (did you mean '--search'?"));
    CHECK(has(ctl({"--confg", "x", "list"}).errors, "did you mean '--config'?"));
    CHECK_FALSE(has(ctl({"frobnicate"}).errors, "did you mean"));
    CHECK(has(ctl({"session"}).errors, "'session' requires a subcommand: open, list, revoke\n"));
    CHECK(has(ctl({"--limit", "1", "list", "--limit", "1"}).errors, "must follow the command"));
}

TEST(command_line, takes_values_and_arguments_literally) {
    create("ana@x.org", "[Ana] --all");
    for (const char* const search : {"[Ana]", "--all"})
        CHECK(has(expect_ok(ctl({"list", "--search", search})), "1 user,"));
    CHECK(has(expect_ok(ctl({"list", "--search=", "--limit", "5", "--json"})), "ana@x.org"));
    create("bo@x.org", "a=");
    for (const std::string search : {"--search=a=", "--search=="}) {
        const std::string found = expect_ok(ctl({"list", search, "--limit", "5", "--json"}));
        CHECK(has(found, "bo@x.org"));
        CHECK_FALSE(has(found, "ana@x.org"));
    }
    CHECK(has(ctl({"show", "--", "--all="}).errors, "with the id --all="));
    CHECK(has(ctl({"show", "[a,b]"}).errors, "with the id [a,b]"));
    CHECK(has(ctl({"show", "--", "--all"}).errors, "with the id --all"));
    CHECK_EQUAL(4, ctl({"show", "list"}).status);
}

TEST(command_line, reports_errors_as_json_on_request) {
    for (const auto& arguments : std::vector<std::vector<std::string>>{
             {"frobnicate", "--json"}, {"list", "--json", "--page"}, {"--json"}}) {
        const Json json(ctl(arguments).output);
        CHECK_EQUAL(std::string("false"), json.at("success"));
        CHECK(json.at("error").size() > 10);
    }
}

TEST(command_line, says_how_to_specify_a_missing_database) {
    const CommandResult ended = ctl_without_database({"--driver", "pgsql", "list"});
    CHECK_EQUAL(2, ended.status);
    CHECK(has(ended.errors, "use --config FILE, or --driver"));
    CHECK_EQUAL(2, ctl_without_database({"--driver", "mysql", "--params", "x", "list"}).status);
    CHECK_EQUAL(2, ctl_without_database({"list"}).status);
}

TEST(command_line, messages_have_no_tab_or_escape) {
    // libpq's message contains newlines and tabs.
    const CommandResult ended = ctl_without_database(
        {"--driver", "pgsql", "--params", "host=/nonexistent,/nonexistent/2", "list"});
    CHECK_EQUAL(1, ended.status);
    CHECK_TEXT(has(ended.errors, "No such file or directory Is the server"), ended.errors.c_str());
    CHECK_FALSE(has(ended.errors, "\\x"));
    CHECK_FALSE(has(ended.errors, "\t"));
}

TEST(command_line, exits_with_1_if_the_database_is_unreachable) {
    const CommandResult ended =
        ctl_without_database({"--driver", "pgsql", "--params", "host=/nonexistent", "list"});
    CHECK_EQUAL(1, ended.status);
    CHECK(has(ended.errors, "cannot connect to the database: "));
    CHECK(has(ended.errors, "check --params"));
    CHECK_EQUAL(2, ctl_without_database({"--config", "/nonexistent", "list"}).status);
}

TEST(command_line, warns_of_a_password_in_params) {
    const auto errors_with = [](const std::string& params) {
        return ctl_without_database({"--driver", "pgsql", "--params", params, "list"}).errors;
    };
    constexpr const char* warning = "--params contains a password, which other accounts can see";
    for (const char* const params :
         {"host=/nonexistent user=ana password=x", "host=/nonexistent password = x",
          "postgresql://ana:x@/?host=/nonexistent"})
        CHECK_TEXT(has(errors_with(params), warning), params);
    for (const char* const params :
         {"host=/nonexistent user=ana passfile=/nonexistent", "host=/nonexistent sslpassword=x"})
        CHECK_FALSE_TEXT(has(errors_with(params), warning), params);
}

TEST(postgresql_command_line, may_take_the_params_from_the_environment) {
    const std::string service =
        file("service.conf", "[shop]\n" + replace_all(database().params(), " ", "\n") + "\n");
    expect_ok(ctl_without_database({"--driver", "pgsql", "--params", "", "list"}, "",
                                   {{"PGSERVICEFILE", service}, {"PGSERVICE", "shop"}}));
    CHECK_EQUAL(2, ctl_without_database({"--driver", "sqlite3", "--params", "", "list"}).status);
}

TEST(postgresql_command_line, waits_only_briefly_for_a_connection) {
    TcpRelay server(std::uint16_t{1});
    server.disconnect();
    const std::string out = path("unanswered.out");
    Process listing({{machine::built("useradminctl").string(), "--driver", "pgsql", "--params",
                      "host=127.0.0.1 port=" + std::to_string(server.port()), "list"},
                     environment()},
                    out);
    CHECK(listing.exits_within(std::chrono::seconds(30)));
    CHECK_TEXT(has(read_file(out), "timeout expired; check --params or DBDParams"),
               read_file(out).c_str());
}

TEST(postgresql_command_line, waits_only_briefly_for_locks) {
    create("ana@x.org");
    const std::string users = file("locked.ndjson", R"({"email":"ana@x.org","name":"A"})"
                                                    "\n");
    test::Database other(database().driver(), database().params());
    other.run(R"(BEGIN; UPDATE "user" SET "name" = 'Bo')");
    const CommandResult banned = ctl({"ban", "ana@x.org"});
    const CommandResult imported = ctl({"import", users, "--on-conflict", "update"});
    const CommandResult dry_run = ctl({"import", users, "--on-conflict", "update", "--dry-run"});
    other.run("ROLLBACK");
    CHECK_EQUAL(1, banned.status);
    CHECK_TEXT(has(banned.errors, "UA0104: timed out after 5 s waiting for a database lock"),
               banned.errors.c_str());
    CHECK_EQUAL(1, imported.status);
    CHECK_TEXT(has(imported.errors, "another transaction holds a lock that line 1 needed: ") &&
                   has(imported.errors, "; when it has ended, run the command again; nothing was"),
               imported.errors.c_str());
    CHECK_EQUAL(imported.errors, dry_run.errors);
}

TEST(command_line, help_and_version_need_no_database) {
    const std::string help = expect_ok(ctl_without_database({"--help"}));
    CHECK(has(help, "Exit codes: 0 success"));
    CHECK_EQUAL(help, expect_ok(ctl_without_database({"-h"})));
    CHECK(std::regex_match(expect_ok(ctl_without_database({"--version"})),
                           std::regex("useradminctl [0-9]+\\.[0-9]+\\.[0-9]+")));
}

TEST(command_line, help_of_every_command_describes_only_that_command) {
    const std::vector<std::string> names = commands_in(expect_ok(ctl_without_database({"--help"})));
    CHECK(std::find(names.begin(), names.end(), "session") != names.end());
    for (const std::string& name : names) {
        const std::string help = expect_ok(ctl_without_database({name, "--help"}));
        CHECK_EQUAL(help, expect_ok(ctl_without_database({"help", name})));
        CHECK_TEXT(has(help, "\nUsage: useradminctl " + name), help.c_str());
        CHECK_FALSE(has(help, name == "list" ? "open a session" : "list users\n"));
        for (const std::string& member : commands_in(help)) {
            const std::string of_member = expect_ok(ctl_without_database({name, member, "--help"}));
            CHECK_EQUAL(of_member, expect_ok(ctl_without_database({"help", name, member})));
            CHECK_TEXT(has(of_member, "\nUsage: useradminctl " + name + " " + member),
                       of_member.c_str());
        }
    }
    CHECK_EQUAL(expect_ok(ctl_without_database({"--help"})),
                expect_ok(ctl_without_database({"help"})));
    CHECK_EQUAL(2, ctl_without_database({"help", "frobnicate"}).status);
    CHECK(has(ctl_without_database({"help", "lst"}).errors, "did you mean 'list'?"));
}

TEST(command_line, help_of_a_command_group_lists_its_commands) {
    const std::string help = expect_ok(ctl_without_database({"session", "--help"}));
    CHECK(has(help, "\nUsage: useradminctl session COMMAND\n"));
    CHECK(commands_in(help) == std::vector<std::string>({"open", "list", "revoke"}));
}

TEST(command_line, help_begins_with_an_example_and_has_global_options_last) {
    // The indentation of options depends on CLI11's version.
    const std::regex order("Example: useradminctl ban bo@example\\.com [^]*\nOptions:\n"
                           " +--reason TEXT [^]*--expires DATE\\|30m\\|12h\\|7d\\|2w *\n[^]*"
                           "\nGlobal options:\n +--config FILE [^]*");
    const std::string help = expect_ok(ctl_without_database({"ban", "--help"}));
    CHECK_TEXT(std::regex_match(help, order), help.c_str());
    const std::string all = expect_ok(ctl_without_database({"--help"}));
    CHECK(all.starts_with("Example: useradminctl "));
    CHECK(all.find("\nCommands:\n") < all.find("\nGlobal options:\n"));
}

} // namespace useradmin::test
