// Ends in a secondary storage what was revoked in the database.
#pragma once

#include "secondary_storage/storage.hpp"
#include "store/store.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace useradmin::secondary_storage {

/// Follows the table of revocations. Delivering a revocation again changes nothing.
class Delivery {
  public:
    enum class Outcome { complete, partial, no_table, database_failed, storage_failed };

    /// Delivers up to 1000 revocations since the last delivery. partial: more follow. no_table:
    /// there is no table of revocations. After a failure, the next run delivers the same ones
    /// again.
    Outcome run(store::Store& store, SecondaryStorage& storage);

  private:
    Outcome deliver_page(store::Store& store, SecondaryStorage& storage);

    /// Identifies the database that was read last.
    std::optional<std::string> database_;
    /// The position after the last delivery of this object.
    std::optional<std::int64_t> position_;
    /// The storage's position.
    std::int64_t stored_ = 0;
    /// Where this delivery began.
    std::int64_t start_ = 0;
    /// Set while several pages are read: the id after which the next one starts, and the position
    /// after all of them.
    std::optional<std::int64_t> after_id_;
    std::int64_t next_position_ = 0;
};

} // namespace useradmin::secondary_storage
