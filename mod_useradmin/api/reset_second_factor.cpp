// UserAdminExtras: DELETE /api/users/{id}/second-factor
#include "api/envelope.hpp"
#include "api/guard_rules.hpp"
#include "api/operations.hpp"
#include "api/texts.hpp"

namespace useradmin::api {

Response reset_second_factor(const Call& call, const Service& service) {
    // remove_second_factor() checks If-Match and that the user exists.
    const auto reset = service.store.remove_second_factor(call.id, guard_of(call));
    return reset ? confirmation(texts.second_factor_reset)
                 : failure_response(reset.failure(), call.operation);
}

} // namespace useradmin::api
