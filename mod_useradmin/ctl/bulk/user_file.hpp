// Files of users, a line for each: CSV (RFC 4180) with a line of headings, or NDJSON.
#pragma once

#include "crypto/secret.hpp"
#include "store/bulk.hpp"

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::ctl {

enum class FileFormat { csv, ndjson };

/// The format that --format names, or else the end of the file's name; NDJSON where neither does.
/// A CommandError of usage where it names no format.
FileFormat format_of(std::optional<std::string_view> said, std::string_view file);

/// Beside the fields of a user: the hash of its password, which a file that is written has, or the
/// password itself.
inline constexpr std::string_view hash_member = "passwordHash";
inline constexpr std::string_view password_member = "password";

/// A member of a line: a heading's cell, or a key's value. Nothing is NULL.
struct Cell {
    std::string_view name;
    std::optional<crypto::Secret> text;
};

/// How far a file has been read.
struct FilePlace {
    std::uint64_t bytes = 0;
    std::uint64_t line = 0;
};

/// A line that was read.
struct FileLine {
    /// Where it begins, from 1 on: a cell of CSV may hold line ends.
    std::uint64_t number = 0;
    std::vector<Cell> cells;
    /// Why it is none; empty where it is one.
    std::string problem;
};

/// Reads a file of users, line after line, in little memory. Their passwords are wiped from it
/// before more is read, and when it goes.
class UserFileReader {
  public:
    /// The file outlives it, and is not closed; nobody has read from it. The headings of CSV are
    /// read; a CommandError where they are not right.
    UserFileReader(std::FILE* file, FileFormat format);
    ~UserFileReader();
    UserFileReader(const UserFileReader&) = delete;
    UserFileReader& operator=(const UserFileReader&) = delete;

    /// The next line; nothing at the end. A CommandError where the file cannot be read, or a line
    /// is too long.
    std::optional<FileLine> next();
    /// Where the line that was read last begins, and where the next one does.
    FilePlace place_before() const { return {bytes_, line_}; }
    FilePlace place_behind();

  private:
    /// The bytes of the next line with its end, kept until the next call; empty at the end.
    std::string_view read_line();
    /// Makes room for a piece behind what is not yet taken, and wipes what is.
    void compact_buffer();
    /// Counts the line that was taken last as read.
    void commit_line();
    /// The line without the byte order mark that a file may begin with.
    std::string_view without_mark(std::string_view line) const noexcept;
    void read_headings();
    void read_cells(std::string_view line, FileLine& read) const;
    void read_members(std::string_view line, FileLine& read) const;

    std::FILE* file_;
    FileFormat format_;
    std::string buffer_;
    /// Where in the buffer the line that was taken last begins, and what is next.
    std::size_t taken_ = 0;
    std::size_t at_ = 0;
    std::uint64_t bytes_ = 0;
    std::uint64_t line_ = 0;
    std::vector<std::string_view> headings_;
};

/// Whether a spreadsheet that opens the CSV may run its cells.
enum class Formulas { keep, escape };

/// Appends lines to a text.
class UserFileWriter {
  public:
    UserFileWriter(FileFormat format, Formulas formulas) noexcept
        : format_(format), formulas_(formulas) {}

    /// The line before the first user, where there is one.
    void append_headings(std::string& out) const;
    void append(std::string& out, const store::bulk::Row& row);
    /// How many cells of CSV were written that a spreadsheet runs as formulas.
    std::uint64_t formulas_kept() const noexcept { return formulas_kept_; }

  private:
    void append_cell(std::string& out, std::string_view value);

    FileFormat format_;
    Formulas formulas_;
    std::uint64_t formulas_kept_ = 0;
};

} // namespace useradmin::ctl
