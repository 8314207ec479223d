// Whose session a token is (specification, section 5).
#pragma once

#include "sign_in/session_cache.hpp"
#include "store/store.hpp"

#include <chrono>
#include <optional>
#include <string_view>

namespace useradmin::sign_in {

/// What came of looking a token up.
enum class SessionStatus {
    valid,       ///< it stands for a user
    malformed,   ///< empty, or no clean UTF-8: no session has such a token
    unknown,     ///< no session has it
    expired,     ///< its session has
    banned,      ///< its user is, at this time
    unavailable, ///< no database connection in time: 503
    failed,      ///< the database refused or broke off: 500
};

/// Who a token stands for, or why for nobody. The texts live as long as the request; those of a
/// kept session as long as what was asked.
struct [[nodiscard]] Identity {
    SessionStatus status;
    /// Both only where somebody was recognised; the role is empty where the user has none.
    std::string_view user_id = {};
    std::string_view role = {};
    /// The id of the administrator who acts as the user; empty if nobody does.
    std::string_view impersonated_by = {};
};

/// Whether the user is banned at that time: banned, with banExpires absent or in the future.
bool is_banned(const model::User& user, text::Timestamp now);

/// Sessions that need not be looked up again for a while.
struct CachedSessions {
    SessionCache cache;
    /// The database, its tables and what the tokens are signed with; see SessionCache.
    std::string_view place;
    /// How long ago a session may have been looked up.
    std::chrono::seconds age;
    /// What the client sent: the token, with its signature where that is looked at.
    std::string_view credential;
    /// The session that was found. Texts of an identity are views of it.
    std::optional<SessionCache::CachedSession> found = {};
};

/// Whom the credential was found to stand for a short while ago, its signature too; nothing where
/// that is not known, or nobody is recognised any more.
std::optional<Identity> find_cached(CachedSessions& cached, text::Timestamp now);

/// The user whose session has that token. Where sessions are kept, this one is as that of their
/// credential, if somebody is recognised.
Identity identify(store::Store& store, std::string_view token, text::Timestamp now,
                  const CachedSessions* cached = nullptr);

} // namespace useradmin::sign_in
