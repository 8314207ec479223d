// Sends messages with a command such as "sendmail -t".
#pragma once

#include "mail/mailer.hpp"
#include "text/logger.hpp"

#include <chrono>

namespace useradmin::mail {

/// Runs a command for each message and passes the message on standard input. The command runs
/// without a shell. It inherits only the standard file descriptors and, from the environment, only
/// PATH.
class CommandMailer final : public Mailer {
  public:
    /// `command` is the program's path and arguments, terminated by a null pointer. `command` and
    /// `log` must outlive the mailer. A command that runs longer than `limit` is killed if this
    /// process may kill it.
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
