// One piece of work on a connection.
#pragma once

#include "store/client.hpp"
#include "store/schema.hpp"
#include "store/store.hpp"

#include <optional>
#include <string>

namespace useradmin::store {

/// What a change did to a user, for its witness.
struct RowChange {
    std::string_view user_id = {};
    std::optional<model::User> before = {};
    std::optional<model::User> after = {};
};

/// A client, what is known of the tables, the memory of a request, and what went wrong first.
class Work {
  public:
    Work(Client& client, const Schema& schema, apr_pool_t* pool, bool has_listener = false) noexcept
        : client_(client), schema_(schema), pool_(pool), has_listener_(has_listener) {}

    Client& client() noexcept { return client_; }
    const Schema& schema() const noexcept { return schema_; }
    apr_pool_t* pool() const noexcept { return pool_; }
    Statement statement() const { return Statement(pool_); }

    /// Runs a statement; where it fails, error_kind() says how.
    Result<Rows> run(const Statement& statement);
    Result<Rows> execute(const char* sql) { return record(client_.execute(sql, pool_)); }
    /// Runs the statement that commits a transaction.
    Result<Rows> commit(const char* sql);

    /// The same where no statement failed: the client's error says why the work cannot go on.
    void set_error(ErrorKind error_kind) { static_cast<void>(record(error_kind)); }

    /// Whether the value, which must not be lost, has a column in the user table; if not, that is
    /// the error.
    bool can_hold(std::string_view field, const model::Value& value);
    /// The row of a user's fields and its version.
    static model::User read_user(Rows& rows);
    /// The row of a create or update: the same, then the further columns.
    model::User read_full_user(Rows& rows) const;

    /// How the first statement that failed did so; nothing where none did, or where the work was
    /// refused before.
    std::optional<ErrorKind> error_kind() const noexcept { return error_kind_; }
    /// What the database, or can_hold, said to that.
    const std::string& error_message() const noexcept { return error_message_; }
    /// Returns whether a statement failed that may have been committed all the same.
    bool may_be_committed() const noexcept { return may_be_committed_; }
    void set_may_be_committed() noexcept { may_be_committed_ = true; }
    /// Takes a fault for an answer: the work goes on as if nothing had failed.
    void clear_error() noexcept;

    /// Whether somebody wants to know what a change does: then it fills in what is seen.
    bool has_listener() const noexcept { return has_listener_; }
    RowChange& row_change() noexcept { return row_change_; }

  private:
    Result<Rows> record(std::variant<Rows, ErrorKind>&& answer);

    Client& client_;
    const Schema& schema_;
    apr_pool_t* pool_;
    bool has_listener_;
    RowChange row_change_;
    std::optional<ErrorKind> error_kind_;
    bool may_be_committed_ = false;
    std::string error_message_;
};

} // namespace useradmin::store
