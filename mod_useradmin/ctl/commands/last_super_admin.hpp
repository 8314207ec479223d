// Protects the last unbanned superAdmin against a command's change.
#pragma once

#include "ctl/commands/user_lookup.hpp"
#include "ctl/context.hpp"

#include <string_view>

namespace useradmin::ctl {

/// Returns whether the user is an unbanned superAdmin.
bool is_active_super_admin(const model::User& user, text::Timestamp now);
/// Asks whether to proceed although the user is the last superAdmin. Throws CommandError if the
/// answer is no or there is no terminal. action: the action in the question, such as "Ban".
void confirm_last_super_admin(const model::User& user, std::string_view action);

/// Returns the guard of a change that leaves the user banned or without the superAdmin role. The
/// guard is empty with --yes.
store::UpdateGuard last_super_admin_guard(const Context& context);

/// Makes a change with the guard. If the guard rejects it because the user is the last superAdmin,
/// asks for confirmation, and then makes the change without a guard. The database decides, because
/// another process may change other superAdmins at any time. action: see
/// confirm_last_super_admin().
template <class Change>
auto change_guarded(const model::User& user, std::string_view action,
                    const store::UpdateGuard& guard, const Change& change) {
    auto changed = change(guard);
    if (!changed && changed.failure() == store::Failure::last_of_role) {
        confirm_last_super_admin(user, action);
        changed = change(store::UpdateGuard());
    }
    return value_unless_deleted(std::move(changed));
}

} // namespace useradmin::ctl
