// What UserAdminGuard refuses beyond the specification.
#pragma once

#include "api/service.hpp"
#include "text/timestamp.hpp"

namespace useradmin::api {

/// For a change that takes the role superAdmin from a user who may have it.
inline store::Guard guard_of_last(const Settings& settings) {
    if (!settings.guards.last_super_admin)
        return {};
    return {store::Guard::Kind::leaves_one_of_role, text_of(Role::super_admin), text::now()};
}

} // namespace useradmin::api
