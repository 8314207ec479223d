#include "store/update_conditions.hpp"

#include "store/lists.hpp"

#include <string>

namespace useradmin::store {

namespace {

/// Appends a condition that the row is a user who has the role and is not banned at the time `now`.
void append_active_with_role(Statement& statement, const Table& user, std::string_view role,
                             text::Timestamp now) {
    append_not_banned(
        statement << role_expression(user) << user.op("=") << argument(role) << " AND ", user, now);
}

} // namespace

void append_not_banned(Statement& statement, const Table& user, text::Timestamp now) {
    const Column* banned = user.find("banned");
    if (banned == nullptr) {
        statement << "TRUE";
        return;
    }
    statement << "(" << *banned << " IS NULL OR " << *banned << banned->op("=")
              << argument(*banned, false);
    if (const Column* expires = user.find("banExpires"))
        statement << " OR (" << *expires << " IS NOT NULL AND " << *expires << expires->op("<=")
                  << argument(*expires, now) << ")";
    statement << ")";
}

void append_actor(Statement& statement, const Table& user, const std::optional<Actor>& actor,
                  std::string_view lock) {
    if (!actor) {
        statement << "TRUE";
        return;
    }
    const Column& key = user.at("id");
    if (!key.can_hold_id(actor->id)) {
        statement << "FALSE";
        return;
    }
    // Without a lock, a ban that is committed after this statement has begun takes effect after the
    // change. Only new sessions lock it, because two callers who change each other would deadlock.
    append_equals(statement << "EXISTS (SELECT 1 FROM " << user << " WHERE ", key, actor->id);
    append_not_banned(statement << " AND ", user, actor->now);
    append_one_of_roles(statement << " AND ", user, actor->roles);
    statement << lock << ")";
}

void append_one_of_roles(Statement& statement, const Table& user,
                         std::span<const std::string_view> roles) {
    statement << "(FALSE";
    for (const std::string_view role : roles)
        statement << " OR " << role_expression(user) << user.op("=") << argument(role);
    statement << ")";
}

void append_guard_rule(Statement& statement, const Table& user, const UpdateGuard& guard) {
    switch (guard.kind) {
    case UpdateGuard::Kind::none:
        statement << "TRUE";
        break;
    case UpdateGuard::Kind::requires_role:
        statement << role_expression(user) << user.op("=") << argument(guard.role);
        break;
    case UpdateGuard::Kind::keeps_last_of_role:
        append_active_with_role(statement << "(NOT (", user, guard.role, guard.now);
        statement << ") OR EXISTS (SELECT 1 FROM (SELECT " << user.at("id") << " AS id FROM "
                  << user << " WHERE ";
        append_active_with_role(statement, user, guard.role, guard.now);
        // Lock the rows in id order to avoid deadlocks.
        statement << " ORDER BY 1" << user.at("id").dialect->product().row_lock
                  << ") useradmin_other WHERE useradmin_other.id" << user.at("id").op("<>")
                  << "useradmin_row." << user.at("id") << "))";
    }
}

void append_versions(Statement& statement, const Table& user, const Versions& versions) {
    if (!versions) {
        statement << "TRUE";
        return;
    }
    // Pass all versions as one argument, because the statement's text must not depend on their
    // number.
    std::string all(1, ' ');
    for (const std::string_view version : *versions)
        all.append(version) += ' ';
    const std::string then = user.op("||");
    statement << user.at("id").dialect->product().position_function << "(" << argument(all)
              << ", ' '" << then << user.version << then << "' ')" << user.op(">") << "0";
}

void append_guard(Statement& statement, const Table& user, const UpdateGuard& guard) {
    if (guard.is_empty())
        return;
    append_guard_rule(statement << " AND ", user, guard);
    if (guard.actor)
        append_actor(statement << " AND ", user, guard.actor);
    if (guard.versions)
        append_versions(statement << " AND ", user, guard.versions);
}

Failure failure_of(const UpdateGuard& guard, bool keeps_rule) noexcept {
    if (keeps_rule && guard.versions)
        return Failure::version_mismatch;
    return guard.kind == UpdateGuard::Kind::requires_role ? Failure::outranked
                                                          : Failure::last_of_role;
}

} // namespace useradmin::store
