// A connection, with what is known of its database and the statements that were prepared on it.
#pragma once

#include "store/dialect.hpp"
#include "store/rows.hpp"
#include "store/statements.hpp"

#include <apr_time.h>

#include <array>
#include <span>
#include <string>

namespace useradmin::store {

/// Lives in the connection's pool, from the first use of the connection to its end.
class KnownConnection {
  public:
    KnownConnection(const Connection& connection, const Dialect& dialect,
                    std::string label) noexcept
        : connection_(connection), dialect_(dialect), label_(std::move(label)) {}

    /// What is known of the connection, kept with it under the label; nullptr where the catalogue
    /// cannot be read. It is read at the first use, and again where what is known of it is older
    /// than ten seconds: a column that was added is seen without a restart.
    static KnownConnection* of(const Connection& connection, const Dialect& dialect,
                               const TableNames& names, const char* label, apr_pool_t* pool);

    const Connection& connection() const noexcept { return connection_; }
    const Dialect& dialect() const noexcept { return dialect_; }
    const Schema& schema() const noexcept { return schema_; }

    /// The prepared statement of a query, prepared at its first use; nullptr where that fails.
    apr_dbd_prepared_t* prepared(Query query);
    /// Looks at the connection after a failure. What is known of one that is not sound is read anew
    /// at its next use.
    Health examine(apr_pool_t* pool);
    /// Whether the connection answers. One that was used within the last second counts as
    /// answering.
    bool answers(apr_pool_t* pool);
    /// Whether the catalogue has changed since it was read, or statements may have expired: then
    /// another try can succeed. The catalogue is read anew.
    bool has_changed(const TableNames& names, apr_pool_t* pool);

  private:
    bool refresh(const TableNames& names, apr_pool_t* pool);
    void forget_statements() noexcept;

    Connection connection_;
    const Dialect& dialect_;
    std::string label_;
    std::string identity_;
    Schema schema_;
    apr_time_t read_at_ = 0;
    apr_time_t used_at_ = 0;
    unsigned generation_ = 0;
    std::array<apr_dbd_prepared_t*, query_count> statements_ = {};
};

/// One piece of work on a connection: a connection, the memory of a request, and what went wrong
/// last.
class Work {
  public:
    Work(KnownConnection& known, apr_pool_t* pool) noexcept : known_(known), pool_(pool) {}

    const Schema& schema() const noexcept { return known_.schema(); }
    const Dialect& dialect() const noexcept { return known_.dialect(); }
    apr_pool_t* pool() const noexcept { return pool_; }

    /// Runs a prepared query. An argument that is nullptr is NULL.
    Result<Rows> run(Query query, std::span<const char* const> arguments);
    /// Runs a statement of the code's own that has neither arguments nor rows.
    bool execute(const char* sql);

    /// Whether the user table has the column, for a value that must not be lost; if not, that is
    /// the error.
    bool can_hold(std::string_view field);

    /// The first line of what the database said when it last failed. The lines after it can hold
    /// the values of a row, and so the hash of a password.
    std::string_view error() const noexcept { return error_; }
    /// Whether it failed because another process has the database locked.
    bool found_busy() const noexcept { return found_busy_; }

  private:
    void note_error(int status);

    KnownConnection& known_;
    apr_pool_t* pool_;
    std::string error_;
    bool found_busy_ = false;
};

} // namespace useradmin::store
