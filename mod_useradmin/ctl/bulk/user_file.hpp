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

/// Returns the format in --format or, without that option, the format that the file's extension
/// indicates. The default is NDJSON. Throws UsageError if --format is unknown.
FileFormat format_of(std::optional<std::string_view> option, std::string_view file);

/// The member for the password hash, in addition to the user's fields.
inline constexpr std::string_view hash_member = "passwordHash";
/// The member for the password. Only imports have it.
inline constexpr std::string_view password_member = "password";

/// A CSV cell or a JSON member. The text of NULL is std::nullopt.
struct Cell {
    std::string_view name;
    std::optional<crypto::Secret> text;
};

struct FileLine {
    /// The number of the record's first line, starting at 1. A CSV record may span several lines.
    std::uint64_t number = 0;
    std::vector<Cell> cells;
    /// Why the line is invalid. Empty if it is valid.
    std::string problem;
};

/// Reads a file of users line by line in bounded memory. Wipes passwords from its buffer before it
/// reads more and in the destructor.
class UserFileReader {
  public:
    /// Reads the CSV header. Throws CommandError if the header is invalid. file: positioned at its
    /// start. The file must outlive the reader and is not closed.
    UserFileReader(std::FILE* file, FileFormat format);
    ~UserFileReader();
    UserFileReader(const UserFileReader&) = delete;
    UserFileReader& operator=(const UserFileReader&) = delete;

    /// Returns the next non-empty line, or std::nullopt at the end. Throws CommandError if the file
    /// cannot be read or a line is too long.
    std::optional<FileLine> next();
    /// Returns the number of lines before the line that next() returned last.
    std::uint64_t lines_before() const noexcept { return line_; }
    /// Returns the number of lines up to and including the line that next() returned last.
    std::uint64_t lines_read();
    /// Returns the number of bytes up to and including the line that next() returned last.
    std::uint64_t bytes_read() const noexcept { return bytes_ - (buffer_.size() - at_); }

  private:
    /// Returns the next line with its newline, or an empty view at the end. The view is valid until
    /// the next call.
    std::string_view read_line();
    /// Makes room after the unread bytes and wipes the bytes already read.
    void compact_buffer();
    /// Marks the line that read_line() returned last as consumed, and adds its newlines to line_.
    void commit_line();
    /// Returns the line without a byte order mark, if it is the first line of the file.
    std::string_view without_mark(std::string_view line) const noexcept;
    void read_header();
    void read_cells(std::string_view line, FileLine& read) const;
    void read_members(std::string_view line, FileLine& read) const;

    std::FILE* file_;
    FileFormat format_;
    std::string buffer_;
    /// The offset of the current line in the buffer.
    std::size_t taken_ = 0;
    /// The offset of the next line in the buffer.
    std::size_t at_ = 0;
    std::uint64_t line_ = 0;
    /// The number of bytes read from the file.
    std::uint64_t bytes_ = 0;
    std::vector<std::string_view> header_;
};

/// Whether to escape CSV cells that a spreadsheet would interpret as formulas.
enum class Formulas { keep, escape };

/// Formats users as lines of a file.
class UserFileWriter {
  public:
    UserFileWriter(FileFormat format, Formulas formulas) noexcept
        : format_(format), formulas_(formulas) {}

    /// Appends the header, if the format has one.
    void append_header(std::string& out) const;
    void append(std::string& out, const store::bulk::Row& row);
    /// Returns the number of unescaped CSV cells that a spreadsheet would interpret as formulas.
    std::int64_t formulas_kept() const noexcept { return formulas_kept_; }

  private:
    void append_cell(std::string& out, std::string_view value);

    FileFormat format_;
    Formulas formulas_;
    std::int64_t formulas_kept_ = 0;
};

} // namespace useradmin::ctl
