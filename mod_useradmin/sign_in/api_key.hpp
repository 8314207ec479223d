// The owner of an API key of better-auth's plugin (@better-auth/api-key).
#pragma once

#include "store/store.hpp"

#include <chrono>
#include <string_view>

namespace useradmin::sign_in {

/// The result of looking up an API key.
enum class ApiKeyStatus {
    valid,       ///< it belongs to a user
    malformed,   ///< empty or not clean UTF-8
    unknown,     ///< no such key, one of another configuration, or its owner is not a user
    disabled,    ///< the key is disabled
    expired,     ///< the key has expired
    banned,      ///< the owner is banned now
    exhausted,   ///< no request remains: 429
    limited,     ///< too many requests in its time window: 429
    unavailable, ///< no database connection in time: 503
    failed,      ///< a database error: 500
};

/// The owner of a key, or why there is none. The views are valid for the lifetime of the request.
struct [[nodiscard]] ApiKeyOwner {
    ApiKeyStatus status;
    /// Set if the key was found and its owner is a user. The role is empty if the user has none.
    std::string_view user_id = {};
    std::string_view role = {};
    std::string_view key_id = {};
    /// As stored, a JSON object; empty: none.
    std::string_view permissions = {};
    /// When to try again, if the status is limited.
    std::chrono::seconds retry_after{0};
};

/// Looks up a key and counts the request, as the plugin does.
ApiKeyOwner identify_api_key(store::Store& store, std::string_view key, text::Timestamp now);

} // namespace useradmin::sign_in
