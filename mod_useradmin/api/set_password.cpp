// UserAdminExtras: PUT /api/users/{id}/password
#include "api/envelope.hpp"
#include "api/guard_rules.hpp"
#include "api/operations.hpp"
#include "api/precondition.hpp"
#include "api/texts.hpp"
#include "crypto/random.hpp"
#include "password/length.hpp"
#include "text/timestamp.hpp"
#include "text/unicode.hpp"
#include "json/reader.hpp"

namespace useradmin::api {

Response set_password(const Call& call, const Service& service) {
    if (!call.body)
        return error(400, texts.bad_request);
    // A value that is not a string is treated as missing.
    const std::string_view password = call.body->text("password");
    if (password.empty())
        return error(400, texts.fields_missing);
    const std::size_t length = text::utf16_length(password);
    if (length < password::min_length)
        return error(400, texts.password_too_short);
    if (length > password::max_length)
        return error(400, texts.password_too_long);
    const auto user = service.store.find(call.id);
    if (!user)
        return failure_response(user.failure(), call.operation);

    // Check If-Match before the expensive hashing. The store checks it again.
    if (!matches_version(*user, call.versions))
        return error(412, texts.user_changed);

    // Hash without holding a database connection.
    const auto hash = service.hasher.hash(password);
    if (const auto* reason = std::get_if<password::HashFailure>(&hash))
        return failure_response(*reason, call.operation.failure_text);
    const std::string account_id = crypto::random_uuid();
    const auto set = service.store.set_password(
        store::credential_account(*user, account_id, std::get<crypto::Secret>(hash).view(),
                                  service.settings.account_id_is_user_id, text::now()),
        store::SessionPolicy::revoke, guard_of(call));
    return set ? confirmation(texts.password_set) : failure_response(set.failure(), call.operation);
}

} // namespace useradmin::api
