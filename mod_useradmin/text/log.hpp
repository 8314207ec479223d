// Where an operator reads what happened.
#pragma once

#include <string_view>

namespace useradmin::text {

/// How much a line matters; httpd's LogLevel has the same names.
enum class Level { error, warning, info };

/// The log of a request, or of a command.
class Log {
  public:
    virtual ~Log() = default;
    /// One line. The message begins with its tag ("UA0101: …") and holds no secret.
    virtual void write(Level level, std::string_view message) noexcept = 0;
};

} // namespace useradmin::text
