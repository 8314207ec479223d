// The user of a session token (specification, section 5).
#pragma once

#include "store/session_cache.hpp"
#include "store/store.hpp"

#include <chrono>
#include <optional>
#include <string_view>

namespace useradmin::sign_in {

/// The result of looking up a token.
enum class SessionStatus {
    valid,       ///< it belongs to a user
    malformed,   ///< empty or not clean UTF-8
    unknown,     ///< no such session
    expired,     ///< the session has expired
    banned,      ///< the user is banned now
    unavailable, ///< no database connection in time: 503
    failed,      ///< a database error: 500
};

/// The user of a token, or why there is none. The views are valid for the lifetime of the request;
/// those of a cached session, for the lifetime of its CachedSessions.
struct [[nodiscard]] Identity {
    SessionStatus status;
    /// Set if the token was recognised. The role is empty if the user has none.
    std::string_view user_id = {};
    std::string_view role = {};
    /// The id of the administrator who impersonates the user; empty if there is none.
    std::string_view impersonated_by = {};
};

/// Returns whether the user is banned at a time: banned, and banExpires absent or in the future.
bool is_banned(const model::User& user, text::Timestamp now);

/// The session cache for a lookup.
struct CachedSessions {
    store::SessionCache& cache;
    /// Identifies the database, its tables and the secret; see store::SessionCache.
    std::string_view tables_id;
    /// The maximum age of a cached session.
    std::chrono::seconds age;
    /// What the client sent: the token, with its signature if that is verified.
    std::string_view credential;
    /// The cached session, to which the views of an Identity refer.
    std::optional<store::SessionCache::CachedSession> found = {};
};

/// Returns the cached identity of a credential, or nothing if it is unknown or no longer valid.
std::optional<Identity> find_cached(store::Store& store, CachedSessions& cached,
                                    text::Timestamp now);

/// Looks up a token. Caches a valid session under its credential.
Identity identify(store::Store& store, std::string_view token, text::Timestamp now,
                  const CachedSessions* cached = nullptr);

} // namespace useradmin::sign_in
