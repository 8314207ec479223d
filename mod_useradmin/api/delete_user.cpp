// 4.4.1 Delete user: DELETE /api/users/{id}
#include "api/envelope.hpp"
#include "api/guard_rules.hpp"
#include "api/operations.hpp"
#include "api/texts.hpp"
#include "text/unicode.hpp"

namespace useradmin::api {

Reply delete_user(const Call& call, const Service& service) {
    // Check 1: requires a session.
    if (!call.caller)
        return error(401, texts.no_session);
    // Check 2: requires superAdmin.
    if (!may_delete(*call.caller))
        return error(403, texts.delete_forbidden);
    // Check 3: callers cannot delete themselves.
    if (call.id == call.caller->id)
        return error(400, texts.delete_self);
    if (!text::is_clean_utf8(call.id))
        return error(404, texts.not_found);
    // remove() performs checks 4 and 5 and evaluates If-Match and the guard. A separate query would
    // race with concurrent changes.
    const auto removed = service.store.remove(
        call.id, {service.settings.protected_email, service.settings.lowers_email},
        guard_of(call, last_super_admin_guard(service.settings)));
    return removed ? confirmation(texts.deleted)
                   : failure_reply(removed.failure(), texts.delete_failed, texts.delete_forbidden);
}

} // namespace useradmin::api
