// The user's roles: a role name or, in better-auth, a comma-separated list of names.
#pragma once

#include "text/split.hpp"

#include <string_view>

namespace useradmin::model {

inline constexpr std::string_view user_role = "user";
inline constexpr std::string_view admin_role = "admin";
inline constexpr std::string_view super_admin_role = "superAdmin";

/// Returns whether a comma-separated list of roles contains the role. An empty list is treated as
/// the "user" role.
constexpr bool has_role(std::string_view roles, std::string_view role) noexcept {
    if (roles.empty())
        return role == user_role;
    while (!roles.empty())
        if (text::take_until(roles, ',') == role)
            return true;
    return false;
}

/// Returns whether a comma-separated list of roles contains superAdmin.
constexpr bool is_super_admin(std::string_view roles) noexcept {
    return has_role(roles, super_admin_role);
}

} // namespace useradmin::model
