// A database client that calls the database's own library on a connection that apr_dbd opened.
#pragma once

#include "store/rows.hpp"
#include "store/statement.hpp"
#include "store/time_budget.hpp"

#include <optional>
#include <string>

namespace useradmin::store {

/// Why a statement failed.
enum class ErrorKind {
    rejected,               ///< rejected by the database; nothing was done
    unique_violation,       ///< a unique constraint is violated; nothing was done
    invalid_value,          ///< the column cannot hold the value; nothing was done
    unencodable,            ///< an argument cannot be converted to the database's encoding
    foreign_key_violation,  ///< a foreign key is violated; nothing was done
    insufficient_privilege, ///< the account lacks a privilege; nothing was done
    stale_schema,           ///< the cached schema may be outdated; nothing was done
    busy,                   ///< a lock conflict; nothing was done
    canceled,               ///< canceled by the server; nothing was done
    read_only,              ///< a read-only server, such as a standby; nothing was done
    connection_lost,        ///< the connection broke; the outcome is unknown
    timed_out, ///< timed out; the outcome is unknown, and a PostgreSQL connection was closed
};

/// Runs statements on one connection. apr_dbd opens the connections, and mod_dbd pools them.
/// Statements bypass apr_dbd, because it has no error codes or timeouts and serializes all SQLite
/// connections. Only one thread at a time may use a client.
class Client {
  public:
    /// The maximum number of prepared statements. Limits the memory for query plans.
    static constexpr std::size_t max_prepared_statements = 250;

    virtual ~Client() = default;

    /// Sets the deadline for responses and for reconnect().
    virtual void set_deadline(Deadline deadline) noexcept = 0;

    /// Runs a statement. Prepares it on first use where possible, up to max_prepared_statements.
    /// Returns std::nullopt on failure.
    virtual std::optional<Rows> run(const Statement& statement, apr_pool_t* pool) = 0;
    /// Like run(), for a statement without arguments, such as BEGIN. Does not keep it prepared.
    virtual std::optional<Rows> execute(const char* sql, apr_pool_t* pool) = 0;
    /// Returns the kind of the last error.
    ErrorKind error_kind() const noexcept { return error_kind_; }
    /// Returns the last error message, without lines that may contain row values.
    const std::string& error_message() const noexcept { return error_message_; }
    /// Returns whether the server has sent nothing since the last query. If the server has closed
    /// the connection, returns false.
    virtual bool has_no_pending_input() const noexcept = 0;
    /// Returns whether the server responds to an empty query. For SQLite, always returns true.
    virtual bool ping() = 0;
    /// Returns whether the connection was up after the last operation. Sends nothing to the server.
    virtual bool is_connected() const noexcept = 0;
    /// Reconnects, even if the connection is up, and initializes the session. Returns whether the
    /// connection is up afterwards.
    virtual bool reconnect() = 0;
    /// If mod_dbd has reconnected, initializes the new session: runs Connection::init_statements
    /// and sets the lock timeout again. On failure, closes the connection and returns false.
    virtual bool init_session() { return true; }
    /// Limits how long statements wait for locks. Returns false on failure.
    virtual bool set_lock_timeout(std::chrono::milliseconds timeout, apr_pool_t* pool) = 0;
    /// Reconnects if the connection is down. Returns whether it is up afterwards.
    bool ensure_connected() { return is_connected() || reconnect(); }
    /// Returns whether the server reported that it is a standby, as PostgreSQL 14 and later do.
    virtual bool is_standby() const noexcept { return false; }
    /// Returns the process ID that PostgreSQL reported when the connection was opened. A pooler
    /// such as PgBouncer reports another number. For SQLite, returns 0.
    virtual int backend_id() const noexcept { return 0; }
    /// Returns whether a transaction is open, even if an error has aborted it.
    virtual bool is_in_transaction() const noexcept = 0;
    virtual void discard_prepared() = 0;

  protected:
    ErrorKind error_kind_ = ErrorKind::rejected;
    std::string error_message_;
};

} // namespace useradmin::store
