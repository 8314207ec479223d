#pragma once

#include "ctl/database.hpp"

namespace useradmin::ctl {

/// A transaction that the destructor rolls back unless it was committed.
class Transaction {
  public:
    explicit Transaction(Database& database) : database_(database) { database_.execute("BEGIN"); }
    ~Transaction() {
        if (is_open_)
            static_cast<void>(database_.client().execute("ROLLBACK", database_.pool()));
    }
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;

    void commit() {
        database_.execute("COMMIT");
        is_open_ = false;
    }

  private:
    Database& database_;
    bool is_open_ = true;
};

} // namespace useradmin::ctl
