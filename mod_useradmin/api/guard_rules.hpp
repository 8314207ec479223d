// Under which conditions the store makes a change: what UserAdminGuard refuses beyond the
// specification, and that the caller may still make it. What UserAdminEndSessions does.
#pragma once

#include "api/service.hpp"
#include "text/timestamp.hpp"

namespace useradmin::api {

/// Returns the guard for a change that takes the role superAdmin from a user.
inline store::UpdateGuard last_super_admin_guard(const OperationSettings& settings) {
    if (!settings.guards.last_super_admin)
        return {};
    return {store::UpdateGuard::Kind::keeps_last_of_role, text_of(Role::super_admin), text::now()};
}

/// The caller as the change must still find it: its body may have taken long to come, and the
/// password long to be hashed. Nothing where the user table does not tell its role.
inline std::optional<store::Actor> actor_of(const Caller& caller) {
    static constexpr std::string_view roles[] = {text_of(Role::super_admin), text_of(Role::admin)};
    if (!caller.is_stored)
        return std::nullopt;
    return store::Actor{caller.id, std::span(roles).first(is_super_administrator(caller) ? 1 : 2),
                        text::now()};
}

/// Returns what happens to the sessions of a user who loses rights (UserAdminEndSessions).
inline store::SessionPolicy session_policy(const OperationSettings& settings) noexcept {
    return settings.ends_sessions ? store::SessionPolicy::revoke : store::SessionPolicy::keep;
}

} // namespace useradmin::api
