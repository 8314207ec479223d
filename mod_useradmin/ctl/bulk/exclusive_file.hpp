// Files that get their name when they are complete.
#pragma once

#include <string>

namespace useradmin::ctl {

/// Creates a file with mode 0600 and returns its descriptor, or -1 with errno. Replaces a leftover
/// of the same owner; any other existing file is an error. The caller closes the descriptor.
int create_exclusive(const std::string& name) noexcept;

} // namespace useradmin::ctl
