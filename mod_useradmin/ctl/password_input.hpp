// What a person types, or a script sends: passwords, never from the command line, and consent.
#pragma once

#include "crypto/secret.hpp"

#include <string>
#include <string_view>

namespace useradmin::ctl {

/// Which lengths a password may have: those that better-auth takes, or any up to
/// password::max_password_bytes.
enum class LengthPolicy { standard, any };

/// What is wrong with a password, in a sentence's end: "must be …"; empty where nothing is.
std::string password_problem(std::string_view password, LengthPolicy lengths);

/// Asks twice on a terminal, without showing what is typed; else reads one line of standard input.
/// A CommandError where there is none, the two differ, it is no clean UTF-8, or of another length.
crypto::Secret read_password(LengthPolicy lengths);

/// Asks on a terminal; only "y" and "yes" are a yes. A CommandError of usage where there is no
/// terminal to ask on.
bool confirm(const std::string& question);

} // namespace useradmin::ctl
