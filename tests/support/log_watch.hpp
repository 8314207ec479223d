#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::test {

/// The tests' passwords, tokens and other secrets contain this string. A search for it in logs and
/// responses finds leaks.
inline constexpr std::string_view secret_mark = "s3cr3t";

/// Returns whether the text contains secret_mark or an argon2 hash.
bool contains_secret(std::string_view text) noexcept;

/// Returns whether a line of httpd's error log fails a test. This applies to lines that have level
/// warn or worse, report a crashed child, or are not in the log's format, like a sanitizer's
/// report. A few harmless lines are exempt, such as those about a client's invalid credentials.
bool is_unexpected(std::string_view line) noexcept;

/// Watches error logs. An unexpected line fails the running test. There is one instance per test
/// executable.
class LogWatch {
  public:
    static LogWatch& instance();

    /// Starts watching the log. Ignores the lines that it already contains.
    void watch(const std::filesystem::path& log);

    /// Reads the rest of the log and stops watching it.
    void stop_watching(const std::filesystem::path& log);

    /// Adds a message of the test harness to the lines. It fails the running test.
    void note(std::string line);

    /// Declares that the running test causes a line with this text. If no line contains it, the
    /// test fails.
    void expect(std::string_view part);

    /// Declares that the running test may cause lines with this text.
    void allow(std::string_view part);

    /// Ignores lines of the modules and errors of mod_dbd during the action, for example while the
    /// test stops a database.
    void ignore_during(const std::function<void()>& action);

    /// Returns whether a line of the running test contains the text.
    bool has(std::string_view part);

    /// Ends a test: waits for the expected lines, then clears all lines and expectations. Returns a
    /// failure message, or an empty string on success.
    std::string finish_test();

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

/// Calls LogWatch::expect().
void expect_log(std::string_view part);

/// Calls LogWatch::allow().
void allow_log(std::string_view part);

} // namespace useradmin::test
