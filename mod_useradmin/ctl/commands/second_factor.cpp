#include "ctl/command.hpp"
#include "ctl/commands/user_lookup.hpp"
#include "ctl/display.hpp"

namespace useradmin::ctl {

Exit reset_second_factor(Context& context) {
    const model::User user = find_user(context, context.options.arguments[0]);
    const auto reset = context.store().remove_second_factor(user.id);
    if (!reset && reset.failure() == store::Failure::no_second_factor)
        throw CommandError(Exit::not_found,
                           display(user) + " has no second factor; nothing was done");
    value_unless_deleted(reset);
    print(context, user,
          "the second factor of " + display(user) + " was removed; the user's sessions were ended");
    return Exit::success;
}

} // namespace useradmin::ctl
