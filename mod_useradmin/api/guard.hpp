// What UserAdminGuard refuses beyond the specification, and what UserAdminEndSessions does.
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

/// What becomes of the sessions of a user who loses rights (UserAdminEndSessions).
inline store::Sessions sessions_after_loss(const Settings& settings) noexcept {
    return settings.ends_sessions ? store::Sessions::end : store::Sessions::stay;
}

} // namespace useradmin::api
