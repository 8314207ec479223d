// check --orphans: the rows of deleted users in the tables of better-auth's plugins.
#pragma once

#include "ctl/context.hpp"

namespace useradmin::ctl {

/// Counts these rows. With --delete, deletes them.
Exit check_orphans(Context& context);

} // namespace useradmin::ctl
