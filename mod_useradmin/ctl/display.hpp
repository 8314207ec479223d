// Output on the terminal.
#pragma once

#include "store/store.hpp"
#include "json/writer.hpp"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::ctl {

/// Escapes a text for a terminal. Bytes that are not UTF-8 and characters that would move the
/// cursor, color, hide or reorder text are written as \x1b, \u202e and the like.
std::string escape_control_characters(std::string_view text);

/// Returns the text with newlines replaced by blanks and trailing ones removed.
std::string one_line(std::string_view text);

/// Writes an escaped line to stdout.
void print_line(std::string_view line);
/// Writes "useradminctl: …" to stderr, escaped.
void print_error(std::string_view sentence) noexcept;
/// Shows progress on a terminal until destroyed.
class Progress {
  public:
    /// "Counting the users".
    explicit Progress(std::string_view what) noexcept;
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Updates the text, for example "20000 of about 1000000 users".
    void show(std::string_view what) const noexcept;
    /// Clears the line for other output.
    void clear() const noexcept;

  private:
    bool is_shown_;
};

/// Writes a JSON document to stdout as one line. Escapes control characters in JSON's form.
void print_json(std::string_view document);
/// Writes {"success":true,"data":{…}} with the members that the function writes.
void print_data(const std::function<void(json::Writer&)>& write_members);
/// Writes {"success":true,"data":[…]} with the elements that the function writes.
void print_list(const std::function<void(json::Writer&)>& write_elements);
/// Writes an array of strings.
void write_texts(json::Writer& writer, const std::vector<std::string>& texts);

/// Whether to truncate long texts.
enum class Width { full, truncated };

struct Heading {
    const char* title;
    Width width;
};

/// A table with aligned columns.
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
std::string count_of(std::int64_t number, std::string_view one, std::string_view many);
/// Returns the time as in the API, or "-".
std::string display(const std::optional<text::Timestamp>& time);
/// Returns a value as text; empty for NULL.
std::optional<std::string> text_of(const model::Value& value);
/// "Ana <ana@example.com>".
std::string display(const model::User& user);

} // namespace useradmin::ctl
