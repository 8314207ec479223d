#include "admin/permissions.hpp"

#include <algorithm>
#include <iterator>

namespace useradmin::admin {

namespace {

struct Statement {
    std::string_view resource;
    std::string_view name;
    Action action;
};

constexpr Statement statements[] = {
    {"user", "create", Action::create_user},
    {"user", "list", Action::list_users},
    {"user", "set-role", Action::set_role},
    {"user", "ban", Action::ban_user},
    {"user", "impersonate", Action::impersonate_user},
    {"user", "impersonate-admins", Action::impersonate_admins},
    {"user", "delete", Action::delete_user},
    {"user", "set-password", Action::set_password},
    {"user", "set-email", Action::set_email},
    {"user", "set-phone", Action::set_phone},
    {"user", "get", Action::get_user},
    {"user", "update", Action::update_user},
    {"session", "list", Action::list_sessions},
    {"session", "revoke", Action::revoke_session},
    {"session", "delete", Action::delete_session},
};

} // namespace

std::optional<Action> find_action(std::string_view resource, std::string_view name) noexcept {
    const auto* const found = std::ranges::find_if(statements, [&](const Statement& statement) {
        return statement.resource == resource && statement.name == name;
    });
    return found != std::end(statements) ? std::optional(found->action) : std::nullopt;
}

bool may(const RoleActions& first, std::string_view roles, Actions actions) noexcept {
    for (const RoleActions* each = &first; each != nullptr; each = each->next)
        if ((each->actions & actions) == actions && model::has_role(roles, each->role))
            return true;
    return false;
}

} // namespace useradmin::admin
