#include "store/arguments.hpp"

namespace useradmin::store {

Arguments& append_user(Arguments& arguments, const Table& table, const NewUser& user) {
    return arguments.field(table, "id", Text(user.id))
        .field(table, "name", Text(user.name))
        .field(table, "email", Text(user.email))
        .field(table, "role", Text(user.role))
        .field(table, "emailVerified", true)
        .field(table, "banned", false)
        .field(table, "createdAt", user.now)
        .field(table, "updatedAt", user.now);
}

Arguments& append_account(Arguments& arguments, const Table& table, const NewUser& user) {
    return arguments.field(table, "id", Text(user.account_id))
        .field(table, "accountId", Text(user.account_name))
        .field(table, "providerId", Text("credential"))
        .field(table, "userId", Text(user.id))
        .field(table, "password", Text(user.password_hash))
        .field(table, "createdAt", user.now)
        .field(table, "updatedAt", user.now)
        // better-auth 1.7.0 to 1.7.2 told accounts apart by their issuer.
        .field(table, "issuer", Text("local:credential"));
}

Arguments& append_session(Arguments& arguments, const Table& table, const NewSession& session) {
    return arguments.field(table, "id", Text(session.id))
        .field(table, "token", Text(session.token))
        .field(table, "userId", Text(session.user_id))
        .field(table, "expiresAt", session.expires_at)
        .field(table, "createdAt", session.now)
        .field(table, "updatedAt", session.now)
        .field(table, "ipAddress", session.ip_address)
        .field(table, "userAgent", session.user_agent);
}

Arguments& append_ban(Arguments& arguments, const Table& table, const std::optional<Ban>& ban,
                      Timestamp now) {
    const Column* expires = table.find("banExpires");
    arguments.field(table, "banned", ban.has_value())
        .field(table, "banReason", ban ? ban->reason : Text());
    if (ban && ban->expires)
        arguments.field(table, "banExpires", *ban->expires);
    else if (expires != nullptr)
        arguments.optional(std::nullopt);
    return arguments.field(table, "updatedAt", now);
}

Arguments& append_changes(Arguments& arguments, const Table& table, const Changes& changes) {
    return arguments.field(table, "updatedAt", changes.now)
        .field(table, "name", changes.name)
        .field(table, "email", changes.email)
        .field(table, "role", changes.role)
        .field(table, "banned", changes.banned)
        .field(table, "banReason", changes.ban_reason);
}

} // namespace useradmin::store
