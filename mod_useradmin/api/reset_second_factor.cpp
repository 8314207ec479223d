// UserAdminExtras: DELETE /api/users/{id}/second-factor
#include "api/envelope.hpp"
#include "api/guard_rules.hpp"
#include "api/operations.hpp"
#include "api/precondition.hpp"
#include "api/texts.hpp"
#include "text/unicode.hpp"

namespace useradmin::api {

Reply reset_second_factor(const Call& call, const Service& service) {
    if (auto refused = refuse_extras(call, texts.second_factor_forbidden))
        return *std::move(refused);
    if (!text::is_clean_utf8(call.id))
        return error(404, texts.not_found);
    // remove_second_factor() checks If-Match and that the user exists.
    store::UpdateGuard guard;
    guard.versions = if_match_versions(call.request.headers);
    guard.actor = actor_of(call);
    const auto reset = service.store.remove_second_factor(call.id, guard);
    return reset ? confirmation(texts.second_factor_reset)
                 : failure_reply(reset.failure(), texts.second_factor_failed,
                                 texts.second_factor_forbidden);
}

} // namespace useradmin::api
