// The secondary storage of better-auth, in which an application keeps sessions outside the
// database.
#pragma once

#include "text/timestamp.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::secondary_storage {

/// A session in the storage.
struct StoredSession {
    std::string token;
    /// As the application wrote it: ISO 8601 in UTC with milliseconds; empty if it is unknown.
    std::string created_at;
};

/// A user whose sessions end.
struct RevokedUser {
    std::string_view user_id;
    /// Sessions that were opened later remain valid.
    text::Timestamp created_before;
};

/// The sessions that an application keeps in the storage. Failures are temporary.
class SecondaryStorage {
  public:
    virtual ~SecondaryStorage() = default;
    /// Returns the position up to which the revocations of a database are delivered, 0 if unknown,
    /// or nothing on failure. It is kept in the storage, where all servers share it. If the storage
    /// loses its last changes, it also returns to an earlier position.
    virtual std::optional<std::int64_t> position(std::string_view database) = 0;
    /// Sets the position. Returns false on failure.
    virtual bool set_position(std::string_view database, std::int64_t position) = 0;
    /// Returns the sessions that the storage lists for a user, or nothing on failure.
    virtual std::optional<std::vector<StoredSession>> sessions_of(std::string_view user_id) = 0;
    /// Ends these sessions of a user. Returns false on failure.
    virtual bool end_sessions(std::string_view user_id,
                              std::span<const std::string_view> tokens) = 0;
    /// Ends each user's listed sessions that were created before a time, and stores the time so
    /// that the application refuses sessions that are not listed. Returns false on failure.
    virtual bool end_all_sessions(std::span<const RevokedUser> users) = 0;
};

} // namespace useradmin::secondary_storage
