// Lines that useradminctl writes to the audit log, and their verification.
#include "scene.hpp"

#include "support/files.hpp"
#include "support/machine.hpp"
#include "support/process.hpp"

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace useradmin::test {

namespace {

/// Returns a new path for a log, without creating the file.
std::string new_log(const std::string& folder) {
    static int number = 0;
    return folder + "-" + std::to_string(++number) + ".log";
}

} // namespace

class CtlAudit : public Scene {
  protected:
    void setup() override {
        Scene::setup();
        log_ = new_log(path("audit"));
    }

    CommandResult run_audited(std::vector<std::string> arguments, std::string_view input = "",
                              const std::string& more = "") const {
        arguments.insert(arguments.end(), {"--audit-log", log_ + more});
        return ctl(arguments, input);
    }
    std::vector<std::string> lines() const { return lines_of_file(log_); }
    /// Returns the line's operation, result and target, separated by spaces.
    static std::string summary_of(const std::string& line) {
        const Json json(line);
        return json.at("operation") + " " + json.at("result") + " " + json.at("target");
    }
    static CommandResult verify(std::vector<std::string> arguments, std::string_view input = "") {
        arguments.insert(arguments.begin(), {"audit", "verify"});
        return ctl_without_database(arguments, input);
    }

    std::string log_;
};

TEST_GROUP_BASE(ctl_audit, CtlAudit){};

TEST(ctl_audit, has_a_line_for_each_command_that_changes_something) {
    const auto id = expect_ok(
        run_audited({"create", "--email", "ana@x.org", "--name", "Ana"}, "s3cr3t word\n"));
    expect_ok(run_audited({"passwd", id}, "s3cr3t other\n"));
    expect_ok(run_audited({"role", id, "admin"}));
    expect_ok(run_audited({"ban", id, "--reason", "spam"}));
    expect_ok(run_audited({"unban", id}));
    expect_ok(run_audited({"session", "open", id}));
    expect_ok(run_audited({"session", "revoke", id, "--all"}));
    expect_ok(run_audited({"delete", id, "--yes"}));
    expect_ok(run_audited({"list"}));
    std::string operations;
    for (const std::string& line : lines()) {
        operations += Json(line).at("operation") + " " + Json(line).at("result") + ", ";
        CHECK_EQUAL(id, Json(line).at("target"));
        CHECK_EQUAL(std::string("useradminctl"), Json(line).at("server"));
        CHECK(!Json(line).at("caller").empty());
    }
    CHECK_EQUAL(std::string("create done, passwd done, role done, ban done, unban done, "
                            "session open done, session revoke done, delete done, "),
                operations);
    const auto all = lines();
    CHECK_EQUAL(std::string("ana@x.org"), Json(all[0]).at("new.email"));
    CHECK_EQUAL(std::string("user"), Json(all[2]).at("old.role"));
    CHECK_EQUAL(std::string("admin"), Json(all[2]).at("new.role"));
    CHECK_EQUAL(std::string("spam"), Json(all[3]).at("new.banReason"));
    CHECK_EQUAL(std::string("admin"), Json(all[7]).at("old.role"));
    for (const char* secret : {"s3cr3t", "$argon2id"})
        CHECK_FALSE(has(read_file(log_), secret));
    CHECK_EQUAL(0, verify({log_}).status);
}

TEST(ctl_audit, has_a_line_for_a_rejected_command) {
    const auto id = create("ana@x.org");
    CHECK_EQUAL(4, run_audited({"unban", "nobody"}, "", " required").status);
    CHECK_EQUAL(3, run_audited({"create", "--email", "ana@x.org", "--name", "A"}, "s3cr3t word\n",
                               " required")
                       .status);
    expect_ok(run_audited({"passwd", id}, "s3cr3t other\n", " required"));
    std::string text;
    for (const std::string& line : lines())
        text += summary_of(line) + ", ";
    CHECK_EQUAL("unban refused nobody, create refused ana@x.org, passwd done " + id + ", ", text);
}

TEST(ctl_audit, names_the_id_of_a_user_given_by_address) {
    const auto id = create("ana@x.org");
    // The last two commands change nothing.
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"role", "ana@x.org", "admin"},
          {"role", "ANA@x.org", "admin"},
          {"unban", "ana@x.org"}}) {
        expect_ok(run_audited(words));
        CHECK_EQUAL(id, Json(lines().back()).at("target"));
    }
}

TEST(ctl_audit, has_no_token_given_to_end_a_session) {
    const auto id = create("ana@x.org");
    const std::string token = expect_ok(ctl({"session", "open", id}));
    expect_ok(run_audited({"session", "revoke", token}));
    CHECK_EQUAL(4, run_audited({"session", "revoke", token}).status);
    CHECK_EQUAL(std::string("session revoke done ") + id, summary_of(lines().at(0)));
    CHECK_EQUAL(std::string("session revoke refused (null)"), summary_of(lines().at(1)));
    CHECK_FALSE(has(read_file(log_), token));
}

TEST(ctl_audit, has_no_secret_given_in_place_of_an_id) {
    const std::string token = expect_ok(ctl({"session", "open", create("ana@x.org")}));
    run_audited({"session", "revoke", token, "--all"});
    run_audited({"session", "revoke", token, "id"});
    // The key itself instead of its id.
    run_audited({"key", "revoke", "abcdefghijklmnopqrstuvwxyz"});
    CHECK_EQUAL(std::size_t(3), lines().size());
    for (const std::string& line : lines())
        CHECK_EQUAL(std::string("(null)"), Json(line).at("target"));
}

TEST(ctl_audit, that_cannot_be_opened_stops_a_command_if_required) {
    const auto id = create("ana@x.org");
    log_ = "/nonexistent/audit.log";
    const CommandResult rejected = run_audited({"role", id, "admin"}, "", " required");
    CHECK_EQUAL(1, rejected.status);
    CHECK(has(rejected.errors, "cannot open the audit log /nonexistent/audit.log: No such file or "
                               "directory; run the command as an account that may write it"));
    CHECK_EQUAL(std::string("user"), sql().value(R"(SELECT "role" FROM "user")").value());
    const CommandResult passed = run_audited({"role", id, "admin"});
    CHECK_EQUAL(0, passed.status);
    CHECK(has(passed.errors, "this command is not logged"));
    log_ = "|program";
    CHECK_EQUAL(1, run_audited({"role", id, "user"}, "", " required").status);
    CHECK_EQUAL(std::string("admin"), sql().value(R"(SELECT "role" FROM "user")").value());
}

TEST(ctl_audit, that_cannot_be_written_stops_a_command_if_required) {
    const auto id = create("ana@x.org");
    std::filesystem::create_symlink("/dev/full", log_);
    const CommandResult ended = run_audited({"delete", id, "--yes"}, "", " required");
    std::filesystem::remove(log_);
    CHECK_EQUAL(1, ended.status);
    CHECK(has(ended.errors, "UA0401: cannot write the audit log: No space left on device"));
    CHECK_EQUAL(1, sql().number("SELECT count(*) FROM \"user\""));
    CHECK_EQUAL(1, sql().number("SELECT count(*) FROM \"account\""));
}

TEST(ctl_audit, uses_the_log_in_the_configuration) {
    const auto id = create("ana@x.org");
    const std::string folder = std::filesystem::path(log_).parent_path().string();
    const auto configuration =
        file("audited.conf", "ServerRoot \"" + folder + "\"\nDBDriver " + database().driver() +
                                 "\nDBDParams \"" + database().params() + "\"\nUserAdminAuditLog " +
                                 std::filesystem::path(log_).filename().string() + " required\n");
    expect_ok(ctl_without_database({"--config", configuration, "role", id, "admin"}));
    CHECK_EQUAL(std::size_t(1), lines().size());
    expect_ok(ctl_without_database(
        {"--config", configuration, "--audit-log", "none", "role", id, "user"}));
    CHECK_EQUAL(std::size_t(1), lines().size());
}

TEST(ctl_audit, has_no_line_for_a_dry_run) {
    const auto users = file("tried.ndjson", R"({"name":"Ana","email":"ana@x.org"})"
                                            "\n");
    CHECK(has(expect_ok(run_audited({"import", "--dry-run", users}, "", " required")),
              "all lines are"));
    CHECK_FALSE(std::filesystem::exists(log_));
    log_ = "/nonexistent/audit.log";
    CHECK_EQUAL(std::string(), run_audited({"import", "--dry-run", users}, "", " required").errors);
}

TEST(ctl_audit, gets_no_output_meant_for_a_closed_stream) {
    const auto id = create("ana@x.org");
    auto arguments = words({"session", "open", id, "--audit-log", log_});
    arguments.insert(arguments.begin(), {"/bin/sh", "-c", R"(exec "$0" "$@" 2>&-)"});
    const CommandResult ended = test::run({arguments, environment()});
    CHECK_EQUAL(0, ended.status);
    CHECK_EQUAL(33U, ended.output.size());
    CHECK_EQUAL(std::size_t(1), lines().size());
    CHECK_EQUAL(0, verify({log_}).status);
}

TEST(ctl_audit, without_a_position_is_reported) {
    const auto id = create("ana@x.org");
    expect_ok(run_audited({"role", id, "admin"}));
    CHECK_FALSE(has(verify({log_}).output, "note: "));
    write_file(log_ + ".chain", "");
    const CommandResult empty = verify({log_});
    CHECK_EQUAL(0, empty.status);
    CHECK(
        has(empty.output, "note: " + log_ +
                              ".chain contains no position, so it is unknown whether the end of " +
                              log_ + " is missing"));
    // No account can read a symbolic link to itself.
    std::filesystem::remove(log_ + ".chain");
    std::filesystem::create_symlink(log_ + ".chain", log_ + ".chain");
    CHECK(has(verify({log_}).output, ".chain cannot be read (Too many levels of symbolic links)"));
    // There is no note about a moved log, which has no .chain file, or about an empty log with an
    // empty .chain file.
    std::filesystem::remove(log_ + ".chain");
    CHECK_FALSE(has(verify({log_}).output, "note: "));
    write_file(log_, "");
    write_file(log_ + ".chain", "");
    CHECK_EQUAL(std::string("The log is empty.\n"), verify({log_}).output);
}

TEST(ctl_audit, is_verified_in_compressed_files) {
    const auto id = create("ana@x.org");
    for (const char* role : {"admin", "user", "admin", "user", "admin"})
        expect_ok(run_audited({"role", id, role}));
    const auto all = lines();
    // Lines written around a reload: the newer file starts before the older one ends.
    write_file(log_ + ".3", all[0] + all[2]);
    write_file(log_ + ".2", all[1] + all[3]);
    write_file(log_, all[4]);
    CHECK_EQUAL(0, test::run({{"/bin/sh", "-c", R"(gzip "$0" "$1")", log_ + ".3", log_ + ".2"},
                              environment()})
                       .status);
    const CommandResult right = verify({log_, log_ + ".chain", log_ + ".2.gz", log_ + ".3.gz"});
    CHECK_EQUAL_TEXT(0, right.status, right.output.c_str());
    CHECK(has(right.output, "5 lines, numbered 1 to 5: intact."));
    const std::string whole = read_file(log_ + ".2.gz");
    write_file(log_ + ".2.gz", whole.substr(0, whole.size() - 4));
    const CommandResult cut = verify({log_, log_ + ".2.gz", log_ + ".3.gz"});
    CHECK_EQUAL(1, cut.status);
    CHECK(has(cut.output, "problem: " + log_ + ".2.gz is truncated and cannot"));
}

TEST(ctl_audit, is_verified_while_lines_are_added) {
    const auto id = create("ana@x.org");
    expect_ok(run_audited({"role", id, "admin"}));
    expect_ok(run_audited({"role", id, "user"}));
    const auto all = lines();
    const std::string position = read_file(log_ + ".chain");
    write_file(log_, all[0]);
    std::filesystem::remove(log_ + ".chain");
    CHECK_EQUAL(0, mkfifo((log_ + ".chain").c_str(), 0600));
    const std::string out = log_ + ".out";
    Process verifying(
        {{machine::built("useradminctl").string(), "audit", "verify", log_}, environment()}, out);
    int end = -1;
    // Fails until the command opens the position for reading.
    CHECK(eventually([&] {
        end = open((log_ + ".chain").c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
        return end >= 0;
    }));
    write_file(log_, all[0] + all[1]);
    CHECK_EQUAL(static_cast<ssize_t>(position.size()),
                write(end, position.data(), position.size()));
    close(end);
    CHECK(verifying.exits_within(std::chrono::seconds(60)));
    const std::string said = read_file(out);
    CHECK_TEXT(has(said, "2 lines, numbered 1 to 2: intact."), said.c_str());
}

TEST(ctl_audit, is_verified_without_a_database) {
    const auto id = create("ana@x.org");
    for (const char* role : {"admin", "user", "admin"})
        expect_ok(run_audited({"role", id, role}));
    const std::string text = read_file(log_);
    const CommandResult right = verify({log_, log_ + ".chain"});
    CHECK_EQUAL(0, right.status);
    CHECK(has(right.output, "3 lines, numbered 1 to 3: intact."));
    const auto json = verify({log_, "--json"});
    const std::string hash = Json(json.output).at("data.hash");
    CHECK_EQUAL(0, verify({log_, "--anchor", hash}).status);
    CHECK_EQUAL(0, verify({"-"}, text).status);

    // The .chain file reveals that the end is missing.
    write_file(log_, text.substr(0, text.find('\n', text.find('\n') + 1) + 1));
    const CommandResult cut = verify({log_});
    CHECK_EQUAL(1, cut.status);
    CHECK(has(cut.output, "problem: " + log_ + ": the end is missing: line number 3 is recorded"));
    CHECK_EQUAL(1, verify({"-", "--anchor", hash}, read_file(log_)).status);

    std::string edited = text;
    edited.replace(edited.find("\"admin\""), 7, "\"audit\"");
    write_file(log_, edited);
    const CommandResult found = verify({log_});
    CHECK_EQUAL(1, found.status);
    CHECK(has(found.output, log_ + ", line 1: the line was edited"));
    const Json reported(verify({log_, "--json"}).output);
    CHECK_EQUAL(std::string("false"), reported.at("success"));
    CHECK_EQUAL(std::string("the audit log is not intact"), reported.at("error"));
    CHECK_EQUAL(std::string("(absent)"), Json(json.output).at("error"));
    CHECK_EQUAL(1, verify({"/nonexistent"}).status);
    CHECK_EQUAL(2, verify({}).status);
}

TEST(ctl_audit, reports_why_a_file_cannot_be_read) {
    CHECK(has(verify({"/nonexistent"}).errors, "cannot read /nonexistent: No such file"));
    CHECK(has(verify({"/"}).errors, "cannot read /: Is a directory"));
}

TEST(ctl_audit, reports_a_standard_input_that_cannot_be_read) {
    for (const char* const input : {"</", "<&-"}) {
        const CommandResult ended =
            test::run({{"/bin/sh", "-c", std::string("exec \"$@\" ") + input, "sh",
                        machine::built("useradminctl"), "audit", "verify", "-"},
                       environment()});
        CHECK_EQUAL_TEXT(1, ended.status, input);
        CHECK_TEXT(has(ended.output, "problem: standard input cannot be read to the end\n"),
                   ended.output.c_str());
    }
}

TEST(ctl_audit, verifies_more_files_than_the_soft_limit_of_descriptors) {
    const auto id = create("ana@x.org");
    for (int number = 0; number < 20; ++number)
        expect_ok(run_audited({"role", id, number % 2 == 0 ? "admin" : "user"}));
    std::vector<std::string> command = {"/bin/sh",
                                        "-c",
                                        "ulimit -Sn 32 && exec \"$@\"",
                                        "sh",
                                        machine::built("useradminctl"),
                                        "audit",
                                        "verify",
                                        "--print"};
    int number = 0;
    for (const std::string& line : lines())
        command.push_back(file("piece." + std::to_string(++number), line));
    const CommandResult ended = test::run({command, environment()});
    CHECK_EQUAL_TEXT(0, ended.status, ended.errors.c_str());
    CHECK_EQUAL(read_file(log_), ended.output);
}

TEST(ctl_audit, logs_of_several_servers_are_verified_and_printed_in_order) {
    const auto id = create("ana@x.org");
    const std::string first = log_;
    expect_ok(run_audited({"role", id, "admin"}));
    log_ = new_log(path("audit"));
    const std::string second = log_;
    expect_ok(run_audited({"role", id, "user"}));
    log_ = first;
    expect_ok(run_audited({"ban", id}));
    const std::string host = Json(lines().at(0)).at("host");
    const std::string instance = Json(lines().at(0)).at("instance");

    const CommandResult both = verify({second, first});
    CHECK_EQUAL_TEXT(0, both.status, both.output.c_str());
    CHECK(has(both.output, host + ", instance " + instance +
                               ": 2 lines, numbered 1 to 2: intact. The last hash"));
    CHECK(has(both.output, ": 1 line, number 1: intact. The last hash"));
    const Json json(verify({second, first, "--json"}).output);
    CHECK_EQUAL(std::string("3"), json.at("data.lines"));
    CHECK_EQUAL(std::string("(absent)"), json.at("data.hash"));
    CHECK_EQUAL(0, verify({first, second, "--anchor",
                           Json(lines().at(1)).at("hash") + "," + Json(lines().at(0)).at("hash")})
                       .status);

    const CommandResult printed = verify({second, first, "--print"});
    CHECK_EQUAL(0, printed.status);
    CHECK_EQUAL(lines().at(0) + read_file(second) + lines().at(1), printed.output);
    CHECK(has(printed.errors, ": intact."));
    CHECK_EQUAL(2, verify({first, "--print", "--json"}).status);
    CHECK_EQUAL(read_file(first), verify({"-", "--print"}, read_file(first)).output);

    write_file(first, lines().at(1) + lines().at(0));
    const CommandResult reordered = verify({second, first});
    CHECK_EQUAL(1, reordered.status);
    CHECK(has(reordered.output, "line 2: number 1 comes after number 2: lines were reordered"));
    CHECK(has(reordered.output, instance + ": 2 lines, numbered 2 to 1: not intact."));
    CHECK(has(reordered.output, ": 1 line, number 1: intact."));
}

TEST(ctl_audit, is_printed_without_terminal_control_characters) {
    const auto id = create("ana@x.org");
    expect_ok(run_audited({"role", id, "admin"}));
    std::string edited = lines().at(0);
    edited.replace(edited.find("admin"), 5, "\x1b[2J\xff");
    write_file(log_, edited);
    const CommandResult printed = verify({log_, "--print"});
    CHECK_EQUAL(1, printed.status);
    CHECK(has(printed.output, "\\u001b[2J"));
    CHECK_FALSE(has(printed.output, "\x1b"));
    CHECK_FALSE(has(printed.output, "\xff"));
}

} // namespace useradmin::test
