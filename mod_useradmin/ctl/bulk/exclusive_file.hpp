// Files that are written whole, and take their name afterwards.
#pragma once

#include <string>

namespace useradmin::ctl {

/// A descriptor of a file that was not there before, for its owner alone to read and write; -1 with
/// errno where it cannot be made. One that was left, or that somebody else has laid there, gives
/// way or is an error. The caller closes it.
int create_exclusive(const std::string& name) noexcept;

} // namespace useradmin::ctl
