// How a command ends when it cannot be done.
#pragma once

#include <stdexcept>
#include <string>

namespace useradmin::ctl {

/// How useradminctl ends; part of its interface.
enum class Exit {
    success = 0,
    failure = 1,       ///< the database or the system failed, or check found problems
    usage = 2,         ///< the command line is not right
    already_there = 3, ///< the address is taken
    not_found = 4,     ///< no such user or session
};

/// Ends a command with a sentence on stderr that says what to do.
class CommandError : public std::runtime_error {
  public:
    CommandError(Exit code, const std::string& sentence)
        : std::runtime_error(sentence), code(code) {}
    Exit code;
};

/// A statement waited longer than lock_timeout for a lock, or ended a deadlock.
class LockTimeout : public CommandError {
  public:
    explicit LockTimeout(const std::string& sentence) : CommandError(Exit::failure, sentence) {}
};

} // namespace useradmin::ctl
