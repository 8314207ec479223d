#pragma once

#include "ctl/context.hpp"

namespace useradmin::ctl {

/// check --orphans: counts the rows of deleted users in the tables of better-auth's plugins. With
/// --delete, deletes these rows.
Exit check_orphans(Context& context);

} // namespace useradmin::ctl
