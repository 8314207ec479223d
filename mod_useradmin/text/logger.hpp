#pragma once

#include <string_view>

namespace useradmin::text {

/// The severity of a line, as in httpd's LogLevel.
enum class Level { error, warning, info };

/// The log of a request or a command.
class Logger {
  public:
    virtual ~Logger() = default;
    /// Writes one line. The message starts with its tag ("UA0101: …") and must not contain secrets.
    virtual void write(Level level, std::string_view message) noexcept = 0;
    /// Writes a line that many requests may cause simultaneously. The log may merge lines with the
    /// same tag into one line with a count.
    virtual void write_throttled(Level level, std::string_view message) noexcept {
        write(level, message);
    }
    /// Writes a line about a client's failed attempt. The log may merge lines with the same tag and
    /// network into one line with a count.
    virtual void write_for_client(Level level, std::string_view message,
                                  std::string_view network) noexcept {
        static_cast<void>(network);
        write(level, message);
    }
};

} // namespace useradmin::text
