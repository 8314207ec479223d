// Input from a person or a script: passwords and confirmations.
#pragma once

#include "crypto/secret.hpp"

#include <string>
#include <string_view>

namespace useradmin::ctl {

/// The allowed lengths: those of better-auth, or up to password::max_password_bytes.
enum class LengthPolicy { standard, any };

/// Returns the problem with a password as the end of a sentence ("must be …"), or an empty string.
std::string password_problem(std::string_view password, LengthPolicy lengths);

/// Reads a password: twice on a terminal, without echo; otherwise as one line of standard input.
/// Throws CommandError if there is no input, the two entries differ, or the password is not valid
/// UTF-8 of an allowed length.
crypto::Secret read_password(LengthPolicy lengths);

/// Asks on a terminal for confirmation: "y" or "yes". Throws CommandError (Exit::usage) if there is
/// no terminal.
bool confirm(const std::string& question);

} // namespace useradmin::ctl
