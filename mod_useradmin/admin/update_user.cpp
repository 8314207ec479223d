// POST admin/update-user
#include "admin/email.hpp"
#include "admin/endpoints.hpp"
#include "admin/user_data.hpp"
#include "api/access.hpp"
#include "api/guard_rules.hpp"
#include "text/unicode.hpp"

namespace useradmin::admin {

namespace {

/// Returns the error response if the address is invalid or taken, otherwise std::nullopt.
std::optional<Response> check_email(const Call& call, std::string_view email) {
    if (!is_email(email))
        return error(invalid_email);
    const auto owner = call.service.store.find_by_email(email);
    if (owner && owner->id != call.event.target)
        return error(user_exists);
    if (!owner && !owner.is_not_found())
        return failure_response(owner.failure(), call.forbidden);
    return std::nullopt;
}

} // namespace

Response update_user(Call& call) {
    const json::Object data = *call.parameters.object()->object("data");
    if (data.keys().empty())
        return error(no_data);
    if (has_any(data, {"password"}))
        return error(password_not_updated);
    if (has_any(data, {"id"}))
        return error(id_not_updated);

    store::Changes changes;
    std::string roles;
    if (has_any(data, {"role"})) {
        if (!call.may(Action::set_role))
            return error(forbidden_role);
        const auto given = roles_in(data, "role");
        if (!given)
            return error(invalid_role_type);
        roles = *given;
        if (guard_forbids_roles(call, roles))
            return error(outranked);
        changes.push_back({"role", roles});
    }
    bool is_ban = data.boolean("banned");
    if (has_ban(data)) {
        if (!call.may(Action::ban_user))
            return error(forbidden_ban);
        if (is_ban && call.event.target == call.caller.id)
            return error(cannot_ban_yourself);
        if (is_ban && !has_any(data, {"banExpires"}))
            changes.push_back(store::clear_past_ban_expiry());
    }
    std::string email;
    if (has_any(data, {"email", "emailVerified"})) {
        if (!call.may(Action::set_email))
            return error(forbidden_email);
        if (has_any(data, {"email"})) {
            email = text::lower(data.as_text("email"));
            if (auto rejection = check_email(call, email))
                return *std::move(rejection);
            changes.push_back({"email", email});
            if (call.service.settings.unverifies_email && !has_any(data, {"emailVerified"}))
                changes.push_back(store::unverify_changed_email(true));
        }
    }
    if (has_any(data,
                {"phoneNumber", "phoneNumberVerified", "phone_number", "phone_number_verified"}) &&
        !call.may(Action::set_phone))
        return error(forbidden_phone);
    // A new expiry for an expired ban bans the user again.
    if (has_any(data, {"banExpires"}) && !has_any(data, {"banned"})) {
        const auto user = call.service.store.find(call.event.target);
        if (!user)
            return failure_response(user.failure(), call.forbidden);
        if ((is_ban = user->banned)) {
            if (call.event.target == call.caller.id)
                return error(cannot_ban_yourself);
            changes.push_back({"banned", true});
        }
    }

    const UserData values(data, {"role", "email"});
    changes.insert(changes.end(), values.values().begin(), values.values().end());
    if (auto failed = log_columns(call, changes))
        return *std::move(failed);
    if (!has_any(data, {"updatedAt"}))
        changes.push_back({"updatedAt", text::now()});
    const bool loses_super_admin =
        is_ban || (has_any(data, {"role"}) && roles != model::super_admin_role);
    const auto updated = call.service.store.update(
        call.event.target, changes, guard_of(call, loses_super_admin),
        is_ban ? store::SessionPolicy::revoke : api::session_policy(call.service.settings));
    return updated ? user_response(*updated) : failure_response(updated.failure(), call.forbidden);
}

} // namespace useradmin::admin
