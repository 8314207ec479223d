// A statement: its text, with the arguments beside it.
#pragma once

#include "apr/pool.hpp"
#include "store/schema.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace useradmin::store {

/// An argument of a statement, streamed into its text where its placeholder stands. A text is the
/// caller's, and may be a secret: nothing copies it before it is streamed.
struct Argument {
    /// Nothing is NULL.
    std::variant<std::monostate, std::string_view, std::string> text;
};

inline Argument argument(std::string_view text) {
    return {text};
}
inline Argument argument(std::int64_t number) {
    return {std::to_string(number)};
}
/// The value in the form that the column holds.
Argument argument(const Column& column, const model::Value& value);

/// Collects the text of a statement and its arguments together. Both databases know the
/// placeholders $1, $2 …; a value never becomes a part of the text. The arguments are copied into
/// the pool, wiped when the statement goes, and the text is what a statement is prepared under.
class Statement {
  public:
    /// Names of fields that are left out.
    using Skipped = std::span<const std::string_view>;

    explicit Statement(apr_pool_t* pool) : pool_(pool) { sql_.reserve(1024); }
    ~Statement();
    Statement(Statement&&) noexcept = default;
    Statement& operator=(Statement&&) = delete;

    Statement& operator<<(std::string_view sql) {
        sql_ += sql;
        return *this;
    }
    /// The column's name.
    Statement& operator<<(const Column& column) { return *this << column.sql(); }
    /// The table's name.
    Statement& operator<<(const Table& table) { return *this << table.sql; }
    Statement& operator<<(const Argument& argument);

    /// The columns of a record that the table has and that hold a value: "(a, b)". The
    /// skipped fields are left out.
    template <class Record>
    Statement& columns(const Table& table, const Record& record, Skipped skipped = {});
    /// Their values, in the same order: "$1, $2".
    template <class Record>
    Statement& values(const Table& table, const Record& record, Skipped skipped = {});

    /// Says that it is about a value of the column, which may be secret.
    void note_column(const Column& column) noexcept;
    /// Says that its rows hold a secret.
    void set_returns_secrets() noexcept { returns_secrets_ = true; }

    const std::string& sql() const noexcept { return sql_; }
    /// An argument that is nullptr is NULL.
    std::span<const char* const> arguments() const noexcept { return arguments_; }
    /// Whether there is a secret among the arguments, and whether there is one in the rows: the
    /// client keeps neither.
    bool takes_secrets() const noexcept { return takes_secrets_; }
    bool returns_secrets() const noexcept { return returns_secrets_; }

  private:
    /// Visits the columns that the record fills. Ids that the database makes are not filled.
    template <class Record, class Visit>
    static void each_filled(const Table& table, const Record& record, Skipped skipped,
                            const Visit& visit) {
        bool is_first = true;
        for (const model::Field<Record>& field : model::fields<Record>()) {
            const Column* column = table.find(field.name);
            const model::Value value = value_of(record, field);
            if (column == nullptr || std::holds_alternative<std::monostate>(value) ||
                std::find(skipped.begin(), skipped.end(), field.name) != skipped.end() ||
                (field.name == "id" && column->is_serial()))
                continue;
            visit(*column, value, is_first);
            is_first = false;
        }
    }

    apr_pool_t* pool_;
    std::string sql_;
    std::vector<char*> arguments_;
    bool takes_secrets_ = false;
    bool returns_secrets_ = false;
};

template <class Record>
Statement& Statement::columns(const Table& table, const Record& record, Skipped skipped) {
    each_filled(table, record, skipped,
                [&](const Column& column, const model::Value&, bool is_first) {
                    *this << (is_first ? "" : ", ") << column;
                });
    return *this;
}

template <class Record>
Statement& Statement::values(const Table& table, const Record& record, Skipped skipped) {
    each_filled(table, record, skipped,
                [&](const Column& column, const model::Value& filled, bool is_first) {
                    note_column(column);
                    *this << (is_first ? "" : ", ") << argument(column, filled);
                });
    return *this;
}

} // namespace useradmin::store
