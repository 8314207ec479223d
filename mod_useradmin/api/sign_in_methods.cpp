// UserAdminExtras: GET /api/users/{id}/sign-in-methods, DELETE
// /api/users/{id}/sign-in-methods/{kind}/{method id}
#include "api/envelope.hpp"
#include "api/guard_rules.hpp"
#include "api/operations.hpp"
#include "api/texts.hpp"
#include "text/unicode.hpp"

namespace useradmin::api {

Response list_sign_in_methods(const Call& call, const Service& service) {
    const auto found = service.store.list_sign_in_methods(call.id, service.settings.max_limit);
    return found ? sign_in_methods(*found) : failure_response(found.failure(), call.operation);
}

Response remove_sign_in_method(const Call& call, const Service& service) {
    if (!text::is_clean_utf8(call.item_id))
        return error(404, texts.sign_in_method_not_found);
    // The store checks If-Match and that the sign-in method exists.
    const auto removed =
        service.store.remove_sign_in_method(call.id, call.kind, call.item_id, guard_of(call));
    return removed ? confirmation(texts.sign_in_method_removed)
                   : failure_response(removed.failure(), call.operation);
}

} // namespace useradmin::api
