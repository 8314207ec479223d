// POST admin/create-user
#include "admin/email.hpp"
#include "admin/endpoints.hpp"
#include "admin/user_data.hpp"
#include "api/access.hpp"
#include "api/new_user.hpp"
#include "password/length.hpp"
#include "text/unicode.hpp"

namespace useradmin::admin {

Response create_user(Call& call) {
    const json::Object& body = *call.parameters.object();
    const std::optional<json::Object> data = body.object("data");
    if (data && has_any(*data, {"id"}))
        return error(id_not_accepted);
    // Roles in the body take precedence over roles in data.
    std::string roles(model::user_role);
    const bool is_in_body = has_any(body, {"role"});
    const bool is_in_data = !is_in_body && data && has_any(*data, {"role"});
    if (is_in_body || is_in_data) {
        if (!call.may(Action::set_role))
            return error(forbidden_role);
        const auto given = roles_in(is_in_data ? *data : body, "role");
        if (!given)
            return error(invalid_role_type);
        roles = *given;
    }
    if (guard_forbids_roles(call, roles))
        return error(outranked);
    if (data && has_ban(*data) && !call.may(Action::ban_user))
        return error(forbidden_ban);
    const std::string email = text::lower(body.text("email"));
    call.event.target = email;
    if (!is_email(email))
        return error(invalid_email);
    const std::string_view password = body.text("password");
    if (text::utf16_length(password) > password::max_length)
        return error(password_too_long);
    const auto taken = call.service.store.find_by_email(email);
    if (taken)
        return error(user_exists);
    if (!taken.is_not_found())
        return failure_response(taken.failure(), call.forbidden);

    // Hash without holding a database connection.
    std::variant<crypto::Secret, password::HashFailure> hash;
    if (!password.empty())
        hash = call.service.hasher.hash(password);
    if (const auto* failure = std::get_if<password::HashFailure>(&hash))
        return failure_response(*failure);
    store::NewUser user =
        api::new_user(body.text("name"), email, roles, std::get<crypto::Secret>(hash).view(), true);
    user.has_account = !password.empty();
    user.data = {{"emailVerified", false}};
    std::optional<UserData> values;
    if (data) {
        values.emplace(
            *data, std::initializer_list<std::string_view>{"email", "name", "role", "password"});
        user.data.insert(user.data.end(), values->values().begin(), values->values().end());
    }
    if (auto failed = log_columns(call, user.data))
        return *std::move(failed);
    const auto created = call.service.store.create(user, actor_of(call));
    if (!created)
        return failure_response(created.failure(), call.forbidden);
    call.event.target = created->id;
    return wrapped_user(*created);
}

} // namespace useradmin::admin
