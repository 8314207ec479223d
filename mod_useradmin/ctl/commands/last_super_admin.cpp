#include "ctl/commands/last_super_admin.hpp"

#include "api/access.hpp"
#include "ctl/display.hpp"
#include "ctl/password_input.hpp"
#include "sign_in/identity.hpp"

namespace useradmin::ctl {

bool is_active_super_admin(const model::User& user, text::Timestamp now) {
    return api::parse_role(user.role.value_or("")) == api::Role::super_admin &&
           !sign_in::is_banned(user, now);
}

void confirm_last_super_admin(const model::User& user, std::string_view action) {
    if (!confirm(display(user) + " is the last superAdmin. " + std::string(action) + " anyway?"))
        throw CommandError("nothing was done");
}

store::UpdateGuard last_super_admin_guard(const Context& context) {
    if (context.options.has("yes"))
        return {};
    return {store::UpdateGuard::Kind::keeps_last_of_role, api::text_of(api::Role::super_admin),
            text::now()};
}

} // namespace useradmin::ctl
