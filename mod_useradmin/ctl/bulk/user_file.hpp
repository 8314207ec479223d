// Files with one user per line: CSV (RFC 4180) with a header, or NDJSON.
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

/// Returns the format that --format or else the file's extension names; NDJSON by default. Throws
/// CommandError (Exit::usage) if --format is unknown.
FileFormat format_of(std::optional<std::string_view> said, std::string_view file);

/// Members besides the user's fields: the password hash or, in imports only, the password.
inline constexpr std::string_view hash_member = "passwordHash";
inline constexpr std::string_view password_member = "password";

/// A member of a line: a CSV cell or a JSON member. Without text, it is NULL.
struct Cell {
    std::string_view name;
    std::optional<crypto::Secret> text;
};

/// A parsed line.
struct FileLine {
    /// The number of its first line in the file, from 1. CSV cells may contain newlines.
    std::uint64_t number = 0;
    std::vector<Cell> cells;
    /// Why the line is invalid; otherwise empty.
    std::string problem;
};

/// Reads a file of users line by line in bounded memory. Wipes passwords before it reads more, and
/// when it is destroyed.
class UserFileReader {
  public:
    /// The file must outlive the reader and must be at its start. The reader does not close it.
    /// Reads the CSV header. Throws CommandError if the header is wrong.
    UserFileReader(std::FILE* file, FileFormat format);
    ~UserFileReader();
    UserFileReader(const UserFileReader&) = delete;
    UserFileReader& operator=(const UserFileReader&) = delete;

    /// Returns the next line, or nothing at the end. Throws CommandError if the file cannot be read
    /// or a line is too long.
    std::optional<FileLine> next();
    /// Returns the number of lines before the one that next() returned last.
    std::uint64_t lines_before() const noexcept { return line_; }
    /// Returns the number of lines up to the one that next() returned last.
    std::uint64_t lines_read();

  private:
    /// Returns the next line with its newline, valid until the next call; empty at the end.
    std::string_view read_line();
    /// Makes room after the unread bytes and wipes the read ones.
    void compact_buffer();
    /// Counts the last line as read.
    void commit_line();
    /// Returns the line without a byte order mark.
    std::string_view without_mark(std::string_view line) const noexcept;
    void read_headings();
    void read_cells(std::string_view line, FileLine& read) const;
    void read_members(std::string_view line, FileLine& read) const;

    std::FILE* file_;
    FileFormat format_;
    std::string buffer_;
    /// The positions of the current line and the next one in the buffer.
    std::size_t taken_ = 0;
    std::size_t at_ = 0;
    std::uint64_t bytes_ = 0;
    std::uint64_t line_ = 0;
    std::vector<std::string_view> headings_;
};

/// Whether a spreadsheet that opens the CSV may interpret cells as formulas.
enum class Formulas { keep, escape };

/// Formats users as lines of a file.
class UserFileWriter {
  public:
    UserFileWriter(FileFormat format, Formulas formulas) noexcept
        : format_(format), formulas_(formulas) {}

    /// Appends the header, if the format has one.
    void append_headings(std::string& out) const;
    void append(std::string& out, const store::bulk::Row& row);
    /// The number of CSV cells written unescaped that a spreadsheet interprets as formulas.
    std::int64_t formulas_kept() const noexcept { return formulas_kept_; }

  private:
    void append_cell(std::string& out, std::string_view value);

    FileFormat format_;
    Formulas formulas_;
    std::int64_t formulas_kept_ = 0;
};

} // namespace useradmin::ctl
