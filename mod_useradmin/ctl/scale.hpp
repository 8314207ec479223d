// What useradminctl does about the copy that makes long lists quick.
#pragma once

#include "ctl/command_error.hpp"
#include "ctl/context.hpp"

namespace useradmin::ctl {

/// schema --scale: lays and fills the copy beside a table that is in use. What is there already
/// stays, so that it goes on where it was stopped.
Exit lay_scale(Context& context);
/// schema --no-scale: takes the copy away.
Exit remove_scale(Context& context);
/// check --counts: compares the copy with the users, and mends it.
Exit check_counts(Context& context);

} // namespace useradmin::ctl
