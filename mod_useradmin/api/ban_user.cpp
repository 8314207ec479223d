// UserAdminExtras: PUT and DELETE /api/users/{id}/ban
#include "api/ban.hpp"
#include "api/body.hpp"
#include "api/envelope.hpp"
#include "api/guard_rules.hpp"
#include "api/operations.hpp"
#include "api/texts.hpp"
#include "text/timestamp.hpp"
#include "json/reader.hpp"

namespace useradmin::api {

namespace {

using json::Object;

/// Returns a string member, or std::nullopt if it is empty or missing.
model::NullableText text_of(const Object& body, std::string_view name) {
    const std::string_view text = body.text(name);
    return text.empty() ? model::NullableText() : text;
}

} // namespace

Response ban_user(const Call& call, const Service& service) {
    // The body and both of its members are optional.
    const std::optional<Object>& object = call.body;
    if (!object || !is_string_or_null(*object, "reason") || !is_string_or_null(*object, "expires"))
        return error(400, texts.bad_request);
    const text::Timestamp now = text::now();
    model::NullableTime expires;
    if (const model::NullableText expiry = text_of(*object, "expires")) {
        expires = text::parse_date(*expiry);
        if (!expires)
            return error(400, texts.bad_request);
        if (*expires <= now)
            return error(400, texts.ban_in_the_past);
    }
    if (call.id == call.caller->id)
        return error(400, texts.ban_self);
    // update() checks If-Match, the guard, and that the user exists.
    const auto banned = service.store.update(
        call.id, ban(text_of(*object, "reason"), expires, now),
        guard_of(call, last_super_admin_guard(service.settings)), session_policy(service.settings));
    return banned ? record(*banned) : failure_response(banned.failure(), call.operation);
}

Response unban_user(const Call& call, const Service& service) {
    // update() checks If-Match and that the user exists.
    const auto unbanned = service.store.update(call.id, unban(text::now()), guard_of(call));
    return unbanned ? record(*unbanned) : failure_response(unbanned.failure(), call.operation);
}

} // namespace useradmin::api
