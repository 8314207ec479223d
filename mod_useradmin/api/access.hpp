// Access rules (specification, section 5).
#pragma once

#include "model/roles.hpp"

#include <string_view>

namespace useradmin::api {

enum class Role { user, admin, super_admin };

/// Returns the role's name in the database.
constexpr std::string_view text_of(Role role) noexcept {
    return role == Role::super_admin ? model::super_admin_role
           : role == Role::admin     ? model::admin_role
                                     : model::user_role;
}

/// Parses a role name. Returns Role::user for any other string.
constexpr Role parse_role(std::string_view text) noexcept {
    return text == text_of(Role::super_admin) ? Role::super_admin
           : text == text_of(Role::admin)     ? Role::admin
                                              : Role::user;
}

constexpr bool is_role(std::string_view text) noexcept {
    return text == text_of(parse_role(text));
}

/// The owner of the request's session.
struct Caller {
    std::string_view id;
    /// The role from the auth module or UserAdminSession. With better-auth, it may be a
    /// comma-separated list of roles.
    std::string_view roles = {};
    /// Whether id and roles are from the service's user table. If so, the store checks them again
    /// on each change.
    bool is_stored = false;
    /// The id of the administrator who impersonates the caller, or empty.
    std::string_view impersonated_by = {};

    /// Returns the role as defined in section 5 of the specification. A caller with more than one
    /// role is treated as "user".
    constexpr Role role() const noexcept { return parse_role(roles); }
};

constexpr bool is_super_administrator(const Caller& caller) noexcept {
    return caller.role() == Role::super_admin;
}

/// Who may use an operation.
enum class Audience { administrators, administrators_and_self, super_administrators };

/// Returns whether the caller is in the audience. id: the user that the operation reads or changes.
constexpr bool is_in(Audience audience, const Caller& caller, std::string_view id) noexcept {
    if (audience == Audience::super_administrators)
        return is_super_administrator(caller);
    return caller.role() != Role::user ||
           (audience == Audience::administrators_and_self && caller.id == id);
}

} // namespace useradmin::api
