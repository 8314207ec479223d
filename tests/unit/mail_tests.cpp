#include "mail/command.hpp"
#include "mail/message.hpp"
#include "mail/templates.hpp"
#include "support/fail_test.hpp"
#include "support/files.hpp"
#include "support/recording_logger.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <sstream>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include <CppUTest/TestHarness.h>

namespace useradmin::test {

namespace {

using mail::Kind;

/// Returns the header of a message with this subject and recipient's name.
std::string header_with(std::string_view subject, std::string_view name = {}) {
    const std::string whole =
        mail::format({"a@example.org", name, "b@example.org", subject, "text\n",
                      *text::parse_timestamp("2026-11-28T03:04:05.678Z")});
    return whole.substr(0, whole.find("\n\n"));
}

/// Returns what is wrong with the templates, or an empty string.
std::string problem_with(std::string_view text) {
    const auto parsed = mail::parse_templates(text);
    const auto* const problem = std::get_if<std::string>(&parsed);
    return problem != nullptr ? *problem : "";
}

} // namespace

TEST_GROUP(message){};

TEST(message, has_the_header_of_an_automatic_message) {
    const std::string header = header_with("Hello");
    for (const char* line :
         {"From: <a@example.org>\nTo: <b@example.org>\nSubject: Hello\nDate: Sat, 28 Nov 2026 "
          "03:04:05 +0000\nMessage-ID: <",
          "@example.org>\nAuto-Submitted: auto-generated\nMIME-Version: 1.0\nContent-Type: "
          "text/plain; charset=utf-8\nContent-Transfer-Encoding: base64"})
        STRCMP_CONTAINS(line, header.c_str());
}

TEST(message, encodes_characters_that_a_header_cannot_contain) {
    STRCMP_CONTAINS("\nSubject: =?utf-8?B?w7E=?=\n", header_with("ñ").c_str());
    STRCMP_CONTAINS("\nSubject: =?utf-8?B?YQpCY2M6IGJAYy5k?=\n",
                    header_with("a\nBcc: b@c.d").c_str());
    STRCMP_CONTAINS("From: =?utf-8?B?QSwgQg==?=\n <a@example.org>\n",
                    header_with("x", "A, B").c_str());
}

TEST(message, has_lines_of_76_characters_if_its_header_is_encoded) {
    std::string text;
    for (int index = 0; index < 50; ++index)
        text += "ñ";
    const std::string header = header_with(text, text);
    // No character is split between two encoded words.
    STRCMP_CONTAINS("\nSubject: =?utf-8?B?w7HDscOxw7HDscOxw7HDscOxw7HDscOxw7HDscOxw7HDscOxw7E=?=\n "
                    "=?utf-8?B?",
                    header.c_str());
    std::istringstream lines(header);
    for (std::string line; std::getline(lines, line);)
        if (line.find("=?") != line.npos)
            CHECK_TRUE_TEXT(line.size() <= 76, line.c_str());
}

TEST(message, has_a_body_in_lines_of_76_characters) {
    const std::string whole = mail::format(
        {"a@example.org", "", "b@example.org", "x", std::string(100, 'a') + "\n", text::now()});
    const std::string body = whole.substr(whole.find("\n\n") + 2);
    CHECK_EQUAL(76, body.find('\n'));
    CHECK(body.ends_with("YQ0K\n"));
}

TEST(message, has_consistent_line_endings) {
    const std::string whole =
        mail::format({"a@example.org", "", "b@example.org", "x", "a\r\nb\n", text::now()});
    CHECK(whole.ends_with("\n\nYQ0KYg0K\n"));
}

TEST_GROUP(templates){};

TEST(templates, have_a_link_in_each_kind_and_language) {
    for (const Kind kind : {Kind::set_password, Kind::invitation, Kind::verify_email})
        for (const http::Language language : {http::Language::spanish, http::Language::english}) {
            const mail::Template& one = mail::default_templates.of(kind, language);
            CHECK(!one.subject.empty());
            const std::string text = mail::fill(
                one.text, {"Ana", "ana@example.org", "https://x/y", std::chrono::hours(24)});
            for (const char* part : {"Ana", "ana@example.org", "\n\nhttps://x/y\n\n", "24 h"})
                STRCMP_CONTAINS(part, text.c_str());
            CHECK_EQUAL(std::string::npos, text.find('{'));
        }
}

TEST(templates, in_a_file_replace_the_built_in_ones) {
    const std::string file = "\n[invitation en]\nWelcome {name}\n\nGo to\r\n{link}\n\n"
                             "[set-password es]\nHola\n\n{link} {hours}";
    const auto parsed = mail::parse_templates(file);
    const auto& templates = std::get<mail::Templates>(parsed);
    const mail::Template& welcome = templates.of(Kind::invitation, http::Language::english);
    CHECK(welcome.subject == "Welcome {name}");
    CHECK(welcome.text == "Go to\r\n{link}\n\n");
    CHECK(templates.of(Kind::set_password, http::Language::spanish).text == "{link} {hours}");
    CHECK(templates.of(Kind::invitation, http::Language::spanish).subject == "Tu cuenta nueva");
    STRCMP_EQUAL("", problem_with("").c_str());
}

TEST(templates, invalid_templates_are_rejected_with_a_reason) {
    for (const auto& [text, reason] :
         {std::pair("Hello", "the line 'Hello' does not begin a template; use"),
          {"[invitation fr]\nx\n\n{link}", "[invitation fr]"},
          {"[invitation en]\nx\n{link}",
           "[invitation en] requires an empty line after its subject"},
          {"[invitation en]\n\n\n{link}", "requires a subject line"},
          {"[invitation en]\nx\n\ntext", "requires {link} in its text"},
          {"[invitation en]\n{link}\n\n{link}", ", not in its subject"},
          {"[invitation en]\nx\n\n{link} {token}",
           "[invitation en] contains the unknown placeholder '{token}'; use {name}, "},
          {"[invitation en]\nx\n\n{link} {", "unknown placeholder '{'"},
          {"\xff", "the file is not UTF-8"}})
        STRCMP_CONTAINS(reason, problem_with(text).c_str());
}

TEST(templates, escape_line_breaks_and_truncate_long_names) {
    STRCMP_EQUAL("a\\x0ab", mail::fill("{name}", {"a\nb", "", "", {}}).c_str());
    CHECK_EQUAL(100, mail::fill("{name}", {std::string(200, 'a'), "", "", {}}).size());
    STRCMP_EQUAL((std::string(99, 'a')).c_str(),
                 mail::fill("{name}", {std::string(99, 'a') + "ñ", "", "", {}}).c_str());
    STRCMP_EQUAL("{link} x", mail::fill("{name} {link}", {"{link}", "", "x", {}}).c_str());
}

TEST(templates, use_the_address_if_the_name_may_contain_a_link) {
    const auto name_in_mail = [](std::string_view name) {
        return mail::fill("{name}", {name, "ana@example.org", "", {}});
    };
    for (const char* const name :
         {"Win at https://evil.example", "evil.example/a", "www.evil.de", "a@evil.example",
          "Ana mailto:x", "Ana (evil.ñandú)", "1.2.3.44"})
        STRCMP_EQUAL("ana@example.org", name_in_mail(name).c_str());
    for (const char* const name :
         {"Ana", "J.R.R. Tolkien", "Dr. Ana Ñ. López-Núñez, Ph.D.", "O'Neill"})
        STRCMP_EQUAL(name, name_in_mail(name).c_str());
}

TEST(templates, are_bounded_so_that_each_message_fits_into_a_pipe) {
    const std::string begin = "[invitation en]\nx\n\n";
    for (const std::string& text :
         {std::string(28000, 'a') + "\n{link}{name}", std::string(15000, '\n') + "{link}", [] {
              std::string links;
              for (int index = 0; index < 15; ++index)
                  links += "{link}\n";
              return links;
          }()}) {
        STRCMP_EQUAL("", problem_with(begin + text).c_str());
        STRCMP_CONTAINS("is too long: the limit is 32 KiB",
                        problem_with(begin + text + std::string(2500, '\n')).c_str());
        const std::string filled =
            mail::fill(text, {std::string(200, 'a'), "", std::string(2048, 'l'), {}});
        const std::string whole =
            mail::format({"a@example.org", "", "b@example.org", "x", filled, text::now()});
        CHECK(whole.size() < 65536);
    }
}

class MailCommand : public Utest {
  protected:
    /// Sends a message with a shell script as the command.
    bool send(std::string_view script, std::chrono::milliseconds limit = std::chrono::seconds(60)) {
        write_file(program, "#!/bin/sh\n" + std::string(script));
        chmod(program.c_str(), 0755);
        const char* const command[] = {program.c_str(), "-t", nullptr};
        return mail::CommandMailer(command, limit, log).send(message);
    }

    WorkFolder folder;
    std::string program = folder.path() / "sendmail";
    std::string saved = folder.path() / "kept";
    std::string message = "To: <a@example.org>\n\n" + std::string(20000, 'a') + "\n";
    RecordingLogger log;
};

TEST_GROUP_BASE(mail_command, MailCommand){};

TEST(mail_command, gets_only_the_message_and_its_arguments) {
    setenv("USERADMIN_MAIL_TEST", "x", 1);
    const int open_file = fcntl(STDERR_FILENO, F_DUPFD, 100);
    CHECK(send("cat >" + saved + "; echo \"$*\" >>" + saved + "; env | grep -c MAIL_TEST >>" +
               saved + "; ls /proc/$$/fd | grep -cx " + std::to_string(open_file) + " >>" + saved +
               "; true"));
    close(open_file);
    STRCMP_EQUAL((message + "-t\n0\n0\n").c_str(), read_file(saved).c_str());
    STRCMP_EQUAL("", log.text().c_str());
}

TEST(mail_command, that_fails_is_logged_with_its_first_line) {
    CHECK(!send("echo 'no such\tuser' >&2; cat; exit 75"));
    STRCMP_EQUAL(
        ("UA0231: cannot send mail: " + program + " exited with status 75: no such\\x09user\n")
            .c_str(),
        log.text().c_str());
}

TEST(mail_command, that_hangs_is_killed_with_its_children) {
    CHECK_EQUAL(0, mkfifo(saved.c_str(), 0600));
    pollfd held = {open(saved.c_str(), O_RDONLY | O_NONBLOCK), POLLIN, 0};
    char byte = 0;
    // A busy machine may need more time to start the shell.
    for (std::chrono::milliseconds limit(500); byte == 0 && limit < std::chrono::seconds(60);
         limit *= 2) {
        CHECK(!send("exec 3>" + saved + "; echo >&3; /bin/sleep 1000 & wait", limit));
        static_cast<void>(read(held.fd, &byte, 1));
    }
    CHECK_EQUAL('\n', byte);
    STRCMP_CONTAINS("s (UserAdminTimeout)", log.text().c_str());
    // No process has the FIFO open any longer.
    held.events = 0;
    CHECK_EQUAL(1, poll(&held, 1, 60000));
    CHECK((held.revents & POLLHUP) != 0);
    close(held.fd);
}

TEST(mail_command, may_leave_a_child_that_holds_its_output_open) {
    CHECK(send("cat >/dev/null; /bin/sleep 1000 & echo $! >" + saved));
    kill(std::stoi(read_file(saved)), SIGKILL);
}

TEST(mail_command, may_end_without_reading_the_message) {
    CHECK(send("exit 0"));
}

TEST(mail_command, that_cannot_be_started_is_logged) {
    const char* const command[] = {"/nonexistent/sendmail", nullptr};
    CHECK(!mail::CommandMailer(command, std::chrono::seconds(1), log).send(message));
    STRCMP_CONTAINS("could not be started: No such file or directory", log.text().c_str());
}

} // namespace useradmin::test
