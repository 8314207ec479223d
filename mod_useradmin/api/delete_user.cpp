// 4.4.1 Delete user: DELETE /api/users/{id}
#include "api/envelope.hpp"
#include "api/guard_rules.hpp"
#include "api/operations.hpp"
#include "api/texts.hpp"

namespace useradmin::api {

Response delete_user(const Call& call, const Service& service) {
    // dispatch() performs checks 1 (session) and 2 (role).
    // Check 3: callers cannot delete themselves.
    if (call.id == call.caller->id)
        return error(400, texts.delete_self);
    // remove() performs checks 4 and 5 and evaluates If-Match and the guard. A separate query would
    // race with concurrent changes.
    const auto removed =
        service.store.remove(call.id, service.settings.protected_email,
                             guard_of(call, last_super_admin_guard(service.settings)));
    return removed ? confirmation(texts.deleted)
                   : failure_response(removed.failure(), call.operation);
}

} // namespace useradmin::api
