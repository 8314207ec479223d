#include "store/guard.hpp"

#include "store/lists.hpp"

#include <string>

namespace useradmin::store {

void append_active_of(Statement& statement, const Table& user, const Dialect& dialect,
                      std::string_view role, Timestamp now) {
    statement << role_of(user, dialect) << user.op("=") << argument(role);
    const Column* banned = user.find("banned");
    if (banned == nullptr)
        return;
    statement << " AND (" << *banned << " IS NULL OR " << *banned << banned->op("=")
              << argument(*banned, false);
    if (const Column* expires = user.find("banExpires"))
        statement << " OR (" << *expires << " IS NOT NULL AND " << *expires << expires->op("<=")
                  << argument(*expires, now) << ")";
    statement << ")";
}

void append_rule(Statement& statement, const Table& user, const Dialect& dialect,
                 const Guard& guard) {
    switch (guard.kind) {
    case Guard::Kind::none:
        statement << "TRUE";
        break;
    case Guard::Kind::only_of_role:
        statement << role_of(user, dialect) << user.op("=") << argument(guard.role);
        break;
    case Guard::Kind::leaves_one_of_role:
        append_active_of(statement << "(NOT (", user, dialect, guard.role, guard.now);
        statement << ") OR EXISTS (SELECT 1 FROM (SELECT " << user.at("id") << " AS id FROM "
                  << user << " WHERE ";
        append_active_of(statement, user, dialect, guard.role, guard.now);
        // All go by the ids from the first on, the row's own too: so none waits for one who waits
        // for it.
        statement << " ORDER BY 1" << dialect.row_lock()
                  << ") useradmin_other WHERE useradmin_other.id" << user.at("id").op("<>")
                  << "useradmin_row." << user.at("id") << "))";
    }
}

void append_versions(Statement& statement, const Table& user, const Dialect& dialect,
                     const Versions& versions) {
    if (!versions) {
        statement << "TRUE";
        return;
    }
    // One text, so that the statement is the same for any number of them.
    std::string all(1, ' ');
    for (const std::string_view version : *versions)
        all.append(version) += ' ';
    const std::string then = user.op("||");
    statement << dialect.position_function() << "(" << argument(all) << ", ' '" << then
              << user.version << then << "' ')" << user.op(">") << "0";
}

void append_guard(Statement& statement, const Table& user, const Dialect& dialect,
                  const Guard& guard) {
    if (guard.is_none())
        return;
    append_rule(statement << " AND ", user, dialect, guard);
    if (guard.versions)
        append_versions(statement << " AND ", user, dialect, guard.versions);
}

Failure failure_of(const Guard& guard, bool keeps_rule) noexcept {
    if (keeps_rule && guard.versions)
        return Failure::changed;
    return guard.kind == Guard::Kind::only_of_role ? Failure::outranked : Failure::last_of_role;
}

} // namespace useradmin::store
