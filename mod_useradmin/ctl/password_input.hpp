// Takes a password, never from the command line.
#pragma once

#include "password/secret.hpp"

namespace useradmin::ctl {

/// Asks twice on a terminal, without showing what is typed; else reads one line of standard input.
/// A CommandError where there is none, the two differ, or it is no clean UTF-8.
password::Secret read_password();

} // namespace useradmin::ctl
