// useradminctl show, passwd, role and delete
#include "api/envelope.hpp"
#include "crypto/random.hpp"
#include "ctl/command.hpp"
#include "ctl/commands/last_super_admin.hpp"
#include "ctl/commands/user_lookup.hpp"
#include "ctl/display.hpp"
#include "ctl/password_input.hpp"
#include "model/roles.hpp"

namespace useradmin::ctl {

namespace {

// No user has an empty address.
constexpr store::ProtectedEmail no_protected_email = {"", false};

} // namespace

Exit show(Context& context) {
    print(context, find_user(context, context.options.arguments[0]));
    return Exit::success;
}

Exit set_password(Context& context) {
    const model::User user = find_user(context, context.options.arguments[0]);
    const crypto::Secret hash = read_and_hash_password(context);
    const std::string account_id = crypto::random_uuid();
    const bool keeps_sessions = context.options.has("keep-sessions");
    value_unless_deleted(context.store().set_password(
        store::credential_account(user, account_id, hash.view(),
                                  context.settings.account_id_is_user_id.value_or(false),
                                  text::now()),
        keeps_sessions ? store::SessionPolicy::keep : store::SessionPolicy::revoke));
    print(context, user,
          "the password of " + display(user) + " was set" +
              (keeps_sessions ? "" : "; the user's sessions were ended"));
    return Exit::success;
}

Exit set_role(Context& context) {
    const std::string& role = context.options.arguments[1];
    if (role.empty())
        throw UsageError("the role must be user, admin or superAdmin");
    require_known_role(context, role);
    const model::User user = find_user(context, context.options.arguments[0]);
    require_columns(context, {"role"});
    if (role == user.role) {
        print(context, user,
              "the role of " + display(user) + " is already " + role + "; nothing was changed");
        return Exit::success;
    }
    const bool ends_sessions = context.settings.ends_sessions;
    const model::User changed = change_guarded(
        user, "Assign the role '" + role + "'", last_super_admin_guard(context),
        [&](const store::UpdateGuard& guard) {
            return context.store().update(
                user.id, {{"role", std::string_view(role)}, {"updatedAt", text::now()}}, guard,
                ends_sessions ? store::SessionPolicy::revoke : store::SessionPolicy::keep);
        });
    print(context, changed,
          "the role of " + display(changed) + " is now " + role +
              (ends_sessions ? "; the user's sessions were ended" : ""));
    return Exit::success;
}

Exit remove(Context& context) {
    const model::User user = find_user(context, context.options.arguments[0]);
    const std::string name = display(user);
    const std::string role(user.role.value_or(model::user_role));
    if (!context.options.has("yes") && !confirm("Delete " + name + ", role " + role + "?"))
        throw CommandError("nothing was deleted");
    change_guarded(user, "Delete", last_super_admin_guard(context),
                   [&](const store::UpdateGuard& guard) {
                       return context.store().remove(user.id, no_protected_email, guard);
                   });
    const std::string done = name + " was deleted, with its sessions and accounts";
    if (context.wants_json())
        print_json(api::text_envelope(true, done));
    else
        print_line(done);
    return Exit::success;
}

} // namespace useradmin::ctl
