// API keys of better-auth's plugin @better-auth/api-key.
#pragma once

#include "store/store.hpp"

#include <chrono>
#include <string_view>

namespace useradmin::sign_in {

enum class ApiKeyStatus {
    valid,     ///< the key is valid and belongs to a user
    malformed, ///< empty, or with invalid UTF-8 or U+0000
    unknown,   ///< no such key in the default configuration, or its owner is not a user
    disabled,
    expired,
    banned,      ///< the owner is banned
    exhausted,   ///< no requests remain (429)
    limited,     ///< too many requests in the time window (429)
    unavailable, ///< no database connection in time (503)
    failed,      ///< database error (500)
};

/// The owner of a key. The views are valid for the lifetime of the request.
struct [[nodiscard]] ApiKeyOwner {
    ApiKeyStatus status;
    /// Set if the key was found and its owner is a user. The role is empty if the user has none.
    std::string_view user_id = {};
    std::string_view role = {};
    std::string_view key_id = {};
    /// The stored JSON object, or empty.
    std::string_view permissions = {};
    /// Time until the next attempt. Set only if the status is limited.
    std::chrono::seconds retry_after{0};
};

/// Looks up a key and counts the request, like the plugin.
ApiKeyOwner identify_api_key(store::Store& store, std::string_view key, text::Timestamp now);

} // namespace useradmin::sign_in
