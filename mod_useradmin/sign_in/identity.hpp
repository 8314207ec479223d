// Whose session a token is (specification, section 5).
#pragma once

#include "sign_in/session_cache.hpp"
#include "store/store.hpp"

#include <chrono>
#include <optional>
#include <string_view>

namespace useradmin::sign_in {

/// What came of looking a token up.
enum class Standing {
    recognised,  ///< it stands for a user
    malformed,   ///< empty, or no clean UTF-8: no session has such a token
    unknown,     ///< no session has it
    expired,     ///< its session has
    banned,      ///< its user is, at this time
    unavailable, ///< no database connection in time: 503
    failed,      ///< the database refused or broke off: 500
};

/// Who a token stands for, or why for nobody. The texts live as long as the request, and as what
/// was asked for kept sessions.
struct [[nodiscard]] Identity {
    Standing standing;
    /// Both only where somebody was recognised; the role is empty where the user has none.
    std::string_view user_id = {};
    std::string_view role = {};
};

/// Whether the user is banned at that time: banned, with banExpires absent or in the future.
bool is_banned(const store::User& user, store::Timestamp now);

/// Sessions that need not be looked up again for a while.
struct KeptSessions {
    SessionCache cache;
    /// The database and its tables; see SessionCache.
    std::string_view place;
    /// How long ago a session may have been looked up.
    std::chrono::seconds age;
    /// The one that was found, and counted.
    std::optional<SessionCache::Known> found = {};
};

/// The user whose session has that token. Where sessions are kept, one that was looked up a short
/// while ago is not looked up again as long as it is recognised.
Identity identify(store::Store& store, std::string_view token, store::Timestamp now,
                  KeptSessions* kept = nullptr);

} // namespace useradmin::sign_in
