// Errors and exit codes.
#pragma once

#include <stdexcept>
#include <string>

namespace useradmin::ctl {

/// The exit codes. Scripts depend on the values.
enum class Exit {
    success = 0,
    failure = 1,        ///< a database or system error, or check found problems
    usage = 2,          ///< an invalid command line or configuration
    already_exists = 3, ///< the address or, in an import, the id is already in use
    not_found = 4,      ///< no such user, session, API key or second factor
};

/// Thrown to end a command. The message is printed to stderr and names the remedy.
class CommandError : public std::runtime_error {
  public:
    CommandError(Exit code, const std::string& message) : std::runtime_error(message), code(code) {}
    explicit CommandError(const std::string& message) : CommandError(Exit::failure, message) {}
    Exit code;
};

/// Thrown if the command line or a setting is invalid.
class UsageError : public CommandError {
  public:
    explicit UsageError(const std::string& message) : CommandError(Exit::usage, message) {}
};

/// Thrown if the cause was already printed.
class PrintedError : public CommandError {
  public:
    PrintedError() : CommandError("the command failed; run 'useradminctl check'") {}
    /// The printed message. Empty if unknown.
    std::string cause;
};

/// Thrown if a statement fails because of a lock conflict, such as an expired lock_timeout or a
/// deadlock (store::ErrorKind::busy).
class LockTimeout : public CommandError {
  public:
    using CommandError::CommandError;
};

} // namespace useradmin::ctl
