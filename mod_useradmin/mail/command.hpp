// Sends messages with a command such as "sendmail -t".
#pragma once

#include "mail/mailer.hpp"
#include "text/logger.hpp"

#include <chrono>

namespace useradmin::mail {

/// Runs the command for each message, with the message as its standard input. The command gets only
/// the standard file descriptors, no environment but PATH, and no shell.
class CommandMailer final : public Mailer {
  public:
    /// command: the program's path and its arguments, terminated by a null pointer. limit: how long
    /// the command may run before it is killed.
    CommandMailer(const char* const* command, std::chrono::milliseconds limit,
                  text::Logger& log) noexcept
        : command_(command), limit_(limit), log_(log) {}

    bool send(std::string_view message) override;

  private:
    bool fail(std::string_view reason);

    const char* const* command_;
    std::chrono::milliseconds limit_;
    text::Logger& log_;
};

} // namespace useradmin::mail
