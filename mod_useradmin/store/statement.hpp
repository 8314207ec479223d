// An SQL statement with its arguments.
#pragma once

#include "apr/pool.hpp"
#include "store/schema.hpp"
#include "store/store.hpp"

#include <algorithm>
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

/// Returns the column that a change sets, or nullptr if the table lacks it or an earlier change
/// sets it by another name.
const Column* column_of(const Table& table, const Changes& changes, const Change& change);

/// Builds a statement's text and arguments. A value never becomes part of the text: both databases
/// use the placeholders $1, $2, and so on. Arguments are copied into the pool and wiped by the
/// destructor. The text is the key of a prepared statement.
class Statement {
  public:
    /// Names of fields to omit.
    using Skipped = std::span<const std::string_view>;

    explicit Statement(apr_pool_t* pool) : pool_(pool) { sql_.reserve(1024); }
    ~Statement();
    Statement(Statement&&) noexcept = default;
    Statement& operator=(Statement&&) = delete;

    Statement& operator<<(std::string_view sql) {
        sql_ += sql;
        return *this;
    }
    /// Appends the column's name.
    Statement& operator<<(const Column& column) { return *this << column.sql(); }
    /// Appends the table's name.
    Statement& operator<<(const Table& table) { return *this << table.sql; }
    Statement& operator<<(const Argument& argument);

    /// Appends the columns for which the record has a value: "a, b". Omits the skipped fields.
    template <class Record>
    Statement& columns(const Table& table, const Record& record, Skipped skipped = {});
    /// Appends the placeholders of the values for columns(), in the same order: "$1, $2".
    template <class Record>
    Statement& values(const Table& table, const Record& record, Skipped skipped = {});

    /// Appends "INSERT INTO table (a, b) VALUES ($1, $2)" with these columns and values.
    template <class Record>
    Statement& insertion(const Table& table, const Record& record) {
        *this << "INSERT INTO " << table << " (";
        columns(table, record) << ") VALUES (";
        return values(table, record) << ")";
    }

    /// Appends the extra columns that have a value: ", a, b".
    Statement& extra_columns(const Table& table, const Changes& values);
    /// Appends the placeholders of the values for extra_columns(), in the same order: ", $1, $2".
    Statement& extra_values(const Table& table, const Changes& values);

    const std::string& sql() const noexcept { return sql_; }
    /// Returns the arguments. nullptr is NULL.
    std::span<const char* const> arguments() const noexcept { return arguments_; }

  private:
    /// Visits the columns for which the record has a value, except for generated ids.
    template <class Record, class Visit>
    static void for_each_value(const Table& table, const Record& record, Skipped skipped,
                               const Visit& visit) {
        bool is_first = true;
        for (const model::Field<Record>& field : model::fields<Record>()) {
            const Column* column = table.find(field.name);
            const model::Value value = value_of(record, field);
            if (column == nullptr || std::holds_alternative<std::monostate>(value) ||
                std::ranges::find(skipped, field.name) != skipped.end() ||
                (field.name == "id" && column->is_serial()))
                continue;
            visit(*column, value, is_first);
            is_first = false;
        }
    }

    apr_pool_t* pool_;
    std::string sql_;
    std::vector<char*> arguments_;
};

template <class Record>
Statement& Statement::columns(const Table& table, const Record& record, Skipped skipped) {
    for_each_value(table, record, skipped,
                   [&](const Column& column, const model::Value&, bool is_first) {
                       *this << (is_first ? "" : ", ") << column;
                   });
    return *this;
}

template <class Record>
Statement& Statement::values(const Table& table, const Record& record, Skipped skipped) {
    for_each_value(table, record, skipped,
                   [&](const Column& column, const model::Value& filled, bool is_first) {
                       *this << (is_first ? "" : ", ") << argument(column, filled);
                   });
    return *this;
}

} // namespace useradmin::store
