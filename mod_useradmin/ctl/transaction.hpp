#pragma once

#include "ctl/database.hpp"
#include "store/work.hpp"

#include <memory>

namespace useradmin::ctl {

/// A transaction that the destructor rolls back unless it was committed.
class Transaction {
  public:
    /// Throws LockTimeout or CommandError on failure.
    explicit Transaction(Database& database)
        : database_(database),
          work_(database.client(), database.dialect(), schema_, database.pool()),
          transaction_(database.dialect().begin_transaction(work_)) {
        if (transaction_ == nullptr)
            database_.fail();
    }

    void commit() {
        if (!transaction_->commit())
            database_.fail();
    }

  private:
    Database& database_;
    /// Unused, but required by Work.
    store::Schema schema_;
    store::Work work_;
    std::unique_ptr<store::Transaction> transaction_;
};

} // namespace useradmin::ctl
