// Guards (UserAdminGuard), actors and session policies (UserAdminEndSessions) for changes in the
// store.
#pragma once

#include "api/operations.hpp"
#include "api/precondition.hpp"
#include "text/timestamp.hpp"

namespace useradmin::api {

/// Returns the guard of a change that may remove the last superAdmin. The guard is empty unless
/// UserAdminGuard includes last-superadmin.
inline store::UpdateGuard last_super_admin_guard(const OperationSettings& settings) {
    if (!settings.guards.last_super_admin)
        return {};
    return {store::UpdateGuard::Kind::keeps_last_of_role, text_of(Role::super_admin), text::now()};
}

/// Returns the caller's id and required roles. A change checks them again because receiving the
/// body and hashing the password may take a long time. Returns std::nullopt if the caller is not
/// from the user table.
inline std::optional<store::Actor> actor_of(const Call& call) {
    static constexpr std::string_view roles[] = {text_of(Role::super_admin), text_of(Role::admin)};
    const Caller& caller = *call.caller;
    if (!caller.is_stored)
        return std::nullopt;
    return store::Actor{caller.id, std::span(roles).first(is_super_administrator(caller) ? 1 : 2),
                        text::now()};
}

/// Adds If-Match and the caller to the guard of a change.
inline store::UpdateGuard guard_of(const Call& call, store::UpdateGuard guard = {}) {
    guard.versions = call.versions;
    guard.actor = actor_of(call);
    return guard;
}

/// Returns the session policy of a ban or a change of role or email address (UserAdminEndSessions).
inline store::SessionPolicy session_policy(const OperationSettings& settings) noexcept {
    return settings.ends_sessions ? store::SessionPolicy::revoke : store::SessionPolicy::keep;
}

} // namespace useradmin::api
