// The arguments of a statement.
#pragma once

#include "apr/pool.hpp"
#include "store/dialect.hpp"

#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace useradmin::store {

/// Collects the arguments of a statement, in the order of its placeholders, as texts in a pool.
class Arguments {
  public:
    Arguments(apr_pool_t* pool, const Dialect& dialect) noexcept : pool_(pool), dialect_(dialect) {}

    Arguments& text(std::string_view value) {
        values_.push_back(apr::terminated(pool_, value));
        return *this;
    }
    Arguments& optional(const Text& value) {
        values_.push_back(value ? apr::terminated(pool_, *value) : nullptr);
        return *this;
    }
    Arguments& number(std::int64_t value) { return text(std::to_string(value)); }

    /// A value for a column; left out, as in the statement, where the table has no such column.
    Arguments& field(const Table& table, std::string_view name, const Text& value) {
        return table.find(name) != nullptr ? optional(value) : *this;
    }
    Arguments& field(const Table& table, std::string_view name, std::optional<bool> value) {
        const Column* column = table.find(name);
        if (column == nullptr)
            return *this;
        if (!value)
            return optional(std::nullopt);
        return text(dialect_.boolean_argument(*column, *value));
    }
    Arguments& field(const Table& table, std::string_view name, Timestamp value) {
        const Column* column = table.find(name);
        return column != nullptr ? text(dialect_.timestamp_argument(*column, value)) : *this;
    }

    std::span<const char* const> view() const noexcept { return values_; }

  private:
    apr_pool_t* pool_;
    const Dialect& dialect_;
    std::vector<const char*> values_;
};

/// The arguments for created_user_fields, created_account_fields and opened_session_fields.
Arguments& append_user(Arguments& arguments, const Table& table, const NewUser& user);
Arguments& append_account(Arguments& arguments, const Table& table, const NewUser& user);
Arguments& append_session(Arguments& arguments, const Table& table, const NewSession& session);
/// The arguments for ban_fields.
Arguments& append_ban(Arguments& arguments, const Table& table, const std::optional<Ban>& ban,
                      Timestamp now);
/// The arguments for updated_user_fields.
Arguments& append_changes(Arguments& arguments, const Table& table, const Changes& changes);

} // namespace useradmin::store
