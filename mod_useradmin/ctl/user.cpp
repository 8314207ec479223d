// useradminctl show, passwd, role and delete: what is done to one user.
#include "api/envelope.hpp"
#include "ctl/command.hpp"
#include "ctl/display.hpp"
#include "ctl/password_input.hpp"
#include "ctl/users.hpp"
#include "secret/random.hpp"

namespace useradmin::ctl {

Exit show(Context& context) {
    print(context, user_named(context, context.options.words[0]));
    return Exit::success;
}

Exit set_password(Context& context) {
    const store::User user = user_named(context, context.options.words[0]);
    const std::string hash = hash_of(context, read_password().view());
    const std::string account_id = secret::random_uuid();
    store::NewUser credential;
    credential.id = user.id;
    credential.account_id = account_id;
    credential.account_name =
        context.settings.account_id_is_user_id.value_or(false) ? user.id : user.email;
    credential.password_hash = hash;
    credential.now = text::now();
    value_of(context.store().set_password(credential));
    const std::string done = "the password of " + display(user) + " is set";
    const bool keeps_sessions = context.options.has("keep-sessions");
    if (!keeps_sessions)
        end_sessions(context, user, done);
    print(context, user, done + (keeps_sessions ? "" : "; its sessions are ended"));
    return Exit::success;
}

Exit set_role(Context& context) {
    const std::string& role = context.options.words[1];
    if (role.empty())
        throw CommandError(Exit::usage, "say a role: user, admin or superAdmin");
    const store::User user = user_named(context, context.options.words[0]);
    demand_column(context, "role");
    warn_of_unusual_role(role);
    store::Changes changes;
    changes.role = role;
    changes.now = text::now();
    const auto changed = value_of(context.store().update(user.id, changes));
    if (!changed)
        throw CommandError(Exit::not_found, "the user was deleted meanwhile");
    print(context, *changed, "the role of " + display(*changed) + " is " + role);
    return Exit::success;
}

Exit remove(Context& context) {
    const store::User user = user_named(context, context.options.words[0]);
    const std::string whom = display(user);
    if (!context.options.has("yes") &&
        !agrees("Delete " + whom + ", role " + std::string(user.role.value_or("user")) + "?"))
        throw CommandError(Exit::failure, "nothing was deleted");
    // Nobody is protected here; a view of nothing at all would be NULL.
    constexpr std::string_view no_address = "";
    if (value_of(context.store().remove(user.id, no_address)) != store::Removal::removed)
        throw CommandError(Exit::not_found, "the user was deleted meanwhile");
    const std::string done = whom + " is deleted, with its sessions and accounts";
    if (context.wants_json())
        print_json(api::message(done).body);
    else
        say(done);
    return Exit::success;
}

} // namespace useradmin::ctl
