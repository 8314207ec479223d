// Output to stdout and stderr.
#pragma once

#include "store/store.hpp"
#include "text/logger.hpp"
#include "json/writer.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::ctl {

/// Escapes the line and writes it to stdout.
void print_line(std::string_view line);
/// Escapes the message and writes it to stderr after "useradminctl: ".
void print_error(std::string_view message) noexcept;

/// Prints messages as print_error() does.
class ErrorLogger final : public text::Logger {
  public:
    void write(text::Level, std::string_view message) noexcept override {
        print_error(message);
        try {
            last_ = message;
        } catch (...) { // out of memory
        }
    }
    /// Returns the last message, or an empty string.
    const std::string& last() const noexcept { return last_; }

  private:
    std::string last_;
};

/// Reports a failure as a message on stderr and, with --json, as JSON on stdout. The JSON contains
/// the cause instead of the message if one is given.
void print_failure(const std::string& message, bool wants_json, const std::string& cause = {});

/// Shows progress on stderr if it is a terminal. The destructor clears the line.
class Progress {
  public:
    /// activity: a string such as "Counting users". Must outlive the object.
    explicit Progress(std::string_view activity) noexcept;
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Shows the number done, the total, the rate and the time left. total: 0 if unknown.
    void show(std::uint64_t done, std::uint64_t total) const;
    /// Like show(), for a file whose lines were not counted. Shows the percentage of its bytes in
    /// place of the total. size: 0 if unknown.
    void show_share(std::uint64_t lines, std::uint64_t bytes, std::uint64_t size) const;
    /// Clears the line for other output.
    void clear() const noexcept;
    /// Returns whether stderr is a terminal.
    bool is_shown() const noexcept { return is_shown_; }

  private:
    void print(std::uint64_t done, const std::string& whole, double share) const;

    std::string_view activity_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    bool is_shown_;
};

/// Writes a JSON document to stdout as one line. Escapes unprintable characters
/// (text::printable_json()).
void print_json(std::string_view document);
/// Writes {"success":true,"data":{…}} with the members that write_members writes. With an error,
/// success is false, and the error follows the data.
void print_data(const std::function<void(json::Writer&)>& write_members,
                std::string_view error = {});
/// Writes {"success":true,"data":[…]} with the elements that write_elements writes.
void print_list(const std::function<void(json::Writer&)>& write_elements);
void write_texts(json::Writer& writer, const std::vector<std::string>& texts);

/// Whether to truncate long cells.
enum class Width { full, truncated };

struct Heading {
    const char* title;
    Width width = Width::full;
};

/// Prints a table with aligned columns, or nothing if it has no rows.
class TextTable {
  public:
    TextTable(std::initializer_list<Heading> headings) : headings_(headings) {}
    void add(std::vector<std::string> cells);
    void print() const;

  private:
    std::vector<Heading> headings_;
    std::vector<std::vector<std::string>> rows_;
};

/// Returns the number and its noun: "1 user", "2 users".
template <class Number>
std::string count_of(Number number, std::string_view one, std::string_view many) {
    return std::to_string(number) + " " + std::string(number == 1 ? one : many);
}
/// Returns the time in the local time zone if stdout is a terminal, otherwise in the API's format.
/// Returns "-" if there is no time.
std::string display(const std::optional<text::Timestamp>& time);
/// Returns the name and the address: "Ana <ana@example.com>".
std::string display(const model::User& user);

} // namespace useradmin::ctl
