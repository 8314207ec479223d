// 4.4 Update user: PUT /api/users/{id}
#include "api/body.hpp"
#include "api/columns.hpp"
#include "api/envelope.hpp"
#include "api/guard_rules.hpp"
#include "api/operations.hpp"
#include "api/texts.hpp"

#include <algorithm>

namespace useradmin::api {

namespace {

using json::Object;
using Kind = Object::Kind;

bool is_absent_or(Kind wanted, Kind kind) {
    return kind == Kind::absent || kind == wanted;
}

/// Returns whether the body has a role or "banned" (check 4). A role of null or "" does not count,
/// but any value of "banned" does.
bool has_role_or_ban(const Object& body) {
    return sends_role(body) || body.kind("banned") != Kind::absent;
}

/// Returns whether name, email and password have the correct types and, if the caller may set them,
/// also role, banReason and banned. Other fields may have any type.
bool has_types(const Object& body, const Caller& caller) {
    for (std::string_view field : {"name", "email", "password"})
        if (!is_absent_or(Kind::string, body.kind(field)))
            return false;
    if (!is_super_administrator(caller))
        return true;
    return is_string_or_null(body, "role") && is_string_or_null(body, "banReason") &&
           is_absent_or(Kind::boolean, body.kind("banned"));
}

/// Returns whether the changes take away the superAdmin role or ban the user.
bool revokes_super_admin(const store::Changes& changes) {
    return std::ranges::any_of(
        changes,
        [](const store::Change& change) {
            if (change.field == "banned")
                return std::get<bool>(change.value);
            return change.field == "role" &&
                   parse_role(std::get<std::string_view>(change.value)) != Role::super_admin;
        });
}

store::UpdateGuard update_guard_of(const Caller& caller, const store::Changes& changes,
                                   const OperationSettings& settings) {
    if (settings.guards.rank && !is_super_administrator(caller))
        return {store::UpdateGuard::Kind::requires_role, model::user_role};
    return revokes_super_admin(changes) ? last_super_admin_guard(settings) : store::UpdateGuard();
}

/// Returns 404 if the user does not exist (check 3), otherwise the given error.
Response reject(const Call& call, const Service& service, int status, const Text& text) {
    const auto user = service.store.find(call.id);
    return user ? error(status, text) : failure_response(user.failure(), call.operation);
}

} // namespace

Response update_user(const Call& call, const Service& service) {
    // dispatch() performs checks 1 (session) and 2 (role).
    const Caller& caller = *call.caller;
    const std::optional<Object>& object = call.body;

    // Check 3: the user must exist. If the body is valid, update() checks this.
    // Check 4: an admin must not send role or banned.
    if (object && !is_super_administrator(caller) && has_role_or_ban(*object))
        return reject(call, service, 403, texts.update_role_forbidden);
    if (!object || !has_types(*object, caller))
        return reject(call, service, 500, call.operation.failure_text);
    const ColumnChanges columns(call, service, *object);
    if (const auto& rejection = columns.rejection())
        return reject(call, service, rejection->status, *rejection->text);

    store::Changes changes = {{"updatedAt", text::now()}};
    const auto apply_non_empty = [&](std::string_view field, std::string_view text) {
        if (!text.empty())
            changes.push_back({field, text});
    };
    const std::string email = normalize_email(object->text("email"), service.settings);
    apply_non_empty("name", object->text("name"));
    apply_non_empty("email", email);
    if (!email.empty() && service.settings.unverifies_email)
        changes.push_back(store::unverify_changed_email(service.settings.lowers_email));
    if (is_super_administrator(caller)) {
        apply_non_empty("role", object->text("role"));
        if (object->kind("banned") == Kind::boolean)
            changes.push_back({"banned", object->boolean("banned")});
        if (object->boolean("banned"))
            changes.push_back(store::clear_past_ban_expiry());
        apply_non_empty("banReason", object->text("banReason"));
    }
    changes.insert(changes.end(), columns.values().begin(), columns.values().end());
    // update() also checks If-Match. A separate query would race with other changes.
    const auto updated = service.store.update(
        call.id, changes, guard_of(call, update_guard_of(caller, changes, service.settings)),
        session_policy(service.settings));
    return updated ? record(*updated) : failure_response(updated.failure(), call.operation);
}

} // namespace useradmin::api
