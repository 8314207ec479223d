// GET admin/get-user. POST admin/set-role, ban-user, unban-user, remove-user and set-user-password.
#include "admin/endpoints.hpp"
#include "api/ban.hpp"
#include "api/guard_rules.hpp"
#include "crypto/random.hpp"
#include "password/length.hpp"
#include "text/timestamp.hpp"
#include "text/unicode.hpp"

#include <algorithm>
#include <cstdint>

namespace useradmin::admin {

namespace {

/// Returns the expiry of a ban that lasts `seconds` from `now`, or std::nullopt if `seconds` is 0.
model::NullableTime ban_expiry(double seconds, text::Timestamp now) {
    constexpr auto earliest = static_cast<double>(text::first_time.time_since_epoch().count());
    constexpr auto latest = static_cast<double>(text::last_time.time_since_epoch().count());
    if (seconds == 0)
        return {};
    const double end = static_cast<double>(now.time_since_epoch().count()) + seconds * 1000;
    return text::Timestamp(
        std::chrono::milliseconds(static_cast<std::int64_t>(std::clamp(end, earliest, latest))));
}

} // namespace

Response get_user(Call& call) {
    const auto user = call.service.store.find(call.event.target, store::UserColumns::all);
    return user ? user_response(*user) : failure_response(user.failure(), call.forbidden);
}

Response set_role(Call& call) {
    const std::string roles = *roles_in(*call.parameters.object(), "role");
    if (guard_forbids_roles(call, roles))
        return error(outranked);
    const auto updated =
        call.service.store.update(call.event.target, {{"role", roles}, {"updatedAt", text::now()}},
                                  guard_of(call, roles != model::super_admin_role),
                                  api::session_policy(call.service.settings));
    return updated ? wrapped_user(*updated) : failure_response(updated.failure(), call.forbidden);
}

Response ban_user(Call& call) {
    const std::string& id = call.event.target;
    if (id == call.caller.id) {
        const auto user = call.service.store.find(id);
        return user ? error(cannot_ban_yourself) : failure_response(user.failure(), call.forbidden);
    }
    const json::Object& body = *call.parameters.object();
    const std::string_view reason = body.text("banReason");
    const text::Timestamp now = text::now();
    const auto banned =
        call.service.store.update(id,
                                  api::ban(reason.empty() ? "No reason" : reason,
                                           ban_expiry(body.number("banExpiresIn"), now), now),
                                  guard_of(call, true), store::SessionPolicy::revoke);
    return banned ? wrapped_user(*banned) : failure_response(banned.failure(), call.forbidden);
}

Response unban_user(Call& call) {
    const auto unbanned = call.service.store.update(call.event.target, api::unban(text::now()),
                                                    guard_of(call, false));
    return unbanned ? wrapped_user(*unbanned)
                    : failure_response(unbanned.failure(), call.forbidden);
}

Response remove_user(Call& call) {
    const std::string& id = call.event.target;
    if (id == call.caller.id)
        return error(cannot_remove_yourself);
    const auto removed =
        call.service.store.remove(id, call.service.settings.protected_email, guard_of(call, true));
    return removed ? confirmation("success") : failure_response(removed.failure(), call.forbidden);
}

Response set_user_password(Call& call) {
    const std::string_view password = call.parameters.object()->text("newPassword");
    const std::size_t length = text::utf16_length(password);
    if (length < password::min_length)
        return error(password_too_short);
    if (length > password::max_length)
        return error(password_too_long);
    const auto user = call.service.store.find(call.event.target);
    if (!user)
        return failure_response(user.failure(), call.forbidden);
    if (guard_forbids_change(call, *user))
        return error(outranked);
    // Hash without holding a database connection.
    const auto hash = call.service.hasher.hash(password);
    if (const auto* failure = std::get_if<password::HashFailure>(&hash))
        return failure_response(*failure);
    const std::string account_id = crypto::random_uuid();
    const auto set = call.service.store.set_password(
        store::credential_account(*user, account_id, std::get<crypto::Secret>(hash).view(), true,
                                  text::now()),
        store::SessionPolicy::keep, guard_of(call, false));
    return set ? confirmation("status") : failure_response(set.failure(), call.forbidden);
}

} // namespace useradmin::admin
