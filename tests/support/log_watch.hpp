// Reads the error logs of the servers while tests run: what a test did not name fails it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::test {

/// Every password, token and the like that a test uses holds this text, so that one look through
/// the logs and the replies finds what leaked.
inline constexpr std::string_view secret_mark = "s3cr3t";

/// Whether the text holds one of the tests' secrets, or a password hash.
bool holds_a_secret(std::string_view text) noexcept;

/// Whether a line of httpd's error log is of level warn or worse, reports a child that crashed, or
/// is not in the log's format at all (a sanitizer's report, say).
bool is_alarming(std::string_view line) noexcept;

/// Watches error logs. There is one for a test executable; expect_log and allow_log speak to it.
class LogWatch {
  public:
    static LogWatch& instance();

    /// Reads this log from now on.
    void watch(const std::filesystem::path& log);

    /// Takes what the log still holds, and leaves it alone from then on.
    void stop_watching(const std::filesystem::path& log);

    /// Adds a line of the harness's own, as alarming as a crash.
    void note(std::string line);

    /// The test that runs causes such lines; it fails without one.
    void expect(std::string_view part);

    /// The test that runs may cause such lines.
    void allow(std::string_view part);

    /// What servers complain of meanwhile, since a test has taken their database away or the like,
    /// nobody is to expect.
    void ignore_during(const std::function<void()>& action);

    /// Whether a line that the test caused so far holds the text.
    bool has(std::string_view part);

    /// Ends a test: tells what is wrong with the lines that it caused (nothing: an empty text), and
    /// forgets them and what the test named.
    std::string settle();

    /// All lines since the test began, for a failure's message.
    std::string lines();

  private:
    struct Source {
        std::filesystem::path path;
        std::uintmax_t read = 0;
        std::string rest;
    };

    void read_on();
    static void read_on(Source& source, std::vector<std::string>& lines);

    std::vector<Source> sources_;
    std::vector<std::string> lines_;
    std::vector<std::string> expected_;
    std::vector<std::string> allowed_;
};

/// In a test: it causes a line of level warn or worse that holds this text.
void expect_log(std::string_view part);

/// In a test: it may cause lines of level warn or worse that hold this text.
void allow_log(std::string_view part);

} // namespace useradmin::test
