// One piece of work on a connection.
#pragma once

#include "store/client.hpp"
#include "store/schema.hpp"
#include "store/store.hpp"

#include <optional>
#include <string>

namespace useradmin::store {

/// What a change did to a user, for its witness.
struct Seen {
    std::string_view user_id = {};
    std::optional<model::User> before = {};
    std::optional<model::User> after = {};
};

/// A client, what is known of the tables, the memory of a request, and what went wrong first.
class Work {
  public:
    Work(Client& client, const Schema& schema, apr_pool_t* pool, bool is_witnessed = false) noexcept
        : client_(client), schema_(schema), pool_(pool), is_witnessed_(is_witnessed) {}

    Client& client() noexcept { return client_; }
    const Schema& schema() const noexcept { return schema_; }
    apr_pool_t* pool() const noexcept { return pool_; }
    Statement statement() const { return Statement(pool_); }

    /// Runs a statement; where it fails, fault() says how.
    Result<Rows> run(const Statement& statement);
    Result<Rows> execute(const char* sql) { return note(client_.execute(sql, pool_)); }
    /// Runs the statement that commits a transaction.
    Result<Rows> commit(const char* sql);

    /// The same where no statement failed: the client's error says why the work cannot go on.
    void fail(Fault fault) { static_cast<void>(note(fault)); }

    /// Whether the value, which must not be lost, has a column in the user table; if not, that is
    /// the error.
    bool can_hold(std::string_view field, const model::Value& value);
    /// The row of a user's fields and its version.
    static model::User take_user(Rows& rows);
    /// The row of a create or update: the same, then the further columns.
    model::User take_full_user(Rows& rows) const;

    /// How the first statement that failed did so; nothing where none did, or where the work was
    /// refused before.
    std::optional<Fault> fault() const noexcept { return fault_; }
    /// What the database, or can_hold, said to that.
    const std::string& error() const noexcept { return error_; }
    /// Returns whether a statement failed that may have been committed all the same.
    bool may_be_committed() const noexcept { return may_be_committed_; }
    void set_may_be_committed() noexcept { may_be_committed_ = true; }
    /// Takes a fault for an answer: the work goes on as if nothing had failed.
    void forgive() noexcept;

    /// Whether somebody wants to know what a change does: then it fills in what is seen.
    bool is_witnessed() const noexcept { return is_witnessed_; }
    Seen& seen() noexcept { return seen_; }

  private:
    Result<Rows> note(std::variant<Rows, Fault>&& answer);

    Client& client_;
    const Schema& schema_;
    apr_pool_t* pool_;
    bool is_witnessed_;
    Seen seen_;
    std::optional<Fault> fault_;
    bool may_be_committed_ = false;
    std::string error_;
};

} // namespace useradmin::store
