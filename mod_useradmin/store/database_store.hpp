// The store on a database.
#pragma once

#include "store/connection.hpp"
#include "store/schema.hpp"
#include "store/store.hpp"
#include "text/log.hpp"

#include <chrono>

namespace useradmin::store {

/// The tables of a database, for the length of one request. Each call takes a connection and gives
/// it back before it returns.
class DatabaseStore final : public Store {
  public:
    /// The label tells this user of a connection from others: "[a-z_][a-z0-9_]*", one for each set
    /// of table names; it outlives the connections. What is returned lives in the pool. The
    /// patience is how long a database that another process has locked is asked again.
    DatabaseStore(ConnectionSource& source, text::Log& log, apr_pool_t* pool,
                  const TableNames& names, const char* label,
                  std::chrono::milliseconds patience = std::chrono::seconds(5)) noexcept
        : source_(source), log_(log), pool_(pool), names_(names), label_(label),
          patience_(patience) {}

    Result<Page> list(const Filter& filter, std::int64_t limit, std::int64_t offset) override;
    Result<std::optional<User>> find(std::string_view id) override;
    Result<std::optional<User>> find_by_email(std::string_view email) override;
    Result<std::optional<User>> create(const NewUser& user) override;
    Result<std::optional<User>> update(std::string_view id, const Changes& changes) override;
    Result<Removal> remove(std::string_view id, std::string_view protected_email) override;
    Result<bool> set_ban(std::string_view id, const std::optional<Ban>& ban,
                         Timestamp now) override;
    Result<std::optional<Credential>> credential(std::string_view email) override;
    Result<bool> set_password(const NewUser& user) override;
    Result<std::optional<SignedIn>> session(std::string_view token) override;
    Result<std::vector<Session>> sessions_of(std::string_view user_id) override;
    Result<bool> open_session(const NewSession& session) override;
    Result<bool> extend_session(std::string_view token, Timestamp expires_at,
                                Timestamp now) override;
    Result<bool> close_session(std::string_view token) override;
    Result<bool> close_sessions_of(std::string_view user_id) override;

  private:
    /// Whether work may be done again when its connection broke and nobody knows if it was done.
    enum class Repeatable { no, yes };

    /// Runs the work on a connection, and again where a failure was the connection's or
    /// the catalogue's and not the work's own. The needs are those of schema.hpp.
    template <class T, class Operation>
    Result<T> run(unsigned needs, Repeatable repeatable, const Operation& work);

    ConnectionSource& source_;
    text::Log& log_;
    apr_pool_t* pool_;
    TableNames names_;
    const char* label_;
    std::chrono::milliseconds patience_;
};

} // namespace useradmin::store
