// Reads the servers' error logs during tests. An unexpected line fails the test.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::test {

/// All secrets of the tests (passwords, tokens and the like) contain this string, so a single
/// search of the logs and replies finds leaks.
inline constexpr std::string_view secret_mark = "s3cr3t";

/// Returns whether the text contains a secret of the tests or a password hash.
bool holds_a_secret(std::string_view text) noexcept;

/// Returns whether a line of httpd's error log has level warn or worse and is not about a client's
/// credentials, reports a crashed child, or is not in the log's format (such as a sanitizer's
/// report).
bool is_alarming(std::string_view line) noexcept;

/// Watches error logs. One instance per test executable, used by expect_log() and allow_log().
class LogWatch {
  public:
    static LogWatch& instance();

    /// Starts to read the log.
    void watch(const std::filesystem::path& log);

    /// Reads the rest of the log and stops watching it.
    void stop_watching(const std::filesystem::path& log);

    /// Adds a line from the test harness. It fails the test like a crash.
    void note(std::string line);

    /// Declares that the running test causes such a line. Without one, the test fails.
    void expect(std::string_view part);

    /// Declares that the running test may cause such lines.
    void allow(std::string_view part);

    /// Ignores the lines during the action, for example while the test stops a database.
    void ignore_during(const std::function<void()>& action);

    /// Returns whether a line of the running test contains the text.
    bool has(std::string_view part);

    /// Ends a test. Returns what is wrong with its lines, or an empty string. Clears the lines and
    /// the expectations.
    std::string settle();

    /// Returns all lines since the start of the test, for a failure message.
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

/// Declares that the running test causes a line of level warn or worse with this text.
void expect_log(std::string_view part);

/// Declares that the running test may cause lines of level warn or worse with this text.
void allow_log(std::string_view part);

} // namespace useradmin::test
