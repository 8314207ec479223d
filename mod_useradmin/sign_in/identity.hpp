// Looks up the user of a session token (specification, section 5).
#pragma once

#include "store/session_cache.hpp"
#include "store/store.hpp"

#include <chrono>
#include <optional>
#include <string_view>

namespace useradmin::sign_in {

enum class CredentialStatus {
    valid,     ///< the session or key is valid and its user is not banned
    malformed, ///< empty, or with invalid UTF-8 or U+0000
    unknown,   ///< no such session, no such key of a user in the default configuration, or the
               ///< impersonator was rejected
    disabled,  ///< only for keys
    expired,
    banned,      ///< the user is banned
    exhausted,   ///< the key has no requests remaining (429)
    limited,     ///< too many requests in the key's time window (429)
    unavailable, ///< no database connection in time (503)
    failed,      ///< database error (500)
};

CredentialStatus status_of(store::Failure failure) noexcept;

/// The user of a session token or an API key. The views are valid for the lifetime of the request
/// or, for a cached session, of its CachedSessions.
struct [[nodiscard]] Identity {
    CredentialStatus status = CredentialStatus::failed;
    /// Set only for a valid session, for one whose impersonator was rejected, and for a key whose
    /// owner is a user. The role is empty if the user has none.
    std::string_view user_id = {};
    std::string_view role = {};
    /// The id of the administrator who impersonates the user, or empty.
    std::string_view impersonated_by = {};
    /// The id and permissions of an API key. The permissions are the stored JSON object, or empty.
    std::string_view key_id = {};
    std::string_view permissions = {};
    /// The time until another attempt is allowed. Set only if the status is limited.
    std::chrono::seconds retry_after{0};
};

/// Returns the status of a session's impersonator: valid, unknown, banned or a database failure.
/// Without an impersonator, returns valid. Without this check, a banned administrator could still
/// act as another user. Returns unknown for an impersonator who has no role other than "user", or
/// who is not a superAdmin although the user is one.
CredentialStatus impersonator_status(store::Store& store, const store::SessionWithUser& session,
                                     text::Timestamp now);

/// Returns whether the user is banned and the ban has not expired.
bool is_banned(const model::User& user, text::Timestamp now);

/// The arguments and result of a lookup in the session cache.
struct CachedSessions {
    store::SessionCache& cache;
    /// Identifies the database, its tables and the secret (see store::SessionCache).
    std::string_view tables_id;
    /// The maximum age of a cached session.
    std::chrono::seconds age;
    /// The token, including its signature if signatures are verified.
    std::string_view credential;
    /// The cached session. The views of an Identity refer to it.
    std::optional<store::SessionCache::CachedSession> found = {};
};

/// Returns the identity from the cache, or std::nullopt if it is not cached or no longer valid.
std::optional<Identity> find_cached(store::Store& store, CachedSessions& cached,
                                    text::Timestamp now);

/// Looks up a token in the database. If cached is given, adds the session to the cache if it is
/// valid and not impersonated.
Identity identify(store::Store& store, std::string_view token, text::Timestamp now,
                  const CachedSessions* cached = nullptr);

} // namespace useradmin::sign_in
