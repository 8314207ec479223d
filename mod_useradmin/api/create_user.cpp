// 4.2 Create user: POST /api/users
#include "api/body.hpp"
#include "api/envelope.hpp"
#include "api/guard_rules.hpp"
#include "api/mail_link.hpp"
#include "api/new_user.hpp"
#include "api/operations.hpp"
#include "api/texts.hpp"

namespace useradmin::api {

using json::Object;

namespace {

/// Returns whether to send an invitation link instead of setting a password (UserAdminMailCommand).
bool is_invitation(const Object& body, const OperationSettings& settings) {
    return body.boolean("invite") && offers_link(mail::Kind::invitation, settings);
}

/// Creates a user without a password and sends a link to set one. Removes the user if the link
/// cannot be sent.
Response invite_user(const Call& call, const Service& service, store::NewUser user) {
    if (auto rejection = count_mail(*call.caller, user.email, user.email, service))
        return *std::move(rejection);
    user.has_account = false;
    call.event.sent_to = user.email;
    const auto created = service.store.create(user, actor_of(call));
    if (!created)
        return failure_response(created.failure(), call.operation);
    call.event.target = created->id;
    const PasswordLink link(mail::Kind::invitation);
    const auto added = service.store.add_verification(link.row(created->id));
    if (added && send_link(mail::Kind::invitation, *created, link.token(), call, service))
        return record(*created);
    // The store logs errors, so ignore the result.
    static_cast<void>(service.store.remove_verification(link.identifier()));
    // The audit log records the failed creation, so the removal must not be recorded as another
    // change.
    call.event.is_change = false;
    const auto removed = service.store.remove(created->id, {});
    call.event.is_change = true;
    return error(500, removed ? texts.invitation_failed : texts.link_failed);
}

} // namespace

Response create_user(const Call& call, const Service& service) {
    // dispatch() performs checks 1 (session) and 2 (role).

    const std::optional<Object>& object = call.body;
    if (!object)
        return error(500, call.operation.failure_text);

    // Check 3: requires name, email and password. A value that is not a string is treated as
    // missing.
    const std::string_view name = object->text("name");
    const std::string email = normalize_email(object->text("email"), service.settings);
    const std::string_view password = object->text("password");
    const bool invites = is_invitation(*object, service.settings);
    call.event.target = email;
    if (name.empty() || email.empty() || (password.empty() && !invites))
        return error(400, texts.fields_missing);
    // Check 4: an admin may create only users with the "user" role. A missing role is not treated
    // as "user".
    if (!is_super_administrator(*call.caller) && object->text("role") != model::user_role)
        return error(403, texts.create_role_forbidden);
    if (sends_role(*object) && object->kind("role") != Object::Kind::string)
        return error(500, call.operation.failure_text);
    // Check 5: the address must not be registered.
    const auto taken = service.store.find_by_email(email);
    if (taken)
        return error(400, texts.email_taken);
    if (!taken.is_not_found())
        return failure_response(taken.failure(), call.operation);

    const std::string_view role = sends_role(*object) ? object->text("role") : model::user_role;
    if (invites && password.empty())
        return invite_user(call, service,
                           new_user(name, email, role, {}, service.settings.account_id_is_user_id));
    if (invites)
        return error(400, texts.bad_request);

    // Hash without holding a database connection.
    const auto hash = service.hasher.hash(password);
    if (const auto* reason = std::get_if<password::HashFailure>(&hash))
        return failure_response(*reason, call.operation.failure_text);

    const auto created =
        service.store.create(new_user(name, email, role, std::get<crypto::Secret>(hash).view(),
                                      service.settings.account_id_is_user_id),
                             actor_of(call));
    // Another request may have taken the address or banned the caller in the meantime.
    if (!created)
        return failure_response(created.failure(), call.operation);
    call.event.target = created->id;
    return record(*created);
}

} // namespace useradmin::api
