#include "api/ban.hpp"
#include "ctl/command.hpp"
#include "ctl/commands/last_super_admin.hpp"
#include "ctl/commands/user_lookup.hpp"
#include "ctl/display.hpp"
#include "ctl/duration.hpp"

namespace useradmin::ctl {

Exit ban(Context& context) {
    const text::Timestamp now = text::now();
    const model::NullableText reason = context.options.find("reason");
    model::NullableTime ends;
    if (const auto expires = context.options.find("expires"))
        ends = parse_expiry(*expires, now);
    const model::User user = find_user(context, context.options.arguments[0]);
    require_columns(context, {"banned"});
    if (reason)
        require_columns(context, {"banReason"});
    if (ends)
        require_columns(context, {"banExpires"});
    const model::User banned = change_guarded(
        user, "Ban", last_super_admin_guard(context), [&](const store::UpdateGuard& guard) {
            return context.store().update(user.id, api::ban(reason, ends, now), guard,
                                          store::SessionPolicy::revoke);
        });
    const std::string done =
        display(banned) + " is banned " + (ends ? "until " + display(ends) : "permanently");
    print(context, banned, done + "; the user's sessions were ended");
    return Exit::success;
}

Exit unban(Context& context) {
    const model::User user = find_user(context, context.options.arguments[0]);
    require_columns(context, {"banned"});
    if (!user.banned && !user.ban_reason && !user.ban_expires) {
        print(context, user, display(user) + " is not banned; nothing was changed");
        return Exit::success;
    }
    const model::User free =
        value_unless_deleted(context.store().update(user.id, api::unban(text::now())));
    print(context, free, display(free) + " is no longer banned");
    return Exit::success;
}

} // namespace useradmin::ctl
