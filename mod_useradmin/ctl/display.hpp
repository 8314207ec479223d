// What people read on their terminal.
#pragma once

#include "store/store.hpp"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::ctl {

/// The text as a terminal may have it: what is not UTF-8 and what would move the cursor, colour,
/// hide or reorder is written as \x1b, \u202e and the like.
std::string escape_control_characters(std::string_view text);

/// The text with its line ends as blanks, and none at its end.
std::string one_line(std::string_view text);

/// Writes a line to stdout, made visible.
void print_line(std::string_view line);
/// Writes "useradminctl: …" to stderr, made visible.
void print_error(std::string_view sentence) noexcept;
/// Says on a terminal, as long as it lives, what takes its time.
class Progress {
  public:
    /// "Counting the users".
    explicit Progress(std::string_view what) noexcept;
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// How far it has come: "Filling the copy: 20000 of about 1000000 users".
    void show(std::string_view what) const noexcept;
    /// Makes room for something else, until it is shown again.
    void clear() const noexcept;

  private:
    bool is_shown_;
};

/// Writes a JSON document to stdout as one line; what a terminal may not have is escaped as JSON
/// does.
void print_json(std::string_view document);

/// Whether the texts are written in full, however long, or cut.
enum class Width { full, truncated };

struct Heading {
    const char* title;
    Width width;
};

/// Rows under their headings, each column as wide as its widest text within reason.
class TextTable {
  public:
    TextTable(std::initializer_list<Heading> headings) : headings_(headings) {}
    void add(std::vector<std::string> cells);
    void print() const;

  private:
    std::vector<Heading> headings_;
    std::vector<std::vector<std::string>> rows_;
};

/// The time as the interface writes it, or "-".
std::string display(const std::optional<text::Timestamp>& time);
/// A value as a text; nothing for NULL.
std::optional<std::string> text_of(const model::Value& value);
/// "Ana <ana@example.com>".
std::string display(const model::User& user);

} // namespace useradmin::ctl
