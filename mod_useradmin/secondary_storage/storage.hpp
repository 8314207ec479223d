// The secondary storage of better-auth, in which an application keeps sessions outside the
// database.
#pragma once

#include "text/timestamp.hpp"

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

/// The sessions of an application. Failures of a call are temporary.
class SecondaryStorage {
  public:
    virtual ~SecondaryStorage() = default;
    /// Returns the sessions that the storage lists for a user, or nothing on failure.
    virtual std::optional<std::vector<StoredSession>> sessions_of(std::string_view user_id) = 0;
    /// Ends these sessions of a user. With a time, ends also those that are listed and were created
    /// before it, and the application refuses those that are not listed. Returns false on failure.
    virtual bool end_sessions(std::string_view user_id, std::span<const std::string_view> tokens,
                              std::optional<text::Timestamp> created_before) = 0;
};

} // namespace useradmin::secondary_storage
