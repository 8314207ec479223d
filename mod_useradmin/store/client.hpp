// What speaks to a database over one of mod_dbd's connections, in the database's own protocol.
#pragma once

#include "store/rows.hpp"
#include "store/statement.hpp"
#include "store/time_budget.hpp"

#include <string>
#include <variant>

namespace useradmin::store {

/// Why a statement did not do its work.
enum class ErrorKind {
    rejected,               ///< the database refused it; nothing was done
    unique_violation,       ///< the same, since a value that must be unique is there already
    insufficient_privilege, ///< the same, since the database's account lacks a right
    stale_schema,           ///< what is known of the tables no longer holds; nothing was done
    busy,      ///< others work on the same rows, or have the database locked; nothing was done
    read_only, ///< the server takes no writes, such as a standby; nothing was done
    connection_lost, ///< the connection broke: whether it was done is unknown
    timed_out,       ///< no answer came before the deadline: the same, and the connection was ended
};

/// apr_dbd opens a connection and mod_dbd pools it; what is said over it does not go through
/// apr_dbd, which knows no codes of errors, keeps no bound on a wait, and holds one lock over all
/// connections of SQLite. One client belongs to one connection, and is used by one thread at a
/// time.
class Client {
  public:
    /// So many statements are kept prepared: there are more kinds of lists than memory for their
    /// plans.
    static constexpr std::size_t max_prepared_statements = 250;

    virtual ~Client() = default;

    /// Sets until when an answer or a new connection may be waited for, from now on.
    virtual void set_deadline(Deadline deadline) noexcept = 0;

    /// Runs a statement, prepared under its text at its first use, as long as there are not too
    /// many.
    virtual std::variant<Rows, ErrorKind> run(const Statement& statement, apr_pool_t* pool) = 0;
    /// Runs a statement without arguments and rows, such as BEGIN, once.
    virtual std::variant<Rows, ErrorKind> execute(const char* sql, apr_pool_t* pool) = 0;
    /// What the database said when it last failed, in one line: no line that can hold the values
    /// of a row, and so the hash of a password.
    virtual const std::string& error_message() const noexcept = 0;
    /// Whether the server has said nothing since it was last asked. One that ends a connection says
    /// so.
    virtual bool has_no_pending_input() const noexcept = 0;
    /// Asks the server whether it is there.
    virtual bool ping() = 0;
    /// Whether the connection stands, as far as is known.
    virtual bool is_connected() const noexcept = 0;
    /// Connects anew, also where the connection stands; whether it does then.
    virtual bool reconnect() = 0;
    /// The same, where the connection broke.
    bool ensure_connected() { return is_connected() || reconnect(); }
    /// Whether a transaction is open, as far as is known; also one that an error has ended.
    virtual bool is_in_transaction() const noexcept = 0;
    /// Forgets what was prepared.
    virtual void discard_prepared() = 0;
};

} // namespace useradmin::store
