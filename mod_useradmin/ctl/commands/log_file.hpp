// Reads a log that may have been compressed after rotation.
#pragma once

#include <array>
#include <cstdint>
#include <istream>
#include <streambuf>
#include <string>

struct gzFile_s;

namespace useradmin::ctl {

/// Reads a plain or gzip-compressed file as a stream. After a read error, bad() is true.
class LogFile final : public std::istream {
  public:
    /// Opens the file. On failure, is_open() is false and errno is set.
    explicit LogFile(const std::string& name);
    ~LogFile() override;
    LogFile(const LogFile&) = delete;
    LogFile& operator=(const LogFile&) = delete;

    bool is_open() const noexcept { return file_ != nullptr; }

  private:
    class Buffer final : public std::streambuf {
      public:
        explicit Buffer(gzFile_s* file) noexcept : file_(file) {}

      protected:
        int_type underflow() override;

      private:
        gzFile_s* file_;
        std::array<char, 16384> bytes_;
    };

    gzFile_s* file_;
    Buffer buffer_;
};

/// Returns the number of lines in a regular file, plain or compressed. Returns 0 for any other
/// file, or if the file cannot be opened.
std::uint64_t count_lines(const std::string& name);

} // namespace useradmin::ctl
