// What useradminctl does about the objects of sql/postgresql/scale, which long lists use.
#pragma once

#include "ctl/command_error.hpp"
#include "ctl/context.hpp"

namespace useradmin::ctl {

/// schema --scale: adds the counts and indexes to a table that is in use. It may be run again, also
/// after it was stopped.
Exit create_scale(Context& context);
/// schema --no-scale: removes them.
Exit remove_scale(Context& context);
/// check --counts: compares the counts with the users, and corrects them.
Exit check_counts(Context& context);

} // namespace useradmin::ctl
