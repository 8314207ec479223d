// Manages the objects of sql/postgresql/scale, which speed up long lists.
#pragma once

#include "ctl/command_error.hpp"
#include "ctl/context.hpp"

namespace useradmin::ctl {

/// Implements schema --scale: adds the counts and indexes to a table in use. Can be run again, for
/// example after an interruption.
Exit create_scale(Context& context);
/// Implements schema --no-scale: removes the counts and indexes.
Exit remove_scale(Context& context);
/// Implements check --counts: checks the counts and corrects them.
Exit check_counts(Context& context);

} // namespace useradmin::ctl
