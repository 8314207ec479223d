// UserAdminExtras: DELETE /api/users/{id}/second-factor
#include "api/envelope.hpp"
#include "api/guard_rules.hpp"
#include "api/operations.hpp"
#include "api/texts.hpp"
#include "text/unicode.hpp"

namespace useradmin::api {

Reply reset_second_factor(const Call& call, const Service& service) {
    if (!text::is_clean_utf8(call.id))
        return error(404, texts.not_found);
    // remove_second_factor() checks If-Match and that the user exists.
    const auto reset = service.store.remove_second_factor(call.id, guard_of(call));
    return reset ? confirmation(texts.second_factor_reset)
                 : failure_reply(reset.failure(), call.operation);
}

} // namespace useradmin::api
