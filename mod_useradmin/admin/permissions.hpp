// The actions of better-auth's admin plugin and the roles that may take them
// (UserAdminBetterAuthRole).
#pragma once

#include "model/roles.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace useradmin::admin {

/// The actions in the plugin's access control statements (plugins/admin/access).
enum class Action : unsigned {
    create_user,
    list_users,
    set_role,
    ban_user,
    impersonate_user,
    impersonate_admins,
    delete_user,
    set_password,
    set_email,
    set_phone,
    get_user,
    update_user,
    list_sessions,
    revoke_session,
    delete_session,
};

/// Returns the action for a resource and a name, such as "user" and "set-role", or std::nullopt if
/// there is none.
std::optional<Action> find_action(std::string_view resource, std::string_view name) noexcept;

/// A set of actions: one bit for each.
using Actions = std::uint32_t;
inline constexpr Actions all_actions = ~Actions(0);

constexpr Actions bit_of(Action action) noexcept {
    return Actions(1) << static_cast<unsigned>(action);
}

/// The actions that a role may take. A node of a linked list.
struct RoleActions {
    std::string_view role;
    Actions actions = 0;
    const RoleActions* next = nullptr;
};

/// Used if UserAdminBetterAuthRole is not set.
inline constexpr RoleActions default_roles = {model::super_admin_role, all_actions};

/// Returns whether any role in a comma-separated list may take all of the actions.
bool may(const RoleActions& first, std::string_view roles, Actions actions) noexcept;
/// Returns whether UserAdminBetterAuthRole lists any of the roles, even without actions.
inline bool has_listed_role(const RoleActions& first, std::string_view roles) noexcept {
    return may(first, roles, {});
}

} // namespace useradmin::admin
