// A unit of work on a connection.
#pragma once

#include "store/client.hpp"
#include "store/schema.hpp"
#include "store/store.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::store {

class Dialect;

/// The effect of a change, for the listener.
struct RowChange {
    std::string_view user_id = {};
    std::optional<model::User> before = {};
    std::optional<model::User> after = {};
};

/// The context of an operation: the client, the dialect, the schema, the request's pool, and the
/// first error.
class Work {
  public:
    Work(Client& client, const Dialect& dialect, const Schema& schema, apr_pool_t* pool,
         bool has_listener = false, PluginPolicy plugin_policy = {}) noexcept
        : client_(client), dialect_(dialect), schema_(schema), pool_(pool),
          has_listener_(has_listener), plugin_policy_(plugin_policy) {}

    Client& client() noexcept { return client_; }
    const Dialect& dialect() const noexcept { return dialect_; }
    const Schema& schema() const noexcept { return schema_; }
    apr_pool_t* pool() const noexcept { return pool_; }
    Statement statement() const { return Statement(pool_); }

    /// Runs a statement. On failure, error_kind() gives the reason. No row equals a value that the
    /// database cannot encode, so a query with such a value succeeds without rows. Within a
    /// transaction, such a query aborts the transaction.
    Result<Rows> run(const Statement& statement);
    /// Like run(), for a statement whose rows do not matter.
    Result<Done> apply(const Statement& statement);
    Result<Rows> execute(const char* sql) { return record(client_.execute(sql, pool_), false); }
    /// Runs the statement that commits a transaction.
    Result<Rows> commit(const char* sql);

    /// Returns whether the database can encode the text of the column. May run a query.
    bool can_encode(const Column& column, std::string_view text);
    /// Returns whether the column can represent the id (Column::can_hold_id), and the database can
    /// encode it. Call it before a write, which would fail otherwise.
    bool can_hold_id(const Column& column, std::string_view id) {
        return column.can_hold_id(id) && can_encode(column, id);
    }
    /// Returns whether the user table can represent the value. If not, sets error_message().
    bool can_hold(std::string_view field, const model::Value& value);
    /// Reads a user's fields and version from a row.
    static model::User read_user(Rows& rows);
    /// Reads a full user from a row: fields, version and extra columns.
    model::User read_full_user(Rows& rows);
    /// Reads the columns of Schema::extra_columns.
    std::span<const model::ExtraValue> read_extra_columns(Rows& rows);

    /// Sets error_message() for a failure that the database did not report. Returns the failure.
    Failure fail(std::string message);
    /// Like fail(), after a write that has changed no row.
    Failure fail_without_change();

    /// Returns the error kind of the first failed statement, if any.
    std::optional<ErrorKind> error_kind() const noexcept { return error_kind_; }
    /// Returns the error message of the database, can_hold() or fail().
    const std::string& error_message() const noexcept { return error_message_; }
    /// Returns whether the database rejected a value.
    bool has_rejected_value() const noexcept {
        return error_kind_ == ErrorKind::invalid_value || error_kind_ == ErrorKind::unencodable;
    }
    /// Returns whether the connection was lost, or a statement timed out, during or after a write
    /// that may have been committed.
    bool may_be_committed() const noexcept { return may_be_committed_; }
    void set_may_be_committed() noexcept { may_be_committed_ = true; }
    /// Clears the error before the statement is retried.
    void clear_error() noexcept;

    /// Returns whether there is a listener. If so, the operation must set row_change().
    bool has_listener() const noexcept { return has_listener_; }
    RowChange& row_change() noexcept { return row_change_; }

    const PluginPolicy& plugin_policy() const noexcept { return plugin_policy_; }

  private:
    /// Records an error. `commits` is whether the statement may have been committed if its outcome
    /// is unknown.
    Result<Rows> record(const std::optional<Rows>& rows, bool commits);

    Client& client_;
    const Dialect& dialect_;
    const Schema& schema_;
    apr_pool_t* pool_;
    bool has_listener_;
    PluginPolicy plugin_policy_;
    RowChange row_change_;
    /// The names of the extra columns in the pool, because the schema may be replaced.
    std::vector<std::string_view> extra_names_;
    std::optional<ErrorKind> error_kind_;
    /// Whether a write was committed.
    bool has_committed_ = false;
    bool may_be_committed_ = false;
    std::string error_message_;
};

} // namespace useradmin::store
