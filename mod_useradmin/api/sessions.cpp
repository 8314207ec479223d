#include "api/sessions.hpp"

#include "text/unicode.hpp"

namespace useradmin::api {

store::Result<std::optional<Identity>> identify(store::Store& store, std::string_view token,
                                                store::Timestamp now) {
    if (token.empty() || !text::is_clean_utf8(token))
        return std::optional<Identity>();
    const auto session = store.session(token);
    if (!session)
        return session.failure();
    if (!*session)
        return std::optional<Identity>();
    const store::Session& found = **session;
    const bool has_expired = !found.expires_at || *found.expires_at <= now;
    const bool is_banned = found.banned && (!found.ban_expires || *found.ban_expires > now);
    if (has_expired || is_banned)
        return std::optional<Identity>();
    return std::optional(Identity{found.user_id, found.role.value_or("")});
}

} // namespace useradmin::api
