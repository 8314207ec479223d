// Where an operator reads what happened.
#pragma once

#include <string_view>

namespace useradmin::text {

/// How much a line matters; httpd's LogLevel has the same names.
enum class Level { error, warning, info };

/// The log of a request, or of a command.
class Logger {
  public:
    virtual ~Logger() = default;
    /// One line. The message begins with its tag ("UA0101: …") and holds no secret.
    virtual void write(Level level, std::string_view message) noexcept = 0;
    /// A line of what many requests meet at once. Where many come together, one line with a count
    /// may stand for all of the same tag.
    virtual void write_throttled(Level level, std::string_view message) noexcept {
        write(level, message);
    }
    /// Writes a line about a client's failure. Of many lines of one tag and network, one line with
    /// a count may stand for all.
    virtual void write_for_client(Level level, std::string_view message,
                                  std::string_view network) noexcept {
        static_cast<void>(network);
        write(level, message);
    }
};

} // namespace useradmin::text
