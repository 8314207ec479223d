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
    /// Sessions that were opened later go on.
    text::Timestamp created_before;
};

/// The sessions of an application. Failures of a call are temporary.
class SecondaryStorage {
  public:
    virtual ~SecondaryStorage() = default;
    /// Returns the position up to which the revocations of a database are delivered, 0 if unknown,
    /// or nothing on failure. It is kept in the storage, so it is right after the storage has lost
    /// its last changes, and all servers share it.
    virtual std::optional<std::int64_t> position(std::string_view database) = 0;
    /// Returns false on failure.
    virtual bool set_position(std::string_view database, std::int64_t position) = 0;
    /// Returns the sessions that the storage lists for a user, or nothing on failure.
    virtual std::optional<std::vector<StoredSession>> sessions_of(std::string_view user_id) = 0;
    /// Ends these sessions of a user. Returns false on failure.
    virtual bool end_sessions(std::string_view user_id,
                              std::span<const std::string_view> tokens) = 0;
    /// Ends the listed sessions of users that were created before a time. The application refuses
    /// those that are not listed. Returns false on failure.
    virtual bool end_all_sessions(std::span<const RevokedUser> users) = 0;
};

} // namespace useradmin::secondary_storage
