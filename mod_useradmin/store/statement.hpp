// An SQL statement with its arguments.
#pragma once

#include "apr/pool.hpp"
#include "store/schema.hpp"
#include "store/store.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace useradmin::store {

/// An argument. Streaming it into a statement appends its placeholder. A string_view is not copied
/// until then, because it may be a secret.
struct Argument {
    /// std::monostate is NULL.
    std::variant<std::monostate, std::string_view, std::string> text;
};

inline Argument argument(std::string_view text) {
    return {text};
}
inline Argument argument(std::int64_t number) {
    return {std::to_string(number)};
}
/// Returns the string, or NULL if it is empty.
inline Argument optional_argument(std::string_view text) {
    return text.empty() ? Argument() : argument(text);
}
/// Returns the value in the format of the column.
Argument argument(const Column& column, const model::Value& value);

/// A column that an INSERT sets, and the value.
struct Assignment {
    const Column* column;
    Argument argument;
    /// If not empty, the SQL expression to use instead of the argument.
    std::string expression = {};
};
using Assignments = std::vector<Assignment>;

/// Returns the columns that have a value in the record, except for generated ids. If
/// `includes_nulls`, also returns the columns that are NULL.
template <class Record>
Assignments assignments_of(const Table& table, const Record& record, bool includes_nulls = false) {
    Assignments all;
    for (const model::Field<Record>& field : model::fields<Record>()) {
        const Column* const column = table.find(field.name);
        const model::Value value = value_of(record, field);
        if (column != nullptr && !column->is_generated_id() &&
            (includes_nulls || !std::holds_alternative<std::monostate>(value)))
            all.push_back({column, argument(*column, value)});
    }
    return all;
}
/// Returns the columns of a new user's row, including extra columns.
Assignments assignments_of(const Table& table, const NewUser& user);

/// Returns the column that a change sets, or nullptr if the table lacks it or an earlier change
/// also sets it, for example by another name.
const Column* column_of(const Table& table, const Changes& changes, const Change& change);

/// Builds a statement's text and arguments. A value never becomes part of the text: both databases
/// use the placeholders $1, $2, and so on. Arguments are copied into the pool and wiped by the
/// destructor. The text is the key of a prepared statement.
class Statement {
  public:
    explicit Statement(apr_pool_t* pool) : pool_(pool) { sql_.reserve(1024); }
    ~Statement();
    Statement(Statement&&) noexcept = default;
    Statement& operator=(Statement&&) = delete;

    Statement& operator<<(std::string_view sql) {
        sql_ += sql;
        return *this;
    }
    Statement& operator<<(const Column& column) { return *this << column.sql(); }
    Statement& operator<<(const Table& table) { return *this << table.sql; }
    Statement& operator<<(const Argument& argument);

    /// Appends the columns: "a, b".
    Statement& columns(const Assignments& row);
    /// Appends the values of the columns, in the same order: "$1, $2".
    Statement& values(const Assignments& row);
    /// Appends "INSERT INTO table (a, b) VALUES ($1, $2)".
    Statement& insertion(const Table& table, const Assignments& row);

    const std::string& sql() const noexcept { return sql_; }
    /// Returns the arguments. nullptr is NULL.
    std::span<const char* const> arguments() const noexcept { return arguments_; }

  private:
    apr_pool_t* pool_;
    std::string sql_;
    std::vector<char*> arguments_;
};

} // namespace useradmin::store
