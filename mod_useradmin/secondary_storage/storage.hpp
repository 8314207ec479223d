// better-auth's secondary storage, where an application keeps sessions outside the database.
#pragma once

#include "text/timestamp.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::secondary_storage {

struct StoredSession {
    std::string token;
    /// The creation time as the application wrote it: ISO 8601 in UTC with milliseconds. Empty if
    /// unknown.
    std::string created_at;
    /// The id. Empty if the storage does not contain it, as with better-auth 1.4.
    std::string id = {};
};

/// A user whose sessions are revoked.
struct RevokedUser {
    std::string_view user_id;
    /// Sessions created at this time or later remain valid.
    text::Timestamp created_before;
};

/// The interface to an application's secondary storage. A failed call can be repeated.
class SecondaryStorage {
  public:
    virtual ~SecondaryStorage() = default;
    /// Returns the position after the last delivered revocation of a database, 0 if it is unknown,
    /// or std::nullopt on failure. All servers share the stored position. If the storage loses its
    /// last changes, it also loses the position, so the revocations are delivered again.
    virtual std::optional<std::int64_t> position(std::string_view database) = 0;
    /// Sets the position. Returns false on failure.
    virtual bool set_position(std::string_view database, std::int64_t position) = 0;
    /// Returns the sessions that the storage lists for a user, or std::nullopt on failure.
    virtual std::optional<std::vector<StoredSession>> sessions_of(std::string_view user_id) = 0;
    /// Ends the user's sessions with these tokens. Returns false on failure.
    virtual bool end_sessions(std::string_view user_id,
                              std::span<const std::string_view> tokens) = 0;
    /// Ends each user's listed sessions that were created before created_before. Also stores this
    /// time, because the application must reject older sessions that are not listed. Returns false
    /// on failure.
    virtual bool end_all_sessions(std::span<const RevokedUser> users) = 0;
};

} // namespace useradmin::secondary_storage
