// What is different from one database to another. Each has one file: postgresql.cpp, sqlite.cpp.
#pragma once

#include "store/connection.hpp"
#include "store/schema.hpp"
#include "store/store.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace useradmin::store {

class Work;

/// What a connection was found to be after a statement on it had failed.
enum class Health {
    sound,  ///< the database refused that statement
    reset,  ///< sound, but another backend than before: what was prepared is gone; nothing was done
    lost,   ///< it broke while the statement ran, and stands again: whether it was done is unknown
    broken, ///< it broke, and the database is out of reach
};

/// A dialect of SQL, and how its database behaves behind apr_dbd. Without state.
class Dialect {
  public:
    /// Makes a connection ready, before anything is prepared on it. Called by each user of a
    /// connection.
    virtual void set_up(const Connection& connection) const = 0;
    /// Whether the statement that has just failed found the database locked by another process.
    virtual bool is_busy(const Connection& connection) const = 0;
    /// Whether a prepared statement can stop working for good although the catalogue has not
    /// changed.
    virtual bool statements_expire() const = 0;
    /// Reads the catalogue; nothing where the database fails. The schema has its problems filled
    /// in.
    virtual std::optional<Schema> read_schema(const Connection& connection, apr_pool_t* pool,
                                              const TableNames& names) const = 0;
    /// A number that changes with the session behind a connection; empty where the database fails.
    virtual std::string session_identity(const Connection& connection, apr_pool_t* pool) const = 0;
    /// Looks at a connection on which a statement failed, and mends it where that can be done.
    Health examine(const Connection& connection, apr_pool_t* pool, std::string_view identity) const;

    /// A placeholder for a value of that column.
    virtual std::string parameter(const Column& column) const = 0;
    /// A placeholder for a whole number.
    virtual std::string whole_number() const = 0;
    /// The column, selected so that text::parse_timestamp reads it.
    virtual std::string timestamp(const Column& column, const std::string& sql,
                                  bool plain_timestamps) const = 0;
    /// A truth value as the argument for that column.
    virtual const char* boolean_argument(const Column& column, bool value) const = 0;
    /// A time as the argument for that column.
    virtual std::string timestamp_argument(const Column& column, Timestamp time) const = 0;
    /// A condition that the column contains the searched text, whose placeholder it holds.
    virtual std::string contains(const std::string& sql) const = 0;
    /// The searched text as the argument for that placeholder.
    virtual std::string search_argument(std::string_view search) const = 0;
    /// The columns that the code does not know, of a source with the user table's columns, as one
    /// JSON object.
    virtual std::string other_columns(std::string_view source, const Schema& schema) const = 0;

    virtual Result<std::optional<User>> create(Work& work, const NewUser& user) const = 0;
    virtual Result<Removal> remove(Work& work, std::string_view id,
                                   std::string_view protected_email) const = 0;

  protected:
    ~Dialect() = default;
};

/// The dialect of a driver of apr_dbd ("pgsql", "sqlite3"); nullptr for any other.
const Dialect* dialect_of(std::string_view driver);

const Dialect& postgresql() noexcept;
const Dialect& sqlite() noexcept;

} // namespace useradmin::store
