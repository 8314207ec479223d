// Ends sessions in a secondary storage after they were revoked in the database.
#pragma once

#include "secondary_storage/storage.hpp"
#include "store/store.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace useradmin::secondary_storage {

/// Delivers the rows of the revocation table to the storage. Delivery is idempotent.
class Delivery {
  public:
    enum class Outcome {
        complete,
        partial,
        no_table,         ///< the revocation table does not exist
        unreadable_table, ///< the database responds, but rejects reading the table
        database_failed,
        storage_failed
    };

    /// Delivers the next revocations, at most 1000. Returns `partial` if it must be called again.
    /// After a failure, the next call starts again at the last complete delivery.
    Outcome run(store::Store& store, SecondaryStorage& storage);

  private:
    Outcome deliver_page(store::Store& store, SecondaryStorage& storage);

    /// The id of the database that was read last.
    std::optional<std::string> database_;
    /// The position after this object's last complete delivery.
    std::optional<std::int64_t> position_;
    /// The start position of this delivery.
    std::int64_t start_ = 0;
    /// If a delivery takes several pages, the last id of the previous page.
    std::optional<std::int64_t> after_id_;
    /// The position after this delivery.
    std::int64_t next_position_ = 0;
};

} // namespace useradmin::secondary_storage
