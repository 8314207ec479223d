#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::test {

/// All secrets of the tests, such as passwords and tokens, contain this string. A single search of
/// logs and replies finds leaks.
inline constexpr std::string_view secret_mark = "s3cr3t";

/// Returns whether the text contains secret_mark or an argon2 hash.
bool holds_a_secret(std::string_view text) noexcept;

/// Returns whether a line of httpd's error log fails a test: it has level warn or worse, reports a
/// crashed child, or is not in the log's format (such as a sanitizer's report). Lines about a
/// client's credentials do not.
bool is_alarming(std::string_view line) noexcept;

/// Watches error logs. An unexpected line fails the running test. One instance per test executable.
class LogWatch {
  public:
    static LogWatch& instance();

    /// Starts reading the log at its end.
    void watch(const std::filesystem::path& log);

    /// Reads the rest of the log and stops watching it.
    void stop_watching(const std::filesystem::path& log);

    /// Adds a line from the test harness, which fails the test.
    void note(std::string line);

    /// Declares that the running test causes a line with this text. If no line contains it, the
    /// test fails.
    void expect(std::string_view part);

    /// Declares that the running test may cause lines with this text.
    void allow(std::string_view part);

    /// Ignores the modules' lines during the action, for example while the test stops a database.
    void ignore_during(const std::function<void()>& action);

    /// Returns whether a line of the running test contains the text.
    bool has(std::string_view part);

    /// Ends a test: clears its lines and expectations. Returns a failure message, or an empty
    /// string.
    std::string settle();

    /// Returns all lines of the running test, for a failure message.
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
