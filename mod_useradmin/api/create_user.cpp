// 4.2 Create user: POST /api/users
#include "api/envelope.hpp"
#include "api/new_user.hpp"
#include "api/operations.hpp"
#include "api/texts.hpp"
#include "json/reader.hpp"

namespace useradmin::api {

namespace {

using json::Object;

Reply hash_failure(password::HashFailure reason) {
    return reason == password::HashFailure::busy ? error(503, texts::unavailable)
                                                 : error(500, texts::create_failed);
}

/// Whether the member names a role: neither absent, null nor empty.
bool names_role(const Object& body) {
    const Object::Kind kind = body.kind("role");
    return kind != Object::Kind::absent && kind != Object::Kind::null &&
           !(kind == Object::Kind::string && body.text("role").empty());
}

} // namespace

Reply create_user(const Request& request, const Service& service) {
    // Check 1: a session.
    if (!request.caller)
        return error(401, texts::no_session);
    // Check 2: the caller is admin or superAdmin.
    if (!may_create(*request.caller))
        return error(403, texts::create_forbidden);

    const Body body = request.body.read();
    if (body.state != Body::State::read)
        return unreadable(body);
    const std::optional<Object> object = Object::parse(body.text);
    if (!object)
        return error(500, texts::create_failed);

    // Check 3: name, email and password. Another type than string has no text, as if missing.
    const std::string_view name = object->text("name");
    const std::string email = stored_email(object->text("email"), service.settings);
    const std::string_view password = object->text("password");
    if (name.empty() || email.empty() || password.empty())
        return error(400, texts::fields_missing);
    // Check 4: the role that an admin may give.
    if (!may_create_with_role(*request.caller, object->text("role")))
        return error(403, texts::create_role_forbidden);
    if (names_role(*object) && object->kind("role") != Object::Kind::string)
        return error(500, texts::create_failed);
    // Check 5: the e-mail is free.
    const auto taken = service.store.find_by_email(email);
    if (taken)
        return error(400, texts::email_taken);
    if (!taken.is_not_found())
        return failure(taken.failure(), texts::create_failed);

    // No connection is held while the password is hashed.
    const auto hash = service.hasher.hash(password);
    if (const auto* reason = std::get_if<password::HashFailure>(&hash))
        return hash_failure(*reason);

    const std::string_view role = names_role(*object) ? object->text("role") : "user";
    const auto created = service.store.create(new_user(
        name, email, role, std::get<std::string>(hash), service.settings.account_id_is_user_id));
    // The address may have been taken while the password was hashed.
    return created ? record(*created) : failure(created.failure(), texts::create_failed);
}

} // namespace useradmin::api
