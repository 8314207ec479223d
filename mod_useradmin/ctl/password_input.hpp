#pragma once

#include "crypto/secret.hpp"

#include <string>
#include <string_view>

namespace useradmin::ctl {

/// The accepted lengths: better-auth's limits, or up to password::max_password_bytes.
enum class LengthPolicy { standard, any };

/// Returns the problem with a password as the end of a sentence ("must be …"), or an empty string.
std::string password_problem(std::string_view password, LengthPolicy lengths);

/// Reads a password or a token. On a terminal, asks for it without echo. Otherwise, reads one line
/// of standard input.
crypto::Secret read_secret(const char* question);

/// Reads a password. On a terminal, asks for it twice, without echo. Otherwise, reads one line of
/// standard input. Throws CommandError if there is no input, the two entries differ, or the
/// password is not valid UTF-8 of an allowed length.
crypto::Secret read_password(LengthPolicy lengths);

/// Asks for confirmation on a terminal. Returns true for "y", "Y" or "yes". Throws UsageError if
/// there is no terminal.
bool confirm(const std::string& question);

} // namespace useradmin::ctl
